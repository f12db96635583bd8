"""Slots: `__slot__:salt:module.function(args)`, a call whose result becomes an argument at run time.

```
slot   = "__slot__:salt:" function "(" [ argument *( "," argument ) ] ")" [ path ] [ "~" text ]
path   = *( "." key )                  ; what is taken of the result
text   = anything, quoted or not       ; put behind a result that is text
```

Arguments are text, as Salt reads them; `key=value` is a keyword. Only the syntax is here; the calls
are made by whoever runs the state.

`$__slot__:…` is the escape: the text is taken literally, with one dollar sign less.

Source: Salt's slots.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.errors import EnsueError
from ensue.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREFIX: Final = "__slot__:"
ESCAPED_SLOT: Final = re.compile(r"\$+__slot__:")
"""What begins with this is text: the same with one dollar sign less."""
_CALL: Final = re.compile(r"__slot__:salt:\s*([A-Za-z_][\w.]*)\s*\(")
_PIECE: Final = re.compile(
    r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"'(),=\[\]{}]+)|([(),=\[\]{}]))"""
)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class SlotSyntaxError(EnsueError, ValueError):
    """A slot that is not one; the text shows what one looks like."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One slot, read.

    Args:
        function: the execution function.
        args: its arguments by place, as text.
        kwargs: its arguments by name, as text.
        path: the keys that lead to what is taken of the result.
        appended: text put behind it.
    """

    function: str
    args: tuple[str, ...] = ()
    kwargs: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    path: tuple[str, ...] = ()
    appended: str = ""


def holds_slot(value: Any) -> bool:
    """Say whether a value holds a slot, or the escape of one, at any depth."""
    if isinstance(value, str):
        return value.startswith(PREFIX) or (value.startswith("$") and is_escaped(value))
    if is_mapping(value):
        return any(map(holds_slot, value.values()))
    return is_list(value) and any(map(holds_slot, value))


def is_escaped(text: str) -> bool:
    """Say whether a text is the escape of a slot."""
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
    """Return (key, value) pairs up to the closing parenthesis, and the place behind it."""
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
    while found := _PIECE.match(text, position):
        position = found.end()
        double, single, word, sign = found.groups()
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
