"""The two readers as one: fast where the text allows, complete otherwise, faults as Diagnostics."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from ensue.diagnostics import Diagnostic
from ensue.errors import CompileError
from ensue.language.yaml import fast
from ensue.language.yaml.document import YamlDocument

if TYPE_CHECKING:
    from collections.abc import Generator

    from yaml.error import MarkedYAMLError

    from ensue.language.yaml import full


def load_text(text: str, path: str = "<text>") -> Any:
    """Return the data of YAML text that stands in no file of its own.

    Raises:
        CompileError: it is not YAML.
    """
    return load_document(YamlDocument(path, text))


def load_document(document: YamlDocument) -> Any:
    """Return a document's data.

    Raises:
        CompileError: it is not YAML, or a mapping has one key twice; with the place.
    """
    try:
        return fast.load(document.text)
    except fast.GiveUp:
        pass
    from ensue.language.yaml import full

    with faults_of(document):
        return full.load(document.text)


@contextmanager
def faults_of(document: YamlDocument) -> Generator[None]:
    """Make Diagnostics of what a complete reader raises.

    Args:
        document: what is read; a fault is placed in it.
    """
    import yaml

    from ensue.language.yaml import full

    try:
        yield
    except full.DuplicateKeyError as error:
        _refuse_duplicate(document, error)
    except yaml.MarkedYAMLError as error:
        _refuse(document, error)
    except yaml.YAMLError as error:
        # The reader found a character that YAML does not allow; it knows its position only.
        position = int(getattr(error, "position", 0) or 0)
        line = document.text.count("\n", 0, position) + 1
        raise CompileError(
            [
                Diagnostic(
                    code="E0201",
                    summary="this is not YAML",
                    detail=str(getattr(error, "reason", error)),
                    span=document.source_span(line),
                    help="remove the character, or write it as an escape in a double-quoted text",
                )
            ]
        ) from None
    except (ValueError, RecursionError) as error:
        raise CompileError(
            [
                Diagnostic(
                    code="E0201", summary="this is not YAML", detail=str(error), span=document.source_span(1)
                )
            ]
        ) from None


def _refuse_duplicate(document: YamlDocument, error: full.DuplicateKeyError) -> NoReturn:
    first = document.source_span(error.first[0] + 1, error.first[1] + 1)
    raise CompileError(
        [
            Diagnostic(
                code="E0202",
                summary=f"the key {error.key!r} is there twice",
                detail=f"it stands first at {first}",
                span=document.source_span(error.second[0] + 1, error.second[1] + 1),
                help="give one of them another name, or put both under one key",
                related=((first, "first here"),),
            )
        ]
    ) from None


def _refuse(document: YamlDocument, error: MarkedYAMLError) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    problem = error.problem or str(error)
    lines = document.text.split("\n")
    # The end of a text without a last line end is a line further down.
    if mark and mark.line < len(lines) and lines[mark.line][mark.column : mark.column + 1] == "\t":
        problem = "found a tab"
    context = f" {error.context}" if error.context else ""
    raise CompileError(
        [
            Diagnostic(
                code="E0201",
                summary="this is not YAML",
                detail=f"{problem}{context}",
                span=document.source_span(mark.line + 1, mark.column + 1)
                if mark
                else document.source_span(1),
                help=_remedy(problem),
            )
        ]
    ) from None


def _remedy(problem: str) -> str:
    if "tab" in problem:
        return "indent with spaces, never with tabs"
    if "mapping values are not allowed" in problem:
        return "put a text that holds ': ' in quotes, or mend the indentation"
    if (
        "could not find expected ':'" in problem
        or "block end" in problem
        or "did not find expected" in problem
    ):
        return "check the indentation of this line and the one before it"
    if "alias" in problem:
        return "define the anchor (&name) before it is used, or put the text in quotes"
    return "put a text that begins with a special character in quotes"
