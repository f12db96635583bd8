"""Turns Jinja's exceptions into Diagnostics, with the place in the template."""

from __future__ import annotations

import re
import traceback
from typing import TYPE_CHECKING, Any, Final

import jinja2
import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError, EnsueError
from ensue.language.ansible_filters import instead_of_filter
from ensue.language.ansible_filters import instead_of_test as instead_of_value_test
from ensue.language.hcl_words import instead_of_expression, instead_of_operator
from ensue.language.idem_names import foreign_name
from ensue.language.import_cycles import endless
from ensue.language.jinja.absent_values import OfNothingError, absent_value
from ensue.language.jinja.broken_tags import broken_tag
from ensue.language.jinja.filters.functions import RaisedByTemplateError
from ensue.language.jinja.kinds_read import kinds_read
from ensue.language.jinja.loader import MissingTemplateError
from ensue.language.jinja.mapping_loops import loop_over_mapping
from ensue.language.jinja.missing_keys import missing_key
from ensue.language.jinja.missing_names import column_of_tag
from ensue.language.jinja.missing_pillar import define_in_pillar
from ensue.language.jinja.names import UnknownWhenCalledError, UnknownWhenCompiledError, unknown_names
from ensue.language.jinja.undefined_names import (
    DEFINE,
    LISTING,
    OF_ONE_TARGET,
    near_variable,
    undefined_variables,
)
from ensue.language.reference_text import ReferenceReadError
from ensue.language.result_words import BLOCK, BLOCK_WITH_LOOP, instead_of_test

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    from ensue.language.jinja.names import UnknownName
    from ensue.language.jinja.template_source import TemplateSource

_OF_NOTHING: Final = "'None' "
"""How Jinja's message begins for an attribute of None."""
_UNDEFINED_NAME_PARTS = 3
_TOP_LEVEL: Final = "top-level template code"
_COMPILER: Final = frozenset({
    "jinja2.lexer", "jinja2.parser", "jinja2.nodes", "jinja2.visitor", "jinja2.optimizer",
    "jinja2.idtracking", "jinja2.compiler",
})  # fmt: skip
_TARGET: Final = "tgt:"
_DEEP_CALLS: Final = 100
"""More nested calls of the compiler than a template of reasonable depth causes."""
_SELF: Final = re.compile(r"^'[\w.]*TemplateReference object' has no attribute '(\w+)'")
_CLASS: Final = re.compile(
    r"^'(?P<kind>dict|str|list|tuple|int|float|bool|[\w.]*Mapping) object' has no attribute "
)
_KINDS: Final = {
    "str": "a text",
    "list": "a list",
    "tuple": "a list",
    "int": "a number",
    "float": "a number",
    "bool": "a boolean",
}
_IN_TAG: Final = re.compile(r"\{[{%](?:(?![%}]\}).)*?(?P<reference>\$\{[^{}]*\})")
"""A reference in a tag; the tag may continue after it."""
_LOOP: Final = re.compile(r"\{%-?\s*for\s")
_NO_FILES: Final = frozenset({"<template>", "<unknown>"})


def as_compile_error(
    error: Exception,
    *,
    path: str,
    shorten: Callable[[str], str],
    variables: Mapping[str, Any],
    source: TemplateSource | None = None,
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
            explained := _undefined(error, span, variables, source)
        ):
            return explained
        if advice := _of_values(error, span.line - source.first_line + 1, variables, source):
            fault = _diagnostic(error, span, path, shorten, variables)
            return CompileError([msgspec.structs.replace(fault, help=advice)])
    if isinstance(error, jinja2.TemplateSyntaxError):
        return CompileError(_not_compiled(error, span, source if span.path == path else None))
    return CompileError([_diagnostic(error, span, path, shorten, variables)])


def _undefined(
    error: jinja2.UndefinedError, span: Span, variables: Mapping[str, Any], source: TemplateSource
) -> CompileError | None:
    """Return the error for an undefined variable or a missing part of a value, if its reason is known."""
    if name := _undefined_name(str(error.message or error)):
        return CompileError(undefined_variables(name, span, variables, source))
    if isinstance(error, OfNothingError) and (absent := absent_value(error, span, variables, source)):
        return absent
    fault = _missing_key(error, span, variables, source)
    return CompileError([fault]) if fault else None


def _missing_key(
    error: jinja2.UndefinedError, span: Span, variables: Mapping[str, Any], source: TemplateSource
) -> Diagnostic | None:
    """Return the error for a key that a mapping lacks, if it is known what may have been meant."""
    line = span.line - source.first_line + 1
    message = _without_classes(str(error.message or error))
    missing = missing_key(source.environment, source.text, line, variables, message)
    if missing is None:
        return None
    if missing.line != line:
        span = source.span(span.path, missing.line)
    is_of_pillar = missing.owner.partition(".")[0] == "pillar"
    if not (missing.near or missing.known or is_of_pillar):
        return None
    keys = f"; it has {', '.join(missing.known)}" if missing.known else ""
    meant = f"did you mean {' or '.join(missing.near)}? If not, " if missing.near else ""
    define = define_in_pillar(missing.owner, missing.key, variables) if is_of_pillar else DEFINE
    advice = f"{meant}{define}" if missing.known else f"{meant}{define}; {LISTING}"
    if is_of_pillar and _TARGET in source.text:
        advice = f"{advice}. {OF_ONE_TARGET}"
    return Diagnostic(
        code="E0204",
        summary="an undefined variable in a template",
        detail=f"{message}{keys}",
        span=span,
        help=(not missing.near and _not_json(message)) or advice,
    )


