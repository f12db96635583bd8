"""The grammar of property paths: how the path to a value in a `new_state` is written and read.

```
property   = [ segment *( ":" segment ) ]            ; empty is the whole new_state
segment    = key *( "[" index "]" ) / 1*( "[" index "]" )
index      = integer / "*"
```

A key that contains a colon, bracket or brace is in double quotes, in which a backslash makes the next
character literal. References (`language/references/grammar.py`) and `sensitive` paths are written in this
grammar.

Source: Idem's argument binding: indexes and wildcards.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.model.property_path import Every, Indexed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.property_path import Index, Step

_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]:]|[^"\[\]:]++|"')
_QUOTABLE: Final = re.compile(
    r'(?:"(?P<quoted>(?:[^"\\]|\\.)*+)"|(?P<bare>[^"\[\]]*+))(?P<rest>.*)', re.DOTALL
)
_INDEX: Final = re.compile(r"\[([^\[\]]*+)\]")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")


class MalformedPathError(Exception):
    """A path, or another part of a reference, is malformed; the message says what is wrong with it.

    It never reaches a user: the callers return the message or make a diagnostic of it.
    """


def read_property(text: str) -> tuple[Step, ...] | str:
    """Return the steps of a property path, or what is wrong with it."""
    try:
        return steps_of(split(text))
    except MalformedPathError as error:
        return str(error)


def quoted(part: str) -> str:
    """Return an ID or key as it is written in a reference: in quotes if it needs them."""
    if part and not any(sign in part for sign in ':[]{}"\n'):
        return part
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def split(content: str, *, in_brackets: bool = True) -> list[str]:
    """Split at colons outside quotes and, if `in_brackets`, outside brackets."""
    parts: list[str] = []
    current: list[str] = []
    depth = 0
    for word in _WORD.findall(content):
        if word == ":" and not depth:
            parts.append("".join(current))
            current = []
            continue
        if in_brackets and word in "[]":
            depth = max(0, depth + (1 if word == "[" else -1))
        current.append(word)
    parts.append("".join(current))
    # A bracket that is never closed must not hide the colons behind it.
    return split(content, in_brackets=False) if depth else parts


def steps_of(segments: list[str]) -> tuple[Step, ...]:
    """Return the steps that segments mean.

    Raises:
        MalformedPathError: a segment is malformed.
    """
    if segments == [""]:
        return ()
    steps: list[Step] = []
    for segment in segments:
        key, rest = quotable(segment)
        has_key = bool(key) or segment.startswith('""')
        if rest:
            steps.append(Indexed(key if has_key else None, tuple(_indexes(rest))))
        elif has_key:
            steps.append(key)
        else:
            raise MalformedPathError("a key is missing between two colons, or at the end")
    return tuple(steps)


def quotable(part: str) -> tuple[str, str]:
    """Return the quoted or bare word that a part begins with, and the rest.

    Raises:
        MalformedPathError: it begins with neither.
    """
    match = _QUOTABLE.fullmatch(part)
    if match is None or (match["rest"] and match["rest"][0] != "["):
        raise MalformedPathError(f"{part} cannot be read; put the whole key, ID or name in double quotes")
    word = match["bare"] if match["quoted"] is None else unquoted(match["quoted"])
    return word, match["rest"]


def unquoted(text: str) -> str:
    """Return the text within quotes without its backslashes."""
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text


def _indexes(text: str) -> Iterator[Index]:
    position = 0
    while position < len(text):
        match = _INDEX.match(text, position)
        if match is None:
            raise MalformedPathError(
                f"{text[position:]} is not an [index]; put a key that contains brackets in quotes"
            )
        if match[1] == "*":
            yield Every.ITEM
        elif _NUMBER.fullmatch(match[1]):
            yield int(match[1])
        else:
            raise MalformedPathError(f"[{match[1]}] is not an index; an index is a whole number, or *")
        position = match.end()
