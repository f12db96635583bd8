"""Refuses printed values that would change the meaning of an SLS, with the place in the template.

Values that authors wrote have no guards and are never judged, see `authored_text`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import MOST_LEVELS
from ensue.core.model.yaml_containment import with_words
from ensue.engine.binding.slots import PREFIX
from ensue.language.marks import AUTHORED, without_marks
from ensue.language.references.grammar import counts_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.core.model.printed_text import Extent
    from ensue.language.renderers.stage import Stream

    Judge = Callable[[str, Sequence[Extent]], Iterator[Extent]]

_LONGEST_EXCERPT_CHARS: Final = 60
_REFERENCE_BEFORE: Final = re.compile(rf"\$\\?{AUTHORED}\\?\{{[^{{}}\n]*\Z")
_SLOT_BEFORE: Final = re.compile(rf"__slot__{AUTHORED}:[^\n]*\Z")
_NOT_IN_REFERENCE: Final = frozenset(':[]{}"$\n')
_NOT_IN_SLOT: Final = frozenset("\"'()[]{},=~\\\n")


def refuse_values(stream: Stream, text: str, extents: Sequence[Extent], judge: Judge | None) -> None:
    """Refuse values that extend beyond a scalar, or that change the parts of a reference or slot.

    Args:
        stream: the rendering, with its text unmarked.
        text: the same text with the marks of authors.
        extents: the positions of printed values in `text`.
        judge: yields the extents that extend beyond a scalar; None: the format is not known.

    Raises:
        CompileError: some values are refused; with all of them.
    """
    if judge is None:
        raise CompileError([_unjudged(stream, text, extent) for extent in extents])
    diagnostics = [_beyond(stream, text, extent) for extent in judge(text, extents)]
    diagnostics += [
        _within(stream, text, extent, what) for extent in extents if (what := _changed_sign(text, extent))
    ]
    if diagnostics:
        raise CompileError(diagnostics)


def refuse_keys_of_run(
    stream: Stream, text: str, extents: Sequence[Extent], load: Callable[[str], Any]
) -> None:
    """Refuse data with keys from the run where an SLS has IDs, functions or names of arguments.

    Args:
        stream: the rendering of an SLS, with its text unmarked.
        text: the same text with the marks of authors.
        extents: the positions of printed values in `text`.
        load: parses YAML; raises a `ValueError` for text that it does not parse.

    Raises:
        CompileError: some values are refused; with all of them.
    """
    of_run = [extent for extent in extents if extent.levels < MOST_LEVELS]
    if not of_run:
        return
    replaced = with_words(text, of_run)
    refused = of_run
    if replaced is not None:
        worded, values = replaced
        levels = {word: extent.levels for word, extent in zip(values, of_run, strict=True)}
        with suppress(ValueError):
            misplaced = {*_misplaced(load(worded), MOST_LEVELS, levels)}
            refused = [extent for word, extent in zip(values, of_run, strict=True) if word in misplaced]
    if refused:
        raise CompileError([_of_run(stream, text, extent) for extent in refused])


def _misplaced(data: Any, needed: int, levels: Mapping[str, int]) -> Iterator[str]:
    """Yield the words in data of an SLS that are in place of data with too few levels of an author's keys."""
    if isinstance(data, str):
        if levels.get(data, needed) < needed:
            yield data
    elif is_list(data):
        for item in data:
            yield from _misplaced(item, needed, levels)
    elif is_mapping(data) and needed:
        for key, item in data.items():
            # The declarations that `extend` changes are one level deeper.
            is_extension = key == "extend" and needed == MOST_LEVELS
            yield from _misplaced(item, needed if is_extension else needed - 1, levels)


def _changed_sign(text: str, extent: Extent) -> str:
    """Return the author's sign that a printed value changes; empty if it changes none."""
    line = text.rfind("\n", 0, extent.start) + 1
    before, value = text[line : extent.start], text[extent.start : extent.end]
    if AUTHORED in value and not extent.is_serialized:
        # Another text was mixed into it, in a way that does not tell where.
        return "slot" if f"{PREFIX[:-1]}{AUTHORED}" in value else "reference"
    if AUTHORED not in before:
        return ""
    if reference := _REFERENCE_BEFORE.search(before):
        behind = text[extent.end :].partition("\n")[0]
        if _NOT_IN_REFERENCE.intersection(value) or _is_undone(reference[0], value, behind):
            return "reference"
    if _SLOT_BEFORE.search(before) and _NOT_IN_SLOT.intersection(value):
        return "slot"
    return ""


def _is_undone(before: str, value: str, behind: str) -> bool:
    """Return whether a text is a reference with a word in it, and none with a value."""
    with_word, with_value = (without_marks(before + word + behind) for word in ("w", value))
    return counts_at(with_word, 0) and not counts_at(with_value, 0)


def _unjudged(stream: Stream, text: str, extent: Extent) -> Diagnostic:
    return Diagnostic(
        code="E0220",
        summary="a printed value could change what the file says",
        detail=f"{_excerpt(text, extent)} is printed into text that a renderer of the project reads, and "
        "only a plain word is allowed there",
        span=_place(stream, text, extent),
        help="read the value in the renderer, or print it with `| authored` if its content is yours",
    )


def _beyond(stream: Stream, text: str, extent: Extent) -> Diagnostic:
    return Diagnostic(
        code="E0220",
        summary="a printed value would change what the file says",
        detail=f"{_excerpt(text, extent)} is more than one plain scalar where it is printed",
        span=_place(stream, text, extent),
        help="write `{{ … | tojson }}`, without quotes around it: then the value is data, whatever is in it",
    )


def _of_run(stream: Stream, text: str, extent: Extent) -> Diagnostic:
    return Diagnostic(
        code="E0220",
        summary="a printed value would change what the file says",
        detail=f"{_excerpt(text, extent)} has keys from the run where an SLS has IDs, functions or the names "
        "of arguments",
        span=_place(stream, text, extent),
        help="write the keys yourself: `- name: {{ value.name | tojson }}`",
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
