"""Values that a template prints into YAML or JSON, and where they may go.

A value that a host, a command or a store said is data: it may be (a part of) one scalar, and never more. A
renderer puts guards around each printed text that is more than a plain word, number or path (`guarded`). The
reader of the rendered text takes them out (`take_out_guards`) and refuses a text that reaches beyond the
scalar it is printed into (`model.yaml_containment`).

Text whose structure an author or a serializer wrote is `Written`: what a macro or a captured block returns,
what `tojson`, `yaml` and their like return. It needs no guard.
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
    """`Written` text of a serializer: what changes its characters may take its quotes away."""

    __slots__ = ()


class Serialized(Markup):
    """`Written` text of a serializer; as Salt has it, text that is joined to it is escaped for HTML.

    Made by `serialized`. What is made of it by joining or cutting is ordinary text again.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Markup:  # type: ignore[misc] # as the docstring says
        """Return ordinary text: this is what the methods of `Markup` call for their results."""
        return Markup(*args, **kwargs)  # noqa: S704 (they have made it safe)

    def __repr__(self) -> str:
        """Return what Salt prints for it."""
        return f"Markup({str.__repr__(self)})"


def serialized(text: str) -> Markup:
    """Return the text that a serializer wrote."""
    return str.__new__(Serialized, text)


def is_written(value: Any) -> bool:
    """Say whether a text's structure is an author's or a serializer's."""
    return isinstance(value, (Written, Serialized))


def guarded(text: str) -> str:
    """Return a text as it is printed: with guards, unless it needs none."""
    if not text or is_written(text) or is_plain(text):
        return text
    return f"{BEGIN}{text}{END}"


def take_out_guards(text: str) -> tuple[str, list[Extent]]:
    """Return a rendered text without guards, and the extents of the values that had them, in order.

    A guard without its counterpart is of a text that was taken apart after it had been printed; its pieces
    are printed again, with guards of their own. The dash of a list item that a constant of the template
    brings along is no part of the value behind it.
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
    """Make a filter on text return `Written` text for such text.

    Args:
        function: the filter.
        is_layout: says of a call whether it changes blanks alone; other calls make ordinary text of what a
            serializer wrote.
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
