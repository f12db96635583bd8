"""Following a path of keys and indexes through nested data: exactly, or as Salt's `traverse` does.

A key of a list is the number of an item, from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ensue.core.errors import EnsueError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.numbers import whole_number
from ensue.core.model.unknown import Unknown

_ABSENT: Final = object()


class AbsentKeyError(EnsueError, LookupError):
    """A path of keys leads to nothing.

    Args:
        place: its keys, up to the first that is missing.
        holder: the value at the keys before that.
    """

    def __init__(self, place: tuple[str, ...], holder: Any) -> None:
        self.place = place
        self._holder = holder
        super().__init__(self.sentence("the data"))

    def sentence(self, owner: str, kind: str = "", separator: str = ".") -> str:
        """Return which key something lacks, and in parentheses what it has.

        Args:
            owner: what the keys are of.
            kind: what the first key names, with a space after it; may be empty.
            separator: is between the keys.
        """
        return f"{owner} has no {kind}{separator.join(self.place)!r} ({self.hint(separator)})"

    def hint(self, separator: str = ".") -> str:
        """Return the keys that may have been meant; if none is similar, what there is instead.

        Args:
            separator: is between the keys.
        """
        from ensue.core.model.near_names import near_question
        from ensue.core.model.property_values import contents_in_words

        names = map(str, self._holder) if is_mapping(self._holder) else ()
        above = separator.join(self.place[:-1]) or "it"
        return near_question(self.place[-1], names) or f"{above} {contents_in_words(self._holder)}"


def value_at(data: Any, keys: Iterable[str]) -> Any:
    """Return the value at a path of keys; of what is not known yet, every part is not known either.

    Args:
        data: nested mappings and lists.
        keys: the path. A key that is no text is meant by its text.

    Raises:
        AbsentKeyError: a key is missing, or an index is out of range.
    """
    place: tuple[str, ...] = ()
    for key in keys:
        if isinstance(data, Unknown):
            break
        place = (*place, key)
        below = _member(data, key)
        if below is _ABSENT:
            raise AbsentKeyError(place, data)
        data = below
    return data


def _member(holder: Any, key: str) -> Any:
    if is_mapping(holder):
        if key in holder:
            return holder[key]
        return next((value for own, value in holder.items() if str(own) == key), _ABSENT)
    index = whole_number(key) if is_list(holder) else None
    return holder[index] if index is not None and index < len(holder) else _ABSENT


def traverse(data: Any, key: Any, default: Any = None, delimiter: str = ":") -> Any:
    """Return the value at a path of keys and indices.

    Args:
        data: nested mappings and lists.
        key: the path: text with delimiters, a list of keys, or one number. A part on a list is a key of the
            first mapping in it that has it, else an index. A number also finds a key that is one.
        default: the value to return if the path leads nowhere.
        delimiter: the delimiter in a text.
    """
    for part in _parts(key, delimiter):
        data = _inner(data, part)
        if data is _ABSENT:
            return default
    return data


def _parts(key: Any, delimiter: str) -> Iterable[Any]:
    if isinstance(key, str):
        return key.split(delimiter)
    return [key] if isinstance(key, int) else key


def _inner(data: Any, part: Any) -> Any:
    if isinstance(data, list):
        return _in_list(data, part)
    if not isinstance(data, Mapping):
        return _ABSENT
    mapping = _whatever(data)
    if part in mapping:
        return mapping[part]
    return mapping.get(_number(part), _ABSENT) if isinstance(part, str) else _ABSENT


def _in_list(listed: Any, part: Any) -> Any:
    index = _number(part)
    key = part if index is None else index
    for entry in listed:
        if isinstance(entry, dict) and key in entry:
            return _whatever(entry)[key]
    in_range = isinstance(index, int) and -len(listed) <= index < len(listed)
    return listed[index] if in_range else _ABSENT


def _number(part: Any) -> Any:
    """Return a part as a number, since a mapping's key may be one; None if it is not a number."""
    for kind in (int, float):
        try:
            return kind(part)
        except (TypeError, ValueError):
            continue
    return None


def _whatever(data: Any) -> Any:
    """Widen the type of a value to Any: its content may be anything."""
    return data
