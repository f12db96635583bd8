r"""The grammar of references, and how they are found in text.

```
reference  = "${" [ "minion[" minion "]:" ] path ":" id [ "[" name "]" ] ":" property "}"
property   = [ segment *( ":" segment ) ]            ; empty is the whole new_state
segment    = key *( "[" index "]" ) / 1*( "[" index "]" )
index      = integer / "*"
escape     = "$${" … "}" / "$\{" … "}"                 ; a literal "${…}"
           / "$$\{" … "}"                             ; a literal "$\{…}"
```

If several dollar signs precede an escape, all but one are literal too: `$$${…}` is the text `$${…}`.

A key, ID or name that contains a colon, bracket or brace is in double quotes, in which a backslash makes the
next character literal. No part contains a line end, or a brace outside quotes.

`${self:property}` reads the state's own `new_state`, where that is allowed (`registers`).

`${minion[db-01]:path:id:property}` reads what a state of another minion returns.

Any other text with fewer than three parts is not a reference and is left as it is, and so is its escaped
form: `${HOME}` belongs to a shell, and so does `${x:-a:b}`, whose second part begins with a shell operator.

Source: Idem's argument binding.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ensue.core.model.property_grammar import MalformedPathError, quotable, split, steps_of, unquoted
from ensue.core.model.reference import Reference
from ensue.language.references.detection import holds_sign

if TYPE_CHECKING:
    from collections.abc import Iterator


_SIMPLE: Final = re.compile(r"\$\{([\w.]+):([\w./][\w./-]*):([\w-]+)\}")
"""The form of most references: a whole text without quotes, brackets and blanks, matched at once."""
_OPENING: Final = re.compile(r"\$(?:\$\{|\$\\\{|\\\{|\{)")
_BODY: Final = re.compile(r'(?:[^{}"\n]|"(?:[^"\\\n]|\\[^\n])*+")*+\}')
_LOOSE_BODY: Final = re.compile(r"[^{}\n]*+\}")
_NAME: Final = re.compile(r'\[(?:"(?P<quoted>(?:[^"\\]|\\.)*+)"|(?P<bare>[^"\[\]]++))\]')
_PATH: Final = re.compile(r"[\w.\- ]*")
_MINION: Final = re.compile(r"minion\[([^\[\]]++)\]")
"""The first part of a reference to another minion. A shell has three parts at most: `${minion[0]:1:2}`."""
_SHELL_OPERATORS: Final = ("-", "+", "=", "?")
_PARTS: Final = 3
OWN: Final = "self"
"""The path of references to a state's own `new_state`."""


class Malformed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A text with the three parts of a reference that is malformed.

    Args:
        text: as it is written.
        problem: what is wrong with it.
    """

    text: str
    problem: str


Piece: TypeAlias = str | Reference | Malformed
"""A piece of text: a `str` is literal, with its escapes undone."""


def read_text(text: str, *, own: bool = False) -> list[Piece]:
    """Return the pieces of a text; one `str` if it contains neither a reference nor an escape.

    Args:
        text: the text.
        own: whether to read only references to the state's own `new_state`, `${self:property}`; their ID is
            empty.
    """
    if not own and (simple := _SIMPLE.fullmatch(text)):
        path, id_, key = simple.groups()
        return [Reference(text=text, path=path, id=id_, property=key, steps=(key,))]
    if not holds_sign(text):
        return [text]
    pieces: list[Piece] = []
    plain: list[str] = []
    position = 0
    for start, end, piece in _found(text, own=own):
        plain.append(text[position:start])
        position = end
        if isinstance(piece, str):
            plain.append(piece)
            continue
        if before := "".join(plain):
            pieces.append(before)
        plain = []
        pieces.append(piece)
    if rest := "".join([*plain, text[position:]]):
        pieces.append(rest)
    return pieces or [text]


def counts_at(text: str, start: int) -> bool:
    """Return whether a reference or an escape begins with the dollar signs at a position of a text."""
    opening = _OPENING.search(text, start)
    return opening is not None and _content(text, opening.end()) is not None


def _found(text: str, *, own: bool) -> Iterator[tuple[int, int, Piece]]:
    """Yield everything but plain text: its start, its end, and what it is."""
    position = 0
    while opening := _OPENING.search(text, position):
        start, position = opening.span()
        content = _content(text, position)
        if content is None:
            continue
        body, parts = content
        sign = opening[0]
        is_own = parts[0] == OWN and (own or len(parts) < _PARTS)
        if sign == "${" and is_own != own:
            continue
        position += len(body)
        if sign == "${":
            yield start, position, (_own_reference if own else _reference)(sign + body, parts)
        else:
            yield start, position, sign[1:] + body if sign[1] == "$" else "${" + body


def _content(text: str, position: int) -> tuple[str, list[str]] | None:
    """Return the text from an opening to its closing brace, and its parts; None if it is not a reference."""
    body = _BODY.match(text, position) or _LOOSE_BODY.match(text, position)
    if body is None:
        return None
    parts = _parts(body[0][:-1])
    return None if parts is None else (body[0], parts)


def _parts(content: str) -> list[str] | None:
    """Split at colons outside quotes and brackets; None if there are too few, or it is shell syntax."""
    parts = split(content)
    if parts[0] == OWN:
        return parts
    if len(parts) < _PARTS:
        return None
    if len(parts) > _PARTS and minion_of(parts[0]):
        return parts
    if not _PATH.fullmatch(parts[0]) or parts[1].startswith(_SHELL_OPERATORS):
        return None
    return parts


def _reference(text: str, parts: list[str]) -> Reference | Malformed:
    minion = minion_of(parts[0])
    path, id_, *segments = parts[1:] if minion else parts
    if minion and not _PATH.fullmatch(path):
        return Malformed(text=text, problem=f"{path} is not the module path of a state")
    try:
        name, selector = _id(id_)
        return Reference(
            text=text,
            path=path,
            id=name,
            selector=selector,
            property=":".join(segments),
            steps=steps_of(segments),
            minion=minion,
        )
    except MalformedPathError as error:
        return Malformed(text=text, problem=str(error))


def _own_reference(text: str, parts: list[str]) -> Reference | Malformed:
    segments = parts[1:] or [""]
    try:
        return Reference(text=text, path=OWN, id="", property=":".join(segments), steps=steps_of(segments))
    except MalformedPathError as error:
        return Malformed(text=text, problem=str(error))


def minion_of(path: str) -> str:
    """Return the minion that a path, or the key of a requisite, names: `minion[db-01]`; empty for others."""
    named = _MINION.fullmatch(path) if path.startswith("minion[") else None
    return named[1] if named else ""


def read_id(text: str) -> tuple[str, str | None] | str:
    """Return the ID, and the name after it, of a text outside a reference, or what is wrong with it."""
    try:
        return _id(text)
    except MalformedPathError as error:
        return str(error)


def _id(part: str) -> tuple[str, str | None]:
    id_, rest = quotable(part)
    if not id_:
        raise MalformedPathError("the ID is missing")
    if not rest:
        return id_, None
    name = _NAME.fullmatch(rest)
    if name is None:
        raise MalformedPathError(f"the ID is followed by {rest}, which is not a [name]")
    return id_, name["bare"] if name["quoted"] is None else unquoted(name["quoted"])
