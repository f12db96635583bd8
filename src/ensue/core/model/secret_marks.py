"""Secrets in data, marked as such: what is computed from a secret is a secret, too.

The mark is the class of a value, like that of authored text, and goes the other way: an operation on several
values returns a secret if one of them is. The interpreters of templates apply this to each operation
(`computed`); this module has the marks, and knows no language. A text may be secret in parts: the JSON of a
mapping with one secret value.

True, false and null carry no mark; neither do names of types and lengths, which say little about a secret.
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from ensue.core.model.data import is_list, is_mapping, mapped
from ensue.core.model.printed_text import Serialized, Written, laid_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ensue.core.model.data import Place

Spans: TypeAlias = "tuple[tuple[int, int], ...]"
"""Parts of a text, in order and apart from each other, as offsets: where each begins and ends."""

_LEAD: Final = "".join(chr(0xE100 + byte) for byte in os.urandom(10))
_BEGIN: Final = f"{_LEAD}\ue000"
_END: Final = f"{_LEAD}\ue001"
_NUMBER_SIGN: Final = "\ue002"
_NUMBER: Final = re.compile(f'"({_BEGIN}){_NUMBER_SIGN}([^"]*)"')
_SIGN: Final = re.compile(f"{_BEGIN}|{_END}")
_UNMARKED: Final = frozenset((str, Written, Serialized, int, float, bool, type(None)))
_MAPPING: Final[dict[Any, Any]] = {}
_OF_MAPPINGS: Final[Any] = (type(_MAPPING.keys()), type(_MAPPING.values()), type(_MAPPING.items()))
_HOLDERS: Final[Any] = (list, tuple, set, frozenset, *_OF_MAPPINGS)


class Secret:
    """A value that is a secret, or of which a part is one."""

    __slots__ = ()


class SecretText(str, Secret):
    """A secret text.

    Args:
        text: the text.
        spans: its secret parts; None: all of it.
    """

    __slots__ = ("_spans",)

    _spans: Spans

    def __new__(cls, text: str, spans: Spans | None = None) -> Self:
        """Return a text with the mark."""
        made = super().__new__(cls, text)
        made._spans = ((0, len(text)),) if spans is None else spans
        return made

    def __iter__(self) -> Iterator[str]:
        """Yield its characters, which are secrets as well."""
        return map(SecretText, str.__iter__(self))


class SecretWritten(Written, SecretText):
    """A secret text whose structure is an author's."""

    __slots__ = ()


class SecretSerialized(Serialized, SecretText):
    """A secret text of a serializer."""

    __slots__ = ()


# Messages of Jinja name the class of a value; to an author, this is a text like any other.
SecretText.__name__ = SecretWritten.__name__ = SecretSerialized.__name__ = "str"


@cache
def _secret_class(of: Any) -> Any:
    """Return the class of the secrets among the values of a class other than text."""
    return type(of.__name__, (of, Secret), {"__slots__": ()})


def open_class(value: Any) -> type:
    """Return the class that a value would have without its mark."""
    kind: type = value.__class__
    return kind.__bases__[0] if isinstance(value, Secret) else kind


def secret(value: Any) -> Any:
    """Return a value of which everything is marked; nothing is changed in place.

    Args:
        value: a scalar, data, or an object of an interpreter, which is copied.
    """
    if is_mapping(value):
        return {_marked(key): secret(item) for key, item in value.items()}
    if isinstance(value, Iterator):
        return map(secret, value)  # pyright: ignore[reportUnknownArgumentType] # of anything
    if isinstance(value, tuple):
        return tuple(map(secret, value))  # pyright: ignore[reportUnknownArgumentType] # as above
    if isinstance(value, (*_HOLDERS, range)):
        items: Any = value
        return [secret(item) for item in items]
    return _marked(value)


def secret_leaves(data: Any) -> Any:
    """Return data in which every value is marked and no key; nothing is changed in place."""
    return mapped(data, _marked)


def _marked(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, None)
    if isinstance(value, Secret):
        return value
    if isinstance(value, (int, float, bytes)):
        kind: Any = value.__class__
        return _secret_class(kind)(value)
    marked = copy.copy(value)
    marked.__class__ = _secret_class(value.__class__)
    return marked


def holds_secret(value: Any) -> bool:
    """Return whether a value is a secret or contains one; it may contain itself."""
    if value.__class__ in _UNMARKED:
        return False
    seen: set[int] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Secret):
            return True
        is_map = is_mapping(part)
        if (is_map or isinstance(part, _HOLDERS)) and id(part) not in seen:
            seen.add(id(part))
            pending += part
            if is_map:
                pending += part.values()
    return False


def computed(result: Any, operands: Iterable[Any]) -> Any:
    """Return the result of an operation, a secret if one of its operands contains one.

    Args:
        result: the result; a text that is marked already knows itself which parts of it are secret.
        operands: everything that it may depend on.
    """
    return result if isinstance(result, Secret) or not any(map(holds_secret, operands)) else secret(result)


def computed_in_place(result: str, call: Callable[..., str], operands: Sequence[Any]) -> str:
    """Return the result of a call that keeps its texts whole, such as an indentation, and so their secrets.

    Args:
        result: the result.
        call: the call, made once more to see where the secrets of its operands are.
        operands: its operands.
    """
    if isinstance(result, Secret) or not any(map(holds_secret, operands)):
        return result
    shown = [_mapped(operand, bracketed) for operand in operands]
    if any(map(holds_secret, shown)):
        return SecretText(result)  # A number has no place for brackets.
    again = unbracketed(call(*shown))
    # They differ where the call depends on the length of a text, for instance.
    return _text(result, spans_of(again) if again == result else None)


