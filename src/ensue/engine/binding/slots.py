"""Slots: `__slot__:salt:module.function(args)`, a call whose result becomes an argument at run time.

```
slot   = "__slot__:salt:" function "(" [ argument *( "," argument ) ] ")" [ path ] [ "~" text ]
path   = *( "." key )                  ; leads to a part of the result
text   = anything, quoted or not       ; appended to a result that is text
```

Arguments are text, as Salt reads them; `key=value` is a keyword argument. This module has only the syntax;
the engine makes the calls when the state runs.

`$__slot__:…` is the escape: the text is literal, without the first dollar sign.

Source: Salt's slots.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import EnsueError
from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREFIX: Final = "__slot__:"
ESCAPED_SLOT: Final = re.compile(r"\$+__slot__:")
"""The beginning of an escaped slot: literal text, without the first dollar sign."""
_CALL: Final = re.compile(r"__slot__:salt:\s*([A-Za-z_][\w.]*)\s*\(")
_PIECE: Final = re.compile(
    r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"'(),=\[\]{}]+)|([(),=\[\]{}]))"""
)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class SlotSyntaxError(EnsueError, ValueError):
    """A malformed slot; the message shows the right form."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed slot.

    Args:
        function: the execution function.
        args: its positional arguments, as text.
        kwargs: its keyword arguments, as text.
        path: the keys that lead to the wanted part of the result.
        appended: text that is appended to the result.
    """

    function: str
    args: tuple[str, ...] = ()
    kwargs: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    path: tuple[str, ...] = ()
    appended: str = ""


def holds_slot(value: Any) -> bool:
    """Return whether a value contains a slot, or an escaped one, at any depth."""
    if isinstance(value, str):
        return value.startswith(PREFIX) or (value.startswith("$") and is_escaped(value))
    if is_mapping(value):
        return any(map(holds_slot, value.values()))
    return is_list(value) and any(map(holds_slot, value))


def is_escaped(text: str) -> bool:
    """Return whether a text is an escaped slot."""
    return ESCAPED_SLOT.match(text) is not None


def read_slot(text: str) -> Slot:
    """Return a slot's parts.

    Raises:
        SlotSyntaxError: it is malformed.
    """
    call = _CALL.match(text)
    if not call:
        raise _malformed(text)
    words, position = _words(text, call.end())
    args: list[str] = []
    kwargs: dict[str, str] = {}
    for key, value in words:
        if key is None:
            args.append(value)
        else:
            kwargs[key] = value
    taken, tilde, appended = text[position:].partition("~")
    path = tuple(part.strip() for part in taken.strip().split(".") if part.strip())
    return Slot(
        function=call[1],
        args=tuple(args),
        kwargs=kwargs,
        path=path,
        appended=_unquoted(appended.strip()) if tilde else "",
    )


def _words(text: str, position: int) -> tuple[list[tuple[str | None, str]], int]:
    """Return (key, value) pairs up to the closing parenthesis, and the position after it."""
    words: list[tuple[str | None, str]] = []
    key: str | None = None
    parts: list[str] = []
    open_brackets: list[str] = []
    for kind, piece, end in _pieces(text, position):
        if kind == "sign" and not open_brackets and piece in ",)":
            if parts or key is not None:
                words.append((key, "".join(parts)))
            key, parts = None, []
            if piece == ")":
                return words, end
        elif kind == "sign" and not open_brackets and piece == "=":
            key, parts = "".join(parts), []
        else:
            _follow_brackets(text, kind, piece, open_brackets)
            parts.append(piece)
    raise _malformed(text)


def _follow_brackets(text: str, kind: str, piece: str, open_brackets: list[str]) -> None:
    if kind != "sign":
        return
    if piece in _CLOSING:
        open_brackets.append(_CLOSING[piece])
    elif piece in ")]}" and (not open_brackets or open_brackets.pop() != piece):
        raise _malformed(text)


def _pieces(text: str, position: int) -> Iterator[tuple[str, str, int]]:
    while match := _PIECE.match(text, position):
        position = match.end()
        double, single, word, sign = match.groups()
        if sign is not None:
            yield "sign", sign, position
        elif word is not None:
            yield "word", word, position
        else:
            yield "text", re.sub(r"\\(.)", r"\1", double if double is not None else single), position


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _malformed(text: str) -> SlotSyntaxError:
    return SlotSyntaxError(
        f"malformed slot {text!r} (write __slot__:salt:module.function('argument', key='value'))"
    )
