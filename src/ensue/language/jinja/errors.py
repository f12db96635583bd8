"""Turns Jinja's exceptions into Diagnostics, with the place in the template."""

from __future__ import annotations

import re
import traceback
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import jinja2

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError, EnsueError
from ensue.core.model.file_lines import file_lines
from ensue.language.ansible_words import instead_of_filter
from ensue.language.idem_names import foreign_name
from ensue.language.import_cycles import endless
from ensue.language.jinja.loader import MissingTemplateError
from ensue.language.jinja.missing_keys import missing_key
from ensue.language.jinja.missing_names import (
    MissingName,
    column_of,
    column_of_tag,
    missing_names,
    module_of_state,
    set_names,
)
from ensue.language.jinja.names import UnknownWhenCalledError, UnknownWhenCompiledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from types import FrameType

    from ensue.language.jinja.names import UnknownName

_UNDEFINED_NAME_PARTS = 3
_TOP_LEVEL: Final = "top-level template code"
_COMPILER: Final = frozenset({
    "jinja2.lexer", "jinja2.parser", "jinja2.nodes", "jinja2.visitor", "jinja2.optimizer",
    "jinja2.idtracking", "jinja2.compiler",
})  # fmt: skip
_DEEP_CALLS: Final = 100
"""More nested calls of the compiler than a template of reasonable depth causes."""
_DEFINE: Final = "define it, or give it a value where it may be missing: {{ name | default('x') }}"
_LISTING: Final = "`ensue show pillar` lists the pillar, `ensue call ID grains.items` the grains"
_RENAMED: Final = {"env": "saltenv"}
"""Variables of former releases of Salt, and what they are called now."""

_CLASS: Final = re.compile(r"^'(?:dict|[\w.]*Mapping) object' has no attribute ")
_NO_FILES: Final = frozenset({"<template>", "<unknown>"})


class FailedTemplate(NamedTuple):
    """The template whose rendering failed.

    Args:
        environment: parses it.
        text: its text.
        first_line: the line of its file on which the text begins.
        roots: the folders of the SLS.
    """

    environment: jinja2.Environment
    text: str
    first_line: int
    roots: tuple[Path, ...]

    def line(self, number: int) -> str:
        """Return a line of its file; empty if it is not in the text."""
        lines = file_lines(self.text)
        place = number - self.first_line
        return lines[place] if 0 <= place < len(lines) else ""


def as_compile_error(
    error: Exception,
    *,
    path: str,
    shorten: Callable[[str], str],
    variables: Mapping[str, Any],
    source: FailedTemplate | None = None,
) -> CompileError:
    """Return the error that a user is shown for an exception of a rendering.

    Args:
        error: the exception.
        path: the template's path, as messages show it.
        shorten: makes an absolute path relative to the project.
        variables: the variables of the rendering, for suggestions.
        source: the template, for columns and further errors.
    """
    if isinstance(error, CompileError):
        return error
    span = _span(error, path, shorten)
    if source is not None and span.path == path:
        span = Span(span.path, span.line, column_of_tag(source.line(span.line)))
        if isinstance(error, jinja2.UndefinedError) and (
            name := _undefined_name(str(error.message or error))
        ):
            return CompileError(_undefined(name, span, variables, source))
        if isinstance(error, jinja2.UndefinedError) and (
            fault := _missing_key(error, span, variables, source)
        ):
            return CompileError([fault])
    return CompileError([_diagnostic(error, span, path, shorten, variables)])


def _missing_key(
    error: jinja2.UndefinedError, span: Span, variables: Mapping[str, Any], source: FailedTemplate
) -> Diagnostic | None:
    """Return the error for a key that a mapping lacks, if it is known what may have been meant."""
    line = span.line - source.first_line + 1
    missing = missing_key(source.environment, source.text, line, variables)
    message = _without_classes(str(error.message or error))
    if missing is None or f"'{missing.key}'" not in message or not (missing.near or missing.known):
        return None
    keys = f"; it has {', '.join(missing.known)}" if missing.known else ""
    meant = f"did you mean {' or '.join(missing.near)}? If not, " if missing.near else ""
    advice = f"{meant}{_DEFINE}" if missing.known else f"{meant}{_DEFINE}; {_LISTING}"
    return Diagnostic(
        code="E0204",
        summary="an undefined variable in a template",
        detail=f"{message}{keys}",
        span=span,
        help=(not missing.near and _not_json(message)) or advice,
    )


