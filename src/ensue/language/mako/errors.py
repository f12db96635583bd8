"""Turns the exceptions of a Mako rendering into Diagnostics with the place in the template."""

# pyright: basic
# Mako has no types.
from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Final

from mako.exceptions import (
    CompileException,
    RichTraceback,
    SyntaxException,
    TemplateLookupException,
    _format_filepos,
)
from mako.lexer import Lexer
from mako.parsetree import Tag

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.language.collector import near_names
from ensue.language.idem_names import foreign_name
from ensue.language.import_cycles import endless

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

_NAMES_OF_MAKO: Final = frozenset(
    {"UNDEFINED", "STOP_RENDERING", "caller", "capture", "context", "local", "loop", "next", "parent", "self"}
)


def as_compile_error(
    error: Exception, *, text: str, path: str, shorten: Callable[[str], str], variables: Iterable[str]
) -> CompileError:
    """Return the error that a user is shown.

    Args:
        error: the exception, which is being handled.
        text: the template.
        path: the template's path, as messages show it.
        shorten: makes an absolute path relative to the project.
        variables: the defined names, for suggestions.
    """
    if isinstance(error, CompileError):
        return error
    if isinstance(error, SyntaxException | CompileException):
        span = Span(shorten(error.filename or path), error.lineno or 0)
        place = _format_filepos(error.lineno, error.pos, error.filename)
        return _fault(f"{type(error).__name__}: {str(error).removesuffix(place).rstrip()}", span)
    frames = _frames(error, shorten)
    span = frames[-1][1] if frames else Span(path)
    if isinstance(error, RecursionError):
        return CompileError([endless(_open_templates(frames), span)])
    if isinstance(error, TemplateLookupException):
        return CompileError(
            [
                Diagnostic(
                    code="E0209",
                    summary=f"a template that this one needs was not found: {error}",
                    span=span,
                    help="give the path from the file roots as salt://a/b.mako, or from this file's folder",
                )
            ]
        )
    if isinstance(error, NameError) and not span.line:
        # Mako looks up all names before the first line.
        if undefined := _undefined(text, set(variables)):
            faults = (_undefined_fault(name, Span(path, line), variables) for name, line in undefined)
            return CompileError(list(faults))
        span = Span(path)
    return _fault(f"{type(error).__name__}: {error}", span)


def _undefined_fault(name: str, span: Span, variables: Iterable[str]) -> Diagnostic:
    if foreign := foreign_name(name, span):
        return foreign
    help_ = near_names(name, variables) or "define it, or use context.get('name') where it may be missing"
    (fault,) = _fault(f"NameError: {name!r} is not defined", span, help_).diagnostics
    return fault


def _undefined(text: str, defined: Collection[str]) -> list[tuple[str, int]]:
    """Return the names that a template uses and nothing defines, each with its first line.

    Args:
        text: the template.
        defined: its variables.
    """
    nodes = list(_all_nodes(Lexer(text).parse()))
    if any(node.keyword == "namespace" and "import" in node.attributes for node in nodes if _is_tag(node)):
        return []  # What a namespace defines is known only while it is rendered.
    own = {name for node in nodes for name in _names_of(node)}
    known = {*own, *defined, *_NAMES_OF_MAKO, *dir(builtins)}
    used: dict[str, int] = {}
    for node in nodes:
        for name in sorted(getattr(node, "undeclared_identifiers", tuple)()):
            if name not in known:
                used[name] = min(used.get(name, node.lineno), node.lineno)
    return sorted(used.items(), key=lambda use: (use[1], use[0]))


def _names_of(node: Any) -> Iterator[str]:
    """Yield the names that a part of a template defines."""
    yield from getattr(node, "declared_identifiers", tuple)()
    if _is_tag(node):
        yield str(getattr(node, "funcname", None) or node.attributes.get("name", ""))


def _is_tag(node: Any) -> bool:
    return isinstance(node, Tag)


def _all_nodes(node: Any) -> Iterator[Any]:
    for inner in getattr(node, "nodes", ()):
        yield inner
        yield from _all_nodes(inner)


def _fault(detail: str, span: Span, help_: str = "") -> CompileError:
    summary = "a Mako template could not be rendered"
    return CompileError([Diagnostic(code="E0212", summary=summary, detail=detail, span=span, help=help_)])


def _frames(error: Exception, shorten: Callable[[str], str]) -> list[tuple[str, Span]]:
    """Return the calls in templates, outermost first: the function, and the place."""
    records = RichTraceback(error=error, traceback=error.__traceback__).records
    return [(record[2], Span(shorten(record[4]), record[5])) for record in records if record[4] is not None]


def _open_templates(frames: list[tuple[str, Span]]) -> list[Span]:
    """Return where each open template pulls in the next one."""
    chain: list[Span] = []
    for function, span in frames:
        if function == "render_body" or not chain:
            chain.append(span)
        else:
            chain[-1] = span
    return chain