def _text(text: str, spans: Spans | None) -> str:
    if isinstance(text, Serialized):
        return SecretSerialized(text, spans)
    return (SecretWritten if isinstance(text, Written) else SecretText)(text, spans)


def serialized(text: str) -> str:
    """Return a text as that of a serializer, with its mark."""
    return SecretSerialized(text, spans_of(text)) if isinstance(text, SecretText) else Serialized(text)


def spans_of(text: str) -> Spans:
    """Return the secret parts of a text."""
    # It is private because templates see public attributes.
    return text._spans if isinstance(text, SecretText) else ()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] # as said


def joined(pieces: Sequence[str]) -> str:
    """Return texts one after another; the secret parts of each stay secret."""
    text = "".join(pieces)
    spans: list[tuple[int, int]] = []
    for piece, end in zip(pieces, accumulate(map(len, pieces)), strict=True):
        start = end - len(piece)
        spans += [(start + first, start + last) for first, last in spans_of(piece)]
    return SecretText(text, tuple(spans)) if spans else text


def bracketed(value: Any) -> Any:
    """Return a text with signs around its secret parts, which `unbracketed` reads; another value as it is.

    They are put within quotes, so that YAML with them has the same structure.
    """
    if not isinstance(value, SecretText):
        return value
    pieces: list[str] = []
    position = 0
    for first, last in spans_of(value):
        is_quoted = value[first + 1 : last - 1] and value[first] in "\"'" and value[first] == value[last - 1]
        start, end = (first + 1, last - 1) if is_quoted else (first, last)
        pieces += (value[position:start], _BEGIN, value[start:end], _END)
        position = end
    return "".join([*pieces, value[position:]])


def bracketed_json(data: Any, **options: Any) -> str:
    """Return data as JSON, with the signs of `bracketed` around what is marked.

    Args:
        data: the data.
        options: of `json.dumps`.
    """
    if not holds_secret(data):
        return json.dumps(data, ensure_ascii=False, **options)
    shown = _mapped(data, _bracketed_number)
    return _NUMBER.sub(r"\1\2", json.dumps(shown, ensure_ascii=False, **options))


def _bracketed_number(value: Any) -> Any:
    if isinstance(value, Secret) and isinstance(value, (int, float)):
        return f"{_BEGIN}{_NUMBER_SIGN}{json.dumps(value)}{_END}"
    return bracketed(value)


def unbracketed(text: str) -> str:
    """Return a text without the signs of `bracketed`, and marked where these were.

    An opening sign without a closing one counts up to the end, a closing one alone from the beginning.
    """
    if _LEAD not in text:
        return text
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    position = length = start = level = 0
    for sign in _SIGN.finditer(text):
        pieces.append(text[position : sign.start()])
        length += sign.start() - position
        position = sign.end()
        if sign[0] == _BEGIN:
            start = start if level else length
            level += 1
        else:
            level -= 1
            if level < 1:
                spans = [(0, length)] if level else [*spans, (start, length)]
                level = 0
    pieces.append(text[position:])
    clear = "".join(pieces)
    if level:
        spans.append((start, len(clear)))
    return _text(laid_out(clear, text), tuple(spans))


def has_brackets(text: str) -> bool:
    """Return whether a text has the signs of `bracketed`."""
    return _LEAD in text


def plain(data: Any) -> Any:
    """Return data without marks; nothing is changed in place."""
    return _mapped(data, _unmarked)


def _mapped(data: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return data with all keys and values replaced; Jinja's tuples are data, too."""
    if isinstance(data, tuple):
        return tuple([_mapped(item, leaf) for item in data])  # pyright: ignore[reportUnknownVariableType] # of anything
    if is_list(data):
        return [_mapped(item, leaf) for item in data]
    return (
        {leaf(key): _mapped(value, leaf) for key, value in data.items()} if is_mapping(data) else leaf(data)
    )


def _unmarked(value: Any) -> Any:
    if not isinstance(value, Secret):
        return value
    if isinstance(value, (str, int, float, bytes)):
        return open_class(value)(value)
    clear = copy.copy(value)
    clear.__class__ = open_class(value)
    return clear


def marked_at(data: Any, paths: Iterable[Place]) -> Any:
    """Return data in which what is at some paths is marked, keys included.

    Args:
        data: the data; nothing is changed in place.
        paths: the paths; one that leads nowhere is ignored.
    """
    for path in paths:
        data = _marked_below(data, path)
    return data


def _marked_below(data: Any, path: Place) -> Any:
    if not path:
        return secret(data)
    if is_mapping(data) and path[0] in data:
        return {**data, path[0]: _marked_below(data[path[0]], path[1:])}
    if is_list(data) and isinstance(path[0], int) and path[0] < len(data):
        items = list(data)
        items[path[0]] = _marked_below(items[path[0]], path[1:])
        return items
    return data


def marked_paths(data: Any, path: Place = ()) -> Iterator[Place]:
    """Yield the path of each marked value; of a mapping with a marked key its own.

    Args:
        data: the data.
        path: where it is.
    """
    if is_mapping(data):
        if any(isinstance(key, Secret) for key in data):
            yield path
            return
        for key, item in data.items():
            yield from marked_paths(item, (*path, key))
    elif is_list(data):
        for place, item in enumerate(data):
            yield from marked_paths(item, (*path, place))
    elif isinstance(data, Secret):
        yield path
