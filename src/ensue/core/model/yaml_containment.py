"""Checks whether each value that a template printed stays within one scalar of the YAML text.

A value may be a plain scalar or part of one, or be inside a quoted scalar, a block (`|`, `>`) or a comment.
It must not end the scalar or begin another one: a value with `: `, ` #`, a line break or a quote could
otherwise change the meaning of the SLS. Text of a serializer may also be one whole value.

The parsed text decides: it is compared with the same text in which words are printed instead of the values.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ensue.core.model.printed_text import Extent

_MILD: Final = re.compile(
    r"[\w./(](?:[\w./@+%^()~=,:;!?&*<>|-]*[\w./@+%^()~=,;!?&*<>|-])?"
    r"(?: [\w./@+%^()~=,:;!?&*<>|-]*[\w./@+%^()~=,;!?&*<>|-])*"
)
"""Characters without meaning in block mappings, quotes and blocks of text; in brackets a comma has one."""
_QUOTES: Final = ("'", '"')
_WORD: Final = "ensue0value"
_WORDS: Final = re.compile(rf"{_WORD}[0-9]+x")
_OPENS_BRACKETS: Final = re.compile(r"[\[{]")
_MERGE: Final = "<<"
_BLANKS: Final = " \t"
_LINE_BREAKS: Final = "\n\r\x85\u2028\u2029"
_REFUSED_WITHIN: Final = {"'": f"'{_LINE_BREAKS}", '"': f'"\\{_LINE_BREAKS}', "": _LINE_BREAKS}
"""What a value must not contain in a scalar of each style; the style of a plain one is empty."""
_WHOLE_ESCAPES: Final = re.compile(r'\\[nrt"\\/]')
"""Complete escapes of a double-quoted scalar; they do not affect the text after them."""


def beyond_scalars(
    text: str,
    extents: Sequence[Extent],
    load: Callable[[str], Any],
) -> Iterator[Extent]:
    """Yield the extents of the values that reach beyond one scalar.

    Args:
        text: YAML text; after a syntax error, nothing is checked.
        extents: where values were printed, in order.
        load: parses YAML; raises a `ValueError` for text that it does not parse.
    """
    doubtful = _doubtful(text, extents)
    if not doubtful or _reads_back(text, doubtful, load):
        return
    scalars, end = _scalars(text)
    whole = _WholeTexts(text, doubtful, load)
    starts = [scalar.start_mark.index for scalar in scalars]
    for extent in doubtful:
        start, stop = _without_margins(text, extent)
        if start > end:
            return
        place = bisect_right(starts, start) - 1
        scalar = scalars[place] if place >= 0 else None
        if extent.is_serialized and (_is_quoted_whole(extent, scalar) or extent in whole):
            continue
        if scalar is not None and stop <= scalar.end_mark.index:
            if not _fits(text, start, stop, scalar):
                yield extent
        elif not _is_in_comment(text, start, stop, scalars[: place + 1]):
            yield extent


def within_scalars(text: str, extents: Iterable[Extent]) -> Iterator[Extent]:
    """Yield the extents that are in one scalar and are not all of a quoted one.

    Args:
        text: YAML text that can be parsed.
        extents: where values were printed.
    """
    scalars, _ = _scalars(text)
    starts = [scalar.start_mark.index for scalar in scalars]
    for extent in extents:
        start, stop = _without_margins(text, extent)
        place = bisect_right(starts, start) - 1
        scalar = scalars[place] if place >= 0 else None
        if scalar is not None and stop <= scalar.end_mark.index and not _is_quoted_whole(extent, scalar):
            yield extent


class _WholeTexts:
    """The texts of serializers that are one whole value each; found when the first is asked for."""

    def __init__(self, text: str, extents: Sequence[Extent], load: Callable[[str], Any]) -> None:
        self._text = text
        self._extents = [extent for extent in extents if extent.is_serialized]
        self._load = load
        self._found: set[Extent] | None = None

    def __contains__(self, extent: Extent) -> bool:
        if self._found is None:
            self._found = set(self._extents)
            if not _reads_back(self._text, self._extents, self._load):
                self._found = {
                    extent for extent in self._extents if _reads_back(self._text, [extent], self._load)
                }
        return extent in self._found


def with_words(text: str, extents: Sequence[Extent]) -> tuple[str, dict[str, str]] | None:
    """Return a text with a word instead of each printed value, and the values by their words.

    None if values overlap, or if the text has such words already.
    """
    if _WORD in text:
        return None
    values: dict[str, str] = {}
    pieces: list[str] = []
    position = 0
    for number, extent in enumerate(extents):
        if extent.start < position:
            return None
        word = f"{_WORD}{number}x"
        values[word] = text[extent.start : extent.end]
        pieces += (text[position : extent.start], word)
        position = extent.end
    return "".join([*pieces, text[position:]]), values


def _doubtful(text: str, extents: Sequence[Extent]) -> list[Extent]:
    """Return the extents that cannot be judged by their characters alone."""
    wild = [
        extent
        for extent in extents
        if extent.is_serialized or not _MILD.fullmatch(text, extent.start, extent.end)
    ]
    if len(wild) == len(extents) or not _has_brackets(text, extents):
        return wild
    return list(extents)


def _has_brackets(text: str, extents: Sequence[Extent]) -> bool:
    position = 0
    for extent in extents:
        if _OPENS_BRACKETS.search(text, position, extent.start):
            return True
        position = max(position, extent.end)
    return _OPENS_BRACKETS.search(text, position) is not None


def _reads_back(text: str, extents: Sequence[Extent], load: Callable[[str], Any]) -> bool:
    """Return whether the parsed text has each value, apart from blanks, where a placeholder word would be.

    This accepts nearly every value with punctuation, without tokens.
    """
    replaced = with_words(text, extents)
    if replaced is None:
        return False
    worded, values = replaced
    serialized = {word for word, extent in zip(values, extents, strict=True) if extent.is_serialized}
    try:
        return _are_alike(load(worded), load(text), values, serialized)
    except ValueError:
        return False


def _are_alike(worded: Any, data: Any, values: Mapping[str, str], serialized: Collection[str]) -> bool:
    """Return whether data equals other data with values instead of placeholder words, except for blanks.

    Instead of a word for text of a serializer, there may be any value.
    """
    if isinstance(worded, str):
        return worded in serialized or (isinstance(data, str) and _is_filled(worded, data, values))
    if is_mapping(worded):
        return (
            is_mapping(data)
            and len(data) == len(worded)
            and all(
                _are_alike(key, other, values, serialized)
                and _are_alike(item, data[other], values, serialized)
                for (key, item), other in zip(worded.items(), data, strict=True)
            )
        )
    if is_list(worded):
        return (
            is_list(data)
            and len(data) == len(worded)
            and all(
                _are_alike(first, other, values, serialized)
                for first, other in zip(worded, data, strict=True)
            )
        )
    return bool(worded == data)


def _is_filled(worded: str, text: str, values: Mapping[str, str]) -> bool:
    if _WORD not in worded:
        return worded == text
    filled = _WORDS.sub(lambda match: values[match[0]], worded)
    # A line break that YAML folds is no longer part of the value.
    is_folded = any(filled.count(line_break) != text.count(line_break) for line_break in _LINE_BREAKS)
    return not is_folded and filled.split() == text.split()


def _scalars(text: str) -> tuple[list[Any], int]:
    """Return the tokens of all scalars, and the offset up to which the text could be parsed."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    scalars: list[Any] = []
    try:
        # Tokens that were read before an error are kept.
        scalars.extend(
            token for token in yaml.scan(text, Loader=loader) if isinstance(token, yaml.ScalarToken)
        )
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return scalars, mark.index if mark is not None else 0
    except (yaml.YAMLError, UnicodeEncodeError):
        return scalars, 0
    return scalars, len(text)


