"""`#!delayed_sls [scoped] [delayed_repeat_limit=N]`: the options of an SLS for its delayed rendering.

The tag is at the top of a file, among comments (Jinja's too), blank lines and the line that names renderers.
In a file that no `delayed_render` names, it is a comment.

Source: SEP 16, "Multiple delayed_renders".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Span
from ensue.language.blocks.tags import LIMIT_WORD, SCOPED_WORD, TagOptions, read_options

if TYPE_CHECKING:
    from collections.abc import Iterator

SLS_MARK: Final = "#!delayed_sls"
_FORM: Final = f"{SLS_MARK} [{SCOPED_WORD}] [{LIMIT_WORD}=N]"


def read_sls_tag(text: str, path: str, faults: list[Diagnostic]) -> tuple[TagOptions, Span]:
    """Read the tag at the top of a file.

    Args:
        text: the file's text.
        path: the file, as messages show it.
        faults: the errors are added here.

    Returns:
        Its options and its place; without a tag, the default options and the file.
    """
    options, place = TagOptions(), Span(path)
    if SLS_MARK not in text:
        return options, place
    for number, line in _head(text):
        words = line.split()
        if words[:1] != [SLS_MARK]:
            continue
        span = Span(path, number, line.index("#") + 1)
        if place.line:
            faults.append(
                Diagnostic(
                    code="E0902",
                    summary=f"a second {SLS_MARK} in one file",
                    span=span,
                    detail=f"the first is at {place}",
                    help="put everything on one line",
                )
            )
            continue
        options, place = read_options(words[1:], span, faults, form=_FORM), span
    return options, place


def pipe_line(text: str) -> str:
    """Return the line of a file that may name its renderers: the first, or one after `#!delayed_sls`."""
    first = text[: text.find("\n")] if "\n" in text else text
    if first.split()[:1] != [SLS_MARK]:
        return first
    behind = (line for number, line in _head(text) if number > 1 and line.startswith("#!"))
    return next(behind, first)


def _head(text: str) -> Iterator[tuple[int, str]]:
    """Yield the comment lines before anything else, with their numbers."""
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)].strip()
        if line.startswith("{#"):
            end = _end_of_comment(text, start)
            line = ""
        if line and not line.startswith("#"):
            return
        if line:
            yield number, text[start : end if end >= 0 else len(text)]
        if end < 0:
            return
        number += text.count("\n", start, end + 1)
        start = end + 1


def _end_of_comment(text: str, start: int) -> int:
    """Return the position of the line end after a Jinja comment; -1 if anything else follows, or nothing."""
    close = text.find("#}", start)
    end = text.find("\n", close) if close >= 0 else -1
    return end if not text[close + 2 : end].strip() else -1
