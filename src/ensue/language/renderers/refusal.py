"""Refuses printed values that would change the meaning of an SLS, with the place in the template.

Values that authors wrote have no guards and are never judged, see `authored_text`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.diagnostics import Diagnostic
from ensue.errors import CompileError
from ensue.language.marks import AUTHORED, without_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ensue.diagnostics import Span
    from ensue.language.renderers.stage import Stream
    from ensue.model.printed_text import Extent

    Judge = Callable[[str, Sequence[Extent]], Iterator[Extent]]

_LONGEST_EXCERPT_CHARS: Final = 60
_REFERENCE_BEFORE: Final = re.compile(rf"\$\\?{AUTHORED}\\?\{{[^{{}}\n]*\Z")
_SLOT_BEFORE: Final = re.compile(rf"__slot__{AUTHORED}:[^\n]*\Z")
_NOT_IN_REFERENCE: Final = frozenset(':[]{}"$\n')
_NOT_IN_SLOT: Final = frozenset("\"'()[]{},=~\\\n")


def refuse_values(stream: Stream, text: str, extents: Sequence[Extent], judge: Judge) -> None:
    """Refuse values that extend beyond a scalar, or that change the parts of a reference or slot.

    Args:
        stream: the rendering, with its text unmarked.
        text: the same text with the marks of authors.
        extents: the positions of printed values in `text`.
        judge: yields the extents that extend beyond a scalar.

    Raises:
        CompileError: some values are refused; with all of them.
    """
    found = [_beyond(stream, text, extent) for extent in judge(text, extents)]
    found += [
        _within(stream, text, extent, what) for extent in extents if (what := _changed_sign(text, extent))
    ]
    if found:
        raise CompileError(found)


def _changed_sign(text: str, extent: Extent) -> str:
    """Return the author's sign that a printed value changes; empty if it changes none."""
    line = text.rfind("\n", 0, extent.start) + 1
    if AUTHORED not in text[line : extent.start]:
        return ""
    before, value = text[line : extent.start], text[extent.start : extent.end]
    if _REFERENCE_BEFORE.search(before) and _NOT_IN_REFERENCE.intersection(value):
        return "reference"
    if _SLOT_BEFORE.search(before) and _NOT_IN_SLOT.intersection(value):
        return "slot"
    return ""


def _beyond(stream: Stream, text: str, extent: Extent) -> Diagnostic:
    return Diagnostic(
        code="E0220",
        summary="a printed value would change what the file says",
        detail=f"{_excerpt(text, extent)} is more than one plain scalar where it is printed",
        span=_place(stream, text, extent),
        help="write `{{ … | tojson }}`, without quotes around it: then the value is data, whatever is in it",
    )


def _within(stream: Stream, text: str, extent: Extent, what: str) -> Diagnostic:
    return Diagnostic(
        code="E0220",
        summary=f"a printed value would change what a {what} means",
        detail=f"{_excerpt(text, extent)} is printed into a {what}; only a plain word is allowed there",
        span=_place(stream, text, extent),
        help=f"write the {what} out, and choose between several with `{{% if %}}`",
    )


def _excerpt(text: str, extent: Extent) -> str:
    value = without_marks(text[extent.start : extent.end])
    cut = value if len(value) <= _LONGEST_EXCERPT_CHARS else f"{value[:_LONGEST_EXCERPT_CHARS]}…"
    return repr(cut)


def _place(stream: Stream, text: str, extent: Extent) -> Span:
    return stream.document().source_span(text.count("\n", 0, extent.start) + 1)