def _without_margins(text: str, extent: Extent) -> tuple[int, int]:
    """Return the extent of a value without blanks at its ends that adjoin other blanks or a line end."""
    start, stop = extent.start, extent.end
    if not start or text[start - 1] in " \t\n":
        while start < stop and text[start] in _BLANKS:
            start += 1
    if stop == len(text) or text[stop] == "\n":
        while stop > start and text[stop - 1] in _BLANKS:
            stop -= 1
    return start, stop


def _is_quoted_whole(extent: Extent, scalar: Any) -> bool:
    """Return whether a printed value is one whole scalar, with its quotes."""
    return (
        scalar is not None
        and scalar.style in _QUOTES
        and scalar.start_mark.index == extent.start
        and scalar.end_mark.index == extent.end
    )


def _fits(text: str, start: int, stop: int, scalar: Any) -> bool:
    style = scalar.style or ""
    first, last = scalar.start_mark.index, scalar.end_mark.index
    if style in "|>" and style:
        # Its first line has the indentation and chomping indicators; a value may begin with that line's end.
        return text.find("\n", first, start + 1) >= 0
    if style and (start == first or stop == last):
        return False
    value = text[start:stop]
    if style == '"':
        if _ends_in_a_lone_backslash(text, start):
            return False
        value = _WHOLE_ESCAPES.sub("", value)
    return not any(sign in value for sign in _REFUSED_WITHIN[style]) and (bool(style) or value != _MERGE)


def _ends_in_a_lone_backslash(text: str, stop: int) -> bool:
    start = stop
    while start and text[start - 1] == "\\":
        start -= 1
    return bool((stop - start) % 2)


def _is_in_comment(text: str, start: int, stop: int, scalars: Sequence[Any]) -> bool:
    if any(sign in text[start:stop] for sign in _REFUSED_WITHIN[""]):
        return False
    line = text.rfind("\n", 0, start) + 1
    scalar_end = scalars[-1].end_mark.index if scalars else 0
    return re.search(r"(?:^|\s)#", text[max(line, scalar_end) : start]) is not None


def is_whole_value(text: str, extent: Extent, load: Callable[[str], Any]) -> bool:
    """Return whether a printed value is exactly one value of the YAML text.

    Args:
        text: YAML text.
        extent: where the value was printed.
        load: parses YAML; raises a `ValueError` for text that it does not parse.
    """
    value = text[extent.start : extent.end]
    try:
        with_word = load(f"{text[: extent.start]}{_WORD}{text[extent.end :]}")
        return _WORD not in text and _is_put(with_word, load(text), load(value))
    except ValueError:
        return False


def _is_put(with_word: Any, data: Any, value: Any) -> bool:
    """Return whether data equals other data with a value instead of the placeholder word."""
    if with_word == _WORD:
        return bool(data == value)
    if is_mapping(with_word):
        is_alike = is_mapping(data) and list(with_word) == list(data)
        return is_alike and all(_is_put(item, data[key], value) for key, item in with_word.items())
    if is_list(with_word):
        is_alike = is_list(data) and len(with_word) == len(data)
        return is_alike and all(_is_put(*pair, value) for pair in zip(with_word, data, strict=True))
    return bool(with_word == data)
