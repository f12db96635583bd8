"""Values that a template prints into YAML or JSON, and where they may go.

A value from a host, a command or a store is data: it may be one scalar or part of one, and never more. A
renderer puts guards around each printed text that is more than a plain word, number or path (`guarded`). The
reader of the rendered text removes them (`take_out_guards`) and refuses a text that reaches beyond the
scalar it is printed into (`model.yaml_containment`).

Text whose structure an author or a serializer wrote is `Written`: the result of a macro, a captured block, or
a filter such as `tojson` or `yaml`. It needs no guard.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from ensue.language.marks import BEGIN, END, ITEM
from ensue.model.printed_text import Extent, Written, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable

_GUARD: Final = re.compile(f"{BEGIN}|{END}|{ITEM}")
_BLANKS: Final = " \t"


class SerializedText(Written):
    """`Written` text of a serializer: changing its characters may remove its quotes."""

    __slots__ = ()


class Serialized(Markup):
    """`Written` text of a serializer; as in Salt, text that is joined to it is escaped for HTML.

    Made by `serialized`. The result of joining or cutting it is ordinary text.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Markup:  # type: ignore[misc] # as the docstring says
        """Return ordinary text: the methods of `Markup` call this for their results."""
        return Markup(*args, **kwargs)  # noqa: S704 (they have made it safe)

    def __repr__(self) -> str:
        """Return the text that Salt prints."""
        return f"Markup({str.__repr__(self)})"


def serialized(text: str) -> Markup:
    """Return text marked as written by a serializer."""
    return str.__new__(Serialized, text)


def is_written(value: Any) -> bool:
    """Return whether a text's structure is an author's or a serializer's."""
    return isinstance(value, (Written, Serialized))


def guarded(text: str) -> str:
    """Return a text as it is printed, with guards if it needs them."""
    if not text or is_written(text) or is_plain(text):
        return text
    return f"{BEGIN}{text}{END}"


def take_out_guards(text: str) -> tuple[str, list[Extent]]:
    """Return a rendered text without guards, and the extents of the values that had them, in order.

    A guard without its counterpart comes from a text that was split after it had been printed; its pieces
    are printed again, with their own guards. The dash of a list item in a constant of the template is not
    part of the value after it.
    """
    if not any(mark in text for mark in (BEGIN, END, ITEM)):
        return text, []
    pieces: list[str] = []
    extents: list[Extent] = []
    open_starts: list[int] = []
    position = length = 0
    before = ""
    for found in _GUARD.finditer(text):
        piece = text[position : found.start()]
        pieces.append(piece)
        length += len(piece)
        position = found.end()
        if found[0] == BEGIN:
            open_starts.append(length)
        elif found[0] == END and open_starts:
            extents.append(Extent(open_starts.pop(), length))
        elif before == ITEM and open_starts:
            open_starts[-1] = length
        is_item = found[0] == ITEM and before == BEGIN and not piece.strip(_BLANKS)
        before = BEGIN if found[0] == BEGIN else ITEM if is_item else ""
    pieces.append(text[position:])
    extents.sort(key=lambda extent: extent.start)
    return "".join(pieces), extents


def keeps_written(
    function: Callable[..., Any], is_layout: Callable[[tuple[Any, ...], dict[str, Any]], bool]
) -> Callable[..., Any]:
    """Make a filter on text return `Written` text for `Written` text.

    Args:
        function: the filter.
        is_layout: returns whether a call changes only blanks; other calls turn a serializer's text into
            ordinary text.
    """
    from functools import wraps

    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        returned = function(*args, **kwargs)
        # The environment or context that Jinja passes to some filters comes before the text.
        given = next(filter(is_written, args[:2]), None)
        if given is None or not isinstance(returned, str):
            return returned
        if isinstance(given, (Serialized, SerializedText)) and not is_layout(args, kwargs):
            return str(returned)
        return serialized(returned) if isinstance(given, Serialized) else type(given)(returned)

    return filtered
