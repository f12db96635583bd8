"""JSON pointers: the paths of update operations.

A pointer is empty (the whole document), or a sequence of parts, each after a slash. In a part `~1` is a slash
and `~0` a tilde.

Source: RFC 6901.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.data_bounds import MOST_LEVELS

Path: TypeAlias = tuple[str, ...]
"""The parts of a pointer."""

END: Final = "-"
"""The part that means the position after the last item of a list."""

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")


class PointerError(ValueError):
    """A pointer that does not parse, or whose target does not exist.

    Args:
        reason: why, without any value of the document.
        help: how to fix it; may be empty.
    """

    def __init__(self, reason: str, help: str = "") -> None:  # noqa: A002 -- the field's name
        self.reason = reason
        self.help = help
        super().__init__(reason)


def parse_pointer(text: Any) -> Path:
    """Return the parts of a pointer.

    Raises:
        PointerError: it is not a text, does not begin with a slash, has a bad escape, or is too deep.
    """
    if not isinstance(text, str):
        raise PointerError("the path is not a text")
    if not text:
        return ()
    if text[0] != "/":
        raise PointerError("the path does not begin with a slash", f"write /{text}")
    if _BAD_ESCAPE.search(text):
        raise PointerError("a tilde in the path has to be followed by 0 or 1", "write ~0 for a tilde")
    parts = text[1:].split("/")
    if len(parts) > MOST_LEVELS:
        raise PointerError(f"the path has more than {MOST_LEVELS} parts")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def write_pointer(parts: Path) -> str:
    """Return the text of a pointer."""
    return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in parts)


def child(holder: Any, part: str, path: Path) -> Any:
    """Return the value under one part of a pointer.

    Args:
        holder: the value to look in.
        part: a key, or an index of a list.
        path: the parts before it, for messages.

    Raises:
        PointerError: it does not exist.
    """
    if is_mapping(holder):
        if part not in holder:
            raise missing(path, part)
        return holder[part]
    if is_list(holder):
        return holder[index(holder, part, path)]
    raise PointerError(f"{_named(path)} is neither a mapping nor a list")


def index(items: list[Any], part: str, path: Path, *, may_be_end: bool = False) -> int:
    """Return a part as an index of a list.

    Args:
        items: the list.
        part: a number without leading zeros, or `-`.
        path: the parts before it, for messages.
        may_be_end: whether the position after the last item is allowed.

    Raises:
        PointerError: it is not an index, or out of range.
    """
    if may_be_end and part == END:
        return len(items)
    if not _INDEX.fullmatch(part):
        raise PointerError(f"{_named(path)} is a list, and {part!r} is no index of it")
    if (number := int(part)) >= len(items) + may_be_end:
        raise PointerError(f"{_named(path)} has {len(items)} items, so that it has no place {part}")
    return number


def missing(path: Path, part: str) -> PointerError:
    """Return the error for a missing key of a mapping."""
    return PointerError(f"{_named(path)} has no key {part!r}")


def _named(path: Path) -> str:
    return write_pointer(path) or "the document"
