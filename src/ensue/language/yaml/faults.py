"""Turns the exceptions of a YAML reader into Diagnostics with the line of the error.

The reader reports where it could not continue. For an unclosed quote or bracket this is far below, often at
the end of the text; the Diagnostic names the line where it was opened.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn

import yaml

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError
from ensue.core.model.data_bounds import DataBoundError, TooDeepError
from ensue.language.ansible_words import INSTEAD_OF_VAULT
from ensue.language.yaml import full

if TYPE_CHECKING:
    from collections.abc import Generator

    from yaml.error import MarkedYAMLError

    from ensue.core.diagnostics import Span
    from ensue.language.yaml.document import YamlDocument

_BEGUN: Final = {
    "while scanning a quoted scalar": "end the text with the quote that it begins with",
    "while parsing a flow sequence": "close the list with ], and put a comma between its entries",
    "while parsing a flow mapping": "close the mapping with }, and put a comma between its entries",
    "while scanning a simple key": "put a colon after the key, or correct the indentation of this line",
}
"""What was begun on the line of the error, in the reader's words, and the remedy."""

_REMEDIES: Final = (
    (("the tag '!vault'",), INSTEAD_OF_VAULT),
    (("the tag '!",), "put a text that begins with ! in quotes; a tag such as !name has no meaning here"),
    (
        (" is not an integer", " is not a number", " is not a boolean", " digits"),
        "put it in quotes if it is a text",
    ),
    (("tab",), "indent with spaces, never with tabs"),
    (
        ("mapping values are not allowed",),
        "put a text that contains ': ' in quotes, or correct the indentation",
    ),
    (("scanning an alias", "scanning an anchor"), "put a text that begins with * or & in quotes: '*'"),
    (("block end", "did not find expected"), "check the indentation of this line and the one before it"),
    (("alias",), "define the anchor (&name) before it is used, or put the text in quotes"),
)
"""The remedy of a problem, by words of the reader's message; the first that fits."""

_QUOTES: Final = ("'", '"')
_INI: Final = re.compile(r"(?:\s*[#;].*\n|\s*\n)*\[[\w:. -]+\]\s*\n\s*[^\s\[-]")
"""The heading of a section, and something below it."""
_QUOTED: Final = r""""[^"]*"|'[^']*'"""
_QUOTED_JSON: Final = re.compile(r"""[:-]\s+"(?:"|[\[{]")\S""")
"""A quote that the first one of JSON closes: `t: "["a"`."""


@contextmanager
def faults_of(document: YamlDocument) -> Generator[None]:
    """Turn the exceptions of the complete reader into Diagnostics.

    Args:
        document: the document that is read, for the place of an error.
    """
    try:
        yield
    except full.DuplicateKeyError as error:
        _refuse_duplicate(document, error)
    except yaml.MarkedYAMLError as error:
        _refuse(document, error)
    except yaml.YAMLError as error:
        # The reader found a character that YAML does not allow; it knows only its position in UTF-8.
        position = int(getattr(error, "position", 0) or 0)
        line = document.text.encode().count(b"\n", 0, position) + 1
        help_ = "remove the character, or write it as an escape in a double-quoted text"
        raise _fault(str(getattr(error, "reason", error)), document.source_span(line), help_) from None
    except UnicodeEncodeError as error:
        line = document.text.count("\n", 0, error.start) + 1
        detail = "half of a surrogate pair is not a character"
        raise _fault(detail, document.source_span(line), "remove it, or write the whole pair") from None
    except (RecursionError, DataBoundError) as error:
        from ensue.language.data_faults import bound_fault

        # `yamlex` merges values as it reads them, which nests more calls.
        fault = error if isinstance(error, DataBoundError) else TooDeepError()
        span = document.source_span(1) if fault.node is None else _span(document, fault.node.start_mark)
        raise bound_fault(fault, span) from None


def _fault(detail: str, span: Span, help_: str = "", *related: tuple[Span, str]) -> CompileError:
    summary = "this is not YAML"
    return CompileError(
        [Diagnostic(code="E0201", summary=summary, detail=detail, span=span, help=help_, related=related)]
    )