def _of_values(error: Exception, line: int, variables: Mapping[str, Any], source: TemplateSource) -> str:
    """Return what to write instead, if what the values of a line are shows it; else an empty text."""
    if isinstance(error, (jinja2.UndefinedError, ValueError)):
        return loop_over_mapping(source.environment, source.text, line, variables)
    if isinstance(error, TypeError) and (
        kinds := kinds_read(source.environment, source.text, line, variables)
    ):
        return f"{kinds}: correct the value, or convert it, as `| int` does"
    return ""


def _near_template(error: jinja2.TemplateNotFound) -> str:
    near = error.near if isinstance(error, MissingTemplateError) else []
    return f"did you mean {' or '.join(near)}? If not, " if near else ""


def _diagnostic(
    error: Exception, span: Span, path: str, shorten: Callable[[str], str], variables: Mapping[str, Any]
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
        case ReferenceReadError():
            diagnostic = _of_read_reference(error, span)
        case UnknownWhenCalledError():
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
        case jinja2.UndefinedError():
            original = str(error.message or error)
            of_self = _SELF.match(original)
            message = f"`self` has no block {of_self[1]!r}" if of_self else _without_classes(original)
            diagnostic = foreign_name(_undefined_name(message), span) or Diagnostic(
                code="E0204",
                summary="an undefined variable in a template",
                detail=message,
                span=span,
                help=(instead_of_expression("self", (of_self[1],), "") if of_self else "")
                or _not_json(message)
                or near_variable(_undefined_name(message), variables, message),
            )
        case RaisedByTemplateError():
            diagnostic = Diagnostic(
                code="E0205", summary="a template refuses the run with `raise`", detail=str(error), span=span
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


def _of_read_reference(error: ReferenceReadError, span: Span) -> Diagnostic:
    """Return the error for a template that reads the value of a reference, or changes its text."""
    did = "changes the text of" if error.is_changed else "reads the value of"
    return Diagnostic(
        code="E0890",
        summary=f"a template {did} {error.reference}",
        span=span,
        detail="a template is rendered before any state runs: it has the text, and never the value",
        help=f"use the value in {BLOCK}",
    )


def _broken(error: jinja2.TemplateSyntaxError, span: Span, line: str) -> Diagnostic:
    """Return the error for a template that does not parse; its line may have a reference in a tag."""
    reference = _IN_TAG.search(line)
    return Diagnostic(
        code="E0203",
        summary="broken Jinja",
        detail=str(error.message or error),
        span=span,
        help=_of_reference(reference["reference"], line)
        if reference
        else broken_tag(line)
        or instead_of_operator(line)
        or "check that every {% %} and {{ }} is closed and every block has its end tag",
    )


def _of_reference(reference: str, line: str) -> str:
    """Return what to write instead of a reference within a tag."""
    is_printed = "{%" not in line
    return (
        f"{reference} is known when its state has run, and a template is rendered before: "
        + (f"write {reference} without {{{{ }}}}, or " if is_printed else "decide by it in ")
        + ("decide by it in " if is_printed else "")
        + (BLOCK if not _LOOP.search(line) else BLOCK_WITH_LOOP)
    )


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
        for line in (item if isinstance(item, int) else getattr(item, "lineno", 0) for item in here):
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


def _not_compiled(
    error: jinja2.TemplateSyntaxError, span: Span, source: TemplateSource | None
) -> list[Diagnostic]:
    """Return the errors because of which a template, or one that it imports (no source), does not compile."""
    if not isinstance(error, UnknownWhenCompiledError):
        return [_broken(error, span, source.line(span.line) if source else "")]
    if source is None:
        return [_unknown(error.unknown, span)]
    every = unknown_names(source.environment, source.text)
    return [_unknown(unknown, source.span(span.path, line)) for unknown, line in every]


def _unknown(unknown: UnknownName, span: Span) -> Diagnostic:
    meant = f"did you mean {' or '.join(unknown.near)}? " if unknown.near else ""
    return Diagnostic(
        code="E0203",
        summary=str(unknown),
        span=span,
        help=_instead_of(unknown)
        or f"{meant}the page on migrating from Salt lists Salt's; Jinja's own are available too",
    )


def _instead_of(unknown: UnknownName) -> str:
    """Return what to write instead of a filter or test of Ansible; empty if it is none."""
    if unknown.kind == "filter":
        return instead_of_filter(unknown.name)
    return instead_of_test(unknown.name) or instead_of_value_test(unknown.name)


def _without_classes(message: str) -> str:
    """Return Jinja's message with a word such as `a mapping` in place of a Python class."""
    return _CLASS.sub(lambda match: f"{_KINDS.get(match['kind'], 'a mapping')} has no key ", message)


def _not_json(message: str) -> str:
    """Return the remedy for `stdout_json` of a command that wrote no JSON; only Jinja's message tells it.

    The same for `stdout_lines`, which is Ansible's.
    """
    if message.endswith(("has no attribute 'stdout_lines'", "has no key 'stdout_lines'")):
        return "the lines of an output are stdout.splitlines()"
    if not message.endswith("has no attribute 'stdout_json'"):
        return ""
    if message.startswith(_OF_NOTHING):
        return "the command has not run, so that it has no stdout"
    return "stdout of the command is not JSON: have it print JSON and nothing else, or read `stdout`"


def _undefined_name(message: str) -> str:
    """Return the undefined variable; Jinja's exception has it only in its message."""
    parts = message.split("'", 2)
    is_name = len(parts) == _UNDEFINED_NAME_PARTS and not parts[0] and parts[2].startswith(" is undefined")
    return parts[1] if is_name else ""
