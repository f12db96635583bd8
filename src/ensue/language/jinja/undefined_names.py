"""The errors for undefined variables of a template, with what was probably meant by each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.model.data import is_mapping
from ensue.language.ansible_variables import instead_of_variable
from ensue.language.hcl_words import instead_of_expression, is_lookup_of_mapping
from ensue.language.idem_names import foreign_name
from ensue.language.jinja.missing_names import (
    NameRead,
    column_of,
    missing_names,
    module_of_state,
    reading_of,
    set_names,
)
from ensue.language.jinja.missing_pillar import file_with_key
from ensue.language.result_words import (
    BLOCK,
    decided_by,
    is_of_return,
    is_previous,
    of_previous,
    of_return,
    properties,
    registering,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from ensue.language.jinja.template_source import TemplateSource

_CONDITION: Final = re.compile(r"\s*(?:-\s*)?(?:onlyif|unless)\s*:")
_PRINTED: Final = re.compile(r"\{\{-?(.*?)-?\}\}")
_PLAIN: Final = re.compile(r"\s*\w+(?:\.\w+|\[[^\]]*\])*\s*")
DEFINE: Final = "define it, or give it a value where it may be missing: {{ name | default('x') }}"
DEFINE_FOR_FILE: Final = (
    "a template file does not see what an SLS sets: give it the value with `context: {name: value}` of the "
    "state, or with a default: {{ name | default('x') }}"
)
OF_ONE_TARGET: Final = (
    "An SLS has the pillar of the one target that it is rendered for, also in a state with `tgt`: to use "
    "that of each resource, apply the SLS to the resources (`ensue apply SLS --tgt TARGET`)"
)
LISTING: Final = "`ensue show pillar` lists the pillar, `ensue call ID grains.items` the grains"
_OF_SOURCES: Final = frozenset({"attrs", "mode", "source"})
"""Variables that describe a file to the template that is its source."""

_RENAMED: Final = {"env": "saltenv", "null": "none", "nil": "none"}
"""Variables of former releases of Salt and values of other languages, and what they are called here."""


def undefined_variables(
    name: str, span: Span, variables: Mapping[str, Any], source: TemplateSource
) -> list[Diagnostic]:
    """Return the error for the name at which the rendering stopped, and those for others of the template.

    Args:
        name: the name at which the rendering stopped.
        span: its line.
        variables: the variables of the rendering.
        source: the template.
    """
    known = {*variables, *source.environment.globals}
    missing = list(missing_names(source.environment, source.text, known))
    first = next((variable for variable in missing if variable.name == name), None)
    others = [variable for variable in missing if variable is not first]
    first = first or reading_of(source.environment, source.text, name)
    known = {*variables, *set_names(source.environment, source.text)}
    at = Span(span.path, span.line, column_of(source.line(span.line), name))
    return [
        _undefined_variable(first, at, known, source, variables),
        *(
            _undefined_variable(other, _place(other, span.path, source), known, source, variables)
            for other in others
        ),
    ]


def undefined_in_any_case(
    source: TemplateSource, path: str, variables: Mapping[str, Any], known: Container[str]
) -> Iterator[Diagnostic]:
    """Yield the errors for undefined names that a template reads whatever the values of its variables are.

    Args:
        source: the template.
        path: its file.
        variables: variables of its rendering that are known.
        known: further names that its rendering defines, and names that are judged elsewhere.
    """
    names = {*variables, *source.environment.globals}
    for missing in missing_names(source.environment, source.text, names):
        if missing.name not in known:
            yield _undefined_variable(missing, _place(missing, path, source), names, source, variables)


def _place(missing: NameRead, path: str, source: TemplateSource) -> Span:
    line = missing.line + source.first_line - 1
    return Span(path, line, column_of(source.line(line), missing.name))


def near_variable(name: str, variables: Iterable[str], message: str = "") -> str:
    """Return how to mend an undefined variable or key.

    Args:
        name: the variable; empty for a key.
        variables: the variables of the rendering.
        message: Jinja's message.
    """
    advice, listing = DEFINE, LISTING
    if name:
        if name in _RENAMED:
            return f"write {_RENAMED[name]}; if that is not meant, {advice}"
        import difflib

        close = difflib.get_close_matches(name, list(variables), n=2)
        if close:
            return f"did you mean {' or '.join(close)}? If not, {advice}"
    return advice if message.startswith("'None'") else f"{advice}; {listing}"


def _undefined_variable(
    missing: NameRead,
    span: Span,
    known: set[str],
    source: TemplateSource,
    variables: Mapping[str, Any],
) -> Diagnostic:
    name, line = missing.name, source.line(span.line)
    return foreign_name(name, span) or Diagnostic(
        code="E0204",
        summary="an undefined variable in a template",
        detail=f"{name!r} is undefined",
        span=span,
        help=_of_caller(missing, source, known)
        or _of_state(missing, span, source)
        or _of_pillar(name, variables)
        or (instead_of_expression(name, missing.keys, line) if is_lookup_of_mapping(line) else "")
        or instead_of_variable(name, missing.keys)
        or instead_of_expression(name, missing.keys, line)
        or _of_result(missing, span.path, known)
        or _of_file(name, known)
        or near_variable(name, known),
    )


def _of_file(name: str, known: set[str]) -> str:
    """Return the remedy for a variable of the source of a file; empty in an SLS."""
    from ensue.core.model.near_names import near_question

    return DEFINE_FOR_FILE if known >= _OF_SOURCES and not near_question(name, known) else ""


def _of_pillar(name: str, variables: Mapping[str, Any]) -> str:
    """Return the remedy for a key of pillar, or of a file that belongs there, read like a variable."""
    pillar = variables.get("pillar")
    if is_mapping(pillar) and name in pillar:
        return f"did you mean pillar.{name}? A template reads values of pillar from `pillar`"
    file = file_with_key(name, variables)
    return f"write pillar.{name}; {file}" if file else ""


def _of_caller(missing: NameRead, source: TemplateSource, known: set[str]) -> str:
    """Return the remedy for what is the ID of a state in a delayed rendering, which reads `prev_ret`."""
    if "prev_ret" not in known or not module_of_state(missing.name, source.text, source.roots):
        return ""
    return (
        f"{missing.name} is a state; if it calls this block or SLS, write {of_return(missing.keys)}: "
        "a template reads only what the calling state returned"
    )


def _of_state(missing: NameRead, span: Span, source: TemplateSource) -> str:
    """Return the remedy for what is the ID of a state, or a name that a state registers its result with."""
    if not span.path.endswith(".sls"):
        return ""
    id_, keys = missing.name, missing.keys
    module = module_of_state(id_, source.text, source.roots)
    if not module and keys and module_of_state(keys[0], source.text, source.roots) == id_:
        module, id_, keys = id_, keys[0], keys[1:]
    if not module:
        id_ = registering(missing.name, source.text)
        module = module_of_state(id_, source.text, source.roots) if id_ else ""
    if not module:
        return ""
    line = source.line(span.line)
    if missing.tag or is_of_return(keys) or _CONDITION.match(line):
        return decided_by(id_, module, keys, missing.tag or "if")
    keys = properties(keys[1:] if keys[:1] == ("new_state",) else keys)
    written = ":".join((module, id_, *keys))
    what = "its value is known when it has run" if keys else "name what is read of it"
    calculated = "" if _is_plain(missing.name, line) else f"; to calculate with it, write {BLOCK}"
    return f"{id_} is a state; write ${{{written}}}: {what}{calculated}"


def _is_plain(name: str, line: str) -> bool:
    """Return whether a line prints no more of a name than its value or keys, `{{ name.stdout }}`."""
    return all(_PLAIN.fullmatch(printed) for printed in _PRINTED.findall(line) if name in printed)


def _of_result(missing: NameRead, path: str, known: set[str]) -> str:
    """Return the remedy for what must be the result of a state, by its name or by what is read of it."""
    if not path.endswith(".sls") or not is_previous(missing.name, missing.keys):
        return ""
    return of_previous(missing.name, missing.keys, missing.tag, is_late="prev_ret" in known)