def _refuse_duplicate(document: YamlDocument, error: full.DuplicateKeyError) -> NoReturn:
    first, second = document.span_at(error.first), document.span_at(error.second)
    between = document.text[error.first : error.second]
    is_of_loop = (first.path, first.line) == (second.path, second.line) and "\n" in between
    raise CompileError(
        [
            Diagnostic(
                code="E0202",
                summary=f"the key {error.key!r} appears twice",
                detail=f"it is first at {first}",
                span=second,
                help="a loop of the template makes them: the key must contain the variable of the loop, as "
                "in `install {{ item }}:`, and the list no value twice (`| unique`)"
                if is_of_loop
                else "give one of them another name, or put both under one key",
                related=((first, "first here"),),
            )
        ]
    ) from None


def _refuse(document: YamlDocument, error: MarkedYAMLError) -> NoReturn:
    from ensue.language.hcl_words import broken_by_hcl

    mark = error.problem_mark or error.context_mark
    if mark is None:
        raise _fault(error.problem or str(error), document.source_span(1)) from None
    problem = error.problem or str(error)
    if document.text[mark.index : mark.index + 1] == "\t":
        problem = "found a tab"
    detail = f"{problem} {error.context}" if error.context else problem
    noticed = _span(document, mark)
    if _is_unquoted_placeholder(document.text, mark):
        raise _fault(
            detail, noticed, "put the text with ${…} in quotes: YAML reads {, } and : in it"
        ) from None
    begun, help_ = _begun(document, error, mark)
    if of_hcl := broken_by_hcl(document.text[: mark.index]):
        raise _fault(detail, noticed, of_hcl) from None
    if begun is None:
        raise _fault(detail, noticed, _of_other_form(document.text, mark) or _remedy(detail)) from None
    raise _fault(detail, _span(document, begun), help_, (noticed, "noticed here")) from None


def _span(document: YamlDocument, mark: Any) -> Span:
    return document.span_at(mark.index)


def _begun(document: YamlDocument, error: MarkedYAMLError, noticed: Any) -> tuple[Any, str]:
    """Return where something began that went wrong on a later line, and the remedy; or None."""
    begun = error.context_mark
    if begun is not None and begun.line < noticed.line and error.context in _BEGUN:
        return begun, _BEGUN[error.context]
    begun = _quote_until(document.text, noticed)
    if begun is None:
        return None, ""
    last = _span(document, noticed).line
    return begun, f"the quote of this line is closed by the first one of line {last}: close it here"


def _quote_until(text: str, noticed: Any) -> Any:
    """Return where a quoted text begins that extends to the line on which an error was noticed."""
    begun = None
    try:
        for token in yaml.scan(text, Loader=yaml.CSafeLoader):
            if token.start_mark.index >= noticed.index:
                break
            if isinstance(token, yaml.ScalarToken) and token.style in _QUOTES:
                ends_here = token.start_mark.line < token.end_mark.line == noticed.line
                begun = token.start_mark if ends_here else None
    except yaml.YAMLError:
        # The scanner stops at the error, too.
        pass
    return begun


def _is_unquoted_placeholder(text: str, mark: Any) -> bool:
    """Return whether the line of an error has a `${` before it that is not in quotes."""
    start = text.rfind("\n", 0, mark.index) + 1
    return "${" in re.sub(_QUOTED, "", text[start : mark.index + 1])


def _of_other_form(text: str, mark: Any) -> str:
    """Return the remedy for INI, or for JSON within quotes; empty for other texts."""
    if _INI.match(text):
        return (
            "this looks like INI: a file of the project is YAML, `key: value`; the hosts of an inventory are "
            "`resources: {ssh_host: {hosts: {ID: {host: ADDRESS}}}}` in pillar"
        )
    return _of_quoted_json(text, mark)


def _of_quoted_json(text: str, mark: Any) -> str:
    """Return the remedy for JSON that a template prints between quotes; empty if a line has none."""
    start = text.rfind("\n", 0, mark.index) + 1
    line = text[start : mark.index + 1]
    return "leave out the quotes around what a template prints as JSON" if _QUOTED_JSON.search(line) else ""


def _remedy(problem: str) -> str:
    remedies = (remedy for words, remedy in _REMEDIES if any(word in problem for word in words))
    return next(remedies, "put a text that begins with a special character in quotes")
