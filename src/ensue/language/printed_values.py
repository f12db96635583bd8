"""Values that a template prints into YAML or JSON, and where they may go.

A value from a host, a command or a store is data: it may be one scalar or part of one, and never more. A
renderer puts guards around each printed text that is more than a plain word, number or path (`guarded`). The
reader of the rendered text removes them (`take_out_guards`) and refuses a text that reaches beyond the
scalar it is printed into (`model.yaml_containment`).

Text that an author wrote needs no guard (`authored_text`). Nor does text that is `Written`: the result of a
macro or a captured block, which has the guards of the values in it. Text of a serializer, such as `tojson`,
gets guards that say so: it may also be one whole value, with its quotes or brackets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Self, TypeGuard

from markupsafe import Markup

from ensue.core.model.printed_text import MOST_LEVELS, Extent, Written, is_plain
from ensue.language.authored_text import Authored, are_authored, authored_levels, is_authored, made_of
from ensue.language.marks import AUTHORED, BEGIN, BEGIN_OF_RUN, BEGIN_SERIALIZED, END, ITEM
from ensue.language.reference_text import ReferenceText, WrittenReferenceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SERIALIZED: Final = {BEGIN_SERIALIZED: MOST_LEVELS, **{mark: n for n, mark in enumerate(BEGIN_OF_RUN)}}
"""The marks before what a serializer wrote, and how many of its levels have only keys of an author."""
_GUARDS: Final = re.compile("|".join((BEGIN, END, *_SERIALIZED)))
_GUARD: Final = re.compile(f"{_GUARDS.pattern}|{ITEM}")
_QUOTED_PLAIN: Final = re.compile(r"""(["'])[\w./][\w./@+%^-]*(?: [\w./@+%^-]+)*\1""")
_BLANKS: Final = " \t"


class SerializedText(Written):
    """Text of a serializer: changing its characters may remove its quotes.

    Args:
        text: the text.
        levels: see `Extent`.
    """

    __slots__ = ("levels",)
    levels: int

    def __new__(cls, text: str, levels: int) -> Self:
        """Return the text with its levels."""
        made = str.__new__(cls, text)
        made.levels = levels
        return made


class SerializedMarkup(Markup):
    """Text of a serializer; as in Salt, text that is joined to it is escaped for HTML.

    Made by `serialized`. The result of joining or cutting it is ordinary text.
    """

    __slots__ = ("levels",)
    levels: int

    def __new__(cls, *args: Any, **kwargs: Any) -> Markup:  # type: ignore[misc] # as the docstring says
        """Return ordinary text: the methods of `Markup` call this for their results."""
        return Markup(*args, **kwargs)  # noqa: S704 (they have made it safe)

    def __repr__(self) -> str:
        """Return the text that Salt prints."""
        return f"Markup({str.__repr__(self)})"


class SerializedAuthored(SerializedMarkup):
    """Text of a serializer, from data of which an author wrote everything."""

    __slots__ = ()


def serialized(text: str, *, is_authored: bool = False, levels: int = MOST_LEVELS) -> Markup:
    """Return text marked as written by a serializer.

    Args:
        text: the text.
        is_authored: whether an author wrote all of the data.
        levels: see `Extent`.
    """
    marked = str.__new__(SerializedAuthored if is_authored else SerializedMarkup, text)
    marked.levels = levels
    return marked


def serialized_data(text: str, data: Any) -> Markup:
    """Return the text that a serializer wrote for some data, marked as such."""
    return serialized(text, is_authored=is_authored(data), levels=authored_levels(data))


def is_serialized(value: Any) -> TypeGuard[SerializedMarkup | SerializedText]:
    """Return whether a text is that of a serializer, from data that an author did not write entirely."""
    return value.__class__ is SerializedMarkup or value.__class__ is SerializedText


def is_written(value: Any) -> bool:
    """Return whether a text may be printed anywhere: the values in it have guards, if it has any."""
    return isinstance(value, (Written, SerializedAuthored)) and value.__class__ is not SerializedText


def guarded(text: str) -> str:
    """Return a text as it is printed, with guards if it needs them."""
    if not text or is_written(text) or is_plain(text):
        return text
    if is_serialized(text):
        return guarded_data(text, text.levels)
    return f"{BEGIN}{_GUARDS.sub('', text)}{END}"


def guarded_data(text: str, levels: int) -> str:
    """Return the text of a serializer as it is printed, with guards if it needs them.

    Args:
        text: the text.
        levels: see `Extent`.
    """
    if _QUOTED_PLAIN.fullmatch(text):
        return text
    # A value within a reference or slot of the author is judged by its own guards.
    whole = text if AUTHORED in text else _GUARDS.sub("", text)
    return f"{BEGIN_SERIALIZED if levels == MOST_LEVELS else BEGIN_OF_RUN[levels]}{whole}{END}"


def joined(pieces: Iterable[Any], separator: Any = "") -> str:
    """Return pieces as one text: authored if all are, written if all may be printed anywhere.

    If a piece has a reference or slot that its author began, other pieces get their own guards, so that what
    is printed into it can be judged.

    Args:
        pieces: texts and other values.
        separator: the text between them.
    """
    items: list[Any] = list(pieces)
    texts = [item if isinstance(item, str) else str(item) for item in items]
    parts, between = [*items, separator] if separator else items, str(separator)
    if are_authored(parts):
        return made_of(str.join(between, texts), parts)
    if all(is_written(part) or is_serialized(part) or are_authored((part,)) for part in parts) or any(
        AUTHORED in text for text in texts
    ):
        kind = WrittenReferenceText if any(isinstance(part, ReferenceText) for part in parts) else Written
        return kind(str.join(guarded(separator) if separator else "", map(guarded, texts)))
    return str.join(between, texts)


def take_out_guards(text: str) -> tuple[str, list[Extent]]:
    """Return a rendered text without guards, and the extents of the values that had them, in order.

    A guard without its counterpart comes from a text that was split after it had been printed; its pieces
    are printed again, with their own guards. The dash of a list item in a constant of the template is not
    part of the value after it.
    """
    if not _GUARD.search(text):
        return text, []
    pieces: list[str] = []
    extents: list[Extent] = []
    opened: list[tuple[int, int | None]] = []
    position = length = 0
    before = ""
    for match in _GUARD.finditer(text):
        piece = text[position : match.start()]
        pieces.append(piece)
        length += len(piece)
        position = match.end()
        if match[0] == BEGIN or match[0] in _SERIALIZED:
            opened.append((length, _SERIALIZED.get(match[0])))
        elif match[0] == END:
            if opened:
                start, levels = opened.pop()
                is_of_serializer = levels is not None
                extents.append(
                    Extent(start, length, is_of_serializer, MOST_LEVELS if levels is None else levels)
                )
        elif before == ITEM and opened:
            opened[-1] = (length, None)
        is_item = match[0] == ITEM and before == BEGIN and not piece.strip(_BLANKS)
        before = BEGIN if match[0] == BEGIN else ITEM if is_item else ""
    pieces.append(text[position:])
    extents.sort(key=lambda extent: extent.start)
    return "".join(pieces), extents


def keeps_written(
    function: Callable[..., Any], is_layout: Callable[[tuple[Any, ...], dict[str, Any]], bool]
) -> Callable[..., Any]:
    """Make a filter on text return written text for written text, if its options are authored, too.

    Args:
        function: the filter.
        is_layout: returns whether a call changes only blanks; other calls turn a serializer's text into
            ordinary text.
    """
    from functools import wraps

    from jinja2 import Environment
    from jinja2.nodes import EvalContext
    from jinja2.runtime import Context

    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        returned = function(*args, **kwargs)
        if not isinstance(returned, str):
            return returned
        # Jinja passes its environment or context to some filters before the text.
        place = 1 if isinstance(args[0], (Environment, EvalContext, Context)) else 0
        given = args[place:]
        if not are_authored((*given[1:], *kwargs.values())):
            return str(returned)
        return _of_kind(given[0], returned, is_layout=is_layout(given, kwargs))

    return filtered


def _of_kind(given: Any, returned: str, *, is_layout: bool) -> str:
    """Return the result of a filter as text of the same kind as the text that it was given."""
    if isinstance(given, Authored):
        return Authored(returned)
    if isinstance(given, SerializedMarkup) and is_layout:
        return serialized(returned, is_authored=isinstance(given, SerializedAuthored), levels=given.levels)
    if isinstance(given, SerializedText) and is_layout:
        return SerializedText(returned, given.levels)
    # A pattern may have removed guards.
    is_whole = given.__class__ is Written and _GUARD.findall(given) == _GUARD.findall(returned)
    return Written(returned) if is_whole else str(returned)