def _near_template(error: jinja2.TemplateNotFound) -> str:
    near = error.near if isinstance(error, MissingTemplateError) else []
    return f"did you mean {' or '.join(near)}? If not, " if near else ""


def _undefined(
    name: str, span: Span, variables: Mapping[str, Any], source: FailedTemplate
) -> list[Diagnostic]:
    """Return the error for the name at which the rendering stopped, and those for others of the template."""
    known = {*variables, *source.environment.globals}
    missing = list(missing_names(source.environment, source.text, known))
    first = next((one for one in missing if one.name == name), MissingName(name, 0))
    others = [one for one in missing if one is not first]
    known = {*variables, *set_names(source.environment, source.text)}
    at = Span(span.path, span.line, column_of(source.line(span.line), name))
    diagnostics = [_undefined_variable(first, at, known, source)]
    for one in others:
        line = one.line + source.first_line - 1
        at = Span(span.path, line, column_of(source.line(line), one.name))
        diagnostics.append(_undefined_variable(one, at, known, source))
    return diagnostics


def _undefined_variable(
    missing: MissingName, span: Span, known: set[str], source: FailedTemplate
) -> Diagnostic:
    name = missing.name
    return foreign_name(name, span) or Diagnostic(
        code="E0204",
        summary="an undefined variable in a template",
        detail=f"{name!r} is undefined",
        span=span,
        help=_of_caller(missing, source, known)
        or _reference(missing, span.path, source)
        or _near(name, known),
    )


def _of_caller(missing: MissingName, source: FailedTemplate, known: set[str]) -> str:
    """Return the remedy for what is the ID of a state in a delayed rendering, which reads `prev_ret`."""
    if "prev_ret" not in known or not module_of_state(missing.name, source.text, source.roots):
        return ""
    keys = missing.keys[1:] if missing.keys[:1] == ("new_state",) else missing.keys
    written = ".".join(("prev_ret.new_state", *keys))
    return (
        f"{missing.name} is a state; if it calls this block or SLS, write {written}: "
        "a template reads only what the calling state returned"
    )


def _reference(missing: MissingName, path: str, source: FailedTemplate) -> str:
    """Return the remedy for what is the ID of a state: a template is rendered before any state runs."""
    if not path.endswith(".sls"):
        return ""
    module = module_of_state(missing.name, source.text, source.roots)
    if not module:
        return ""
    keys = missing.keys[1:] if missing.keys[:1] == ("new_state",) else missing.keys
    written = ":".join((module, missing.name, *keys))
    what = "its value is known when it has run" if keys else "name what is read of it"
    return f"{missing.name} is a state; write ${{{written}}}: {what}"


def _diagnostic(
    error: Exception,
    span: Span,
    path: str,
    shorten: Callable[[str], str],
    variables: Mapping[str, Any],
) -> Diagnostic:
    match error:
        case RecursionError() | SyntaxError() if _is_nested_too_deep(error):
            # Jinja compiles a template to Python; only nesting can be too deep for Python.
            diagnostic = Diagnostic(
                code="E0203",
                summary="broken Jinja",
                detail="blocks or expressions are nested too deeply",
                span=span,
                help="put an inner part into a macro, or into a variable of its own",
            )
        case RecursionError():
            diagnostic = endless(_open_templates(error, path, shorten), span)
        case UnknownWhenCompiledError() | UnknownWhenCalledError():
            diagnostic = _unknown(error.unknown, span)
        case jinja2.TemplateNotFound():
            diagnostic = Diagnostic(
                code="E0209",
                summary=f"a template that this one needs was not found: {error.name or error}",
                detail=str(error.message or ""),
                span=span,
                help=_near_template(error)
                + "give the path from the file roots, or begin it with ./ to start at this file's folder",
            )
        case jinja2.TemplateSyntaxError():
            diagnostic = Diagnostic(
                code="E0203",
                summary="broken Jinja",
                detail=str(error.message or error),
                span=span,
                help="check that every {% %} and {{ }} is closed and every block has its end tag",
            )
        case jinja2.UndefinedError():
            message = _without_classes(str(error.message or error))
            diagnostic = foreign_name(_undefined_name(message), span) or Diagnostic(
                code="E0204",
                summary="an undefined variable in a template",
                detail=message,
                span=span,
                help=_not_json(message) or _near(_undefined_name(message), variables, message),
            )
        case EnsueError() | jinja2.TemplateRuntimeError():
            diagnostic = Diagnostic(
                code="E0205", summary="a template could not be rendered", detail=str(error), span=span
            )
        case _:
            diagnostic = Diagnostic(
                code="E0205",
                summary="a template could not be rendered",
                detail=f"{type(error).__name__}: {error}",
                span=span,
                help="the expression on this line raised an error",
            )
    return diagnostic


def _span(error: Exception, path: str, shorten: Callable[[str], str]) -> Span:
    if isinstance(error, jinja2.TemplateSyntaxError):
        return Span(shorten(error.filename) if error.filename else path, error.lineno)
    frames = _frames(error, path, shorten)
    return frames[-1][1] if frames else Span(path, _compiled_line(error))


def _is_nested_too_deep(error: Exception) -> bool:
    """Return whether one template is nested too deeply for Jinja to parse or Python to compile."""
    if isinstance(error, SyntaxError):
        return any(frame.name == "_compile" for frame in traceback.extract_tb(error.__traceback__))
    return len(_compiling(error)) > _DEEP_CALLS


def _compiling(error: Exception) -> list[FrameType]:
    """Return the calls in which Jinja parses or compiles a template, innermost first."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return [frame for frame in reversed(frames) if frame.f_globals.get("__name__") in _COMPILER]


def _compiled_line(error: Exception) -> int:
    """Return the line that Jinja was parsing or compiling; 0 if unknown."""
    for frame in _compiling(error):
        here = [frame.f_locals.get(name) for name in ("lineno", "child", "node", "self")]
        for line in (one if isinstance(one, int) else getattr(one, "lineno", 0) for one in here):
            if isinstance(line, int) and line > 0:
                return line
    return 0


def _frames(error: Exception, path: str, shorten: Callable[[str], str]) -> list[tuple[str, Span]]:
    """Return the calls in templates, outermost first: the name, and the place.

    Jinja rewrites the frames of templates: they have the template's file name and line, and a special name.
    """
    return [
        (
            frame.name,
            Span(path if frame.filename in _NO_FILES else shorten(frame.filename), frame.lineno or 0),
        )
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.name in {_TOP_LEVEL, "template"} or frame.name.startswith("block ")
    ]


def _open_templates(error: Exception, path: str, shorten: Callable[[str], str]) -> list[Span]:
    """Return where each open template pulls in the next one."""
    chain: list[Span] = []
    for name, span in _frames(error, path, shorten):
        if name == _TOP_LEVEL or not chain:
            chain.append(span)
        else:
            chain[-1] = span
    return chain


def _unknown(unknown: UnknownName, span: Span) -> Diagnostic:
    meant = f"did you mean {' or '.join(unknown.near)}? " if unknown.near else ""
    return Diagnostic(
        code="E0203",
        summary=str(unknown),
        span=span,
        help=instead_of_filter(unknown.name)
        or f"{meant}the page on migrating from Salt lists Salt's; Jinja's own are available too",
    )


def _without_classes(message: str) -> str:
    """Return Jinja's message with `a mapping` in place of a Python class, which means nothing to a user."""
    return _CLASS.sub("a mapping has no key ", message)


def _near(name: str, variables: Iterable[str], message: str = "") -> str:
    advice, listing = _DEFINE, _LISTING
    if name:
        if name in _RENAMED:
            return f"write {_RENAMED[name]}; if that is not meant, {advice}"
        import difflib

        close = difflib.get_close_matches(name, list(variables), n=2)
        if close:
            return f"did you mean {' or '.join(close)}? If not, {advice}"
    return advice if message.startswith("'None'") else f"{advice}; {listing}"


def _not_json(message: str) -> str:
    """Return the remedy for `stdout_json` of a command that wrote no JSON; only Jinja's message tells it."""
    if not message.endswith("has no attribute 'stdout_json'"):
        return ""
    return "stdout of the command is not JSON: have it print JSON and nothing else, or read `stdout`"


def _undefined_name(message: str) -> str:
    """Return the undefined variable; Jinja's exception has it only in its message."""
    parts = message.split("'", 2)
    is_name = len(parts) == _UNDEFINED_NAME_PARTS and not parts[0] and parts[2].startswith(" is undefined")
    return parts[1] if is_name else ""
