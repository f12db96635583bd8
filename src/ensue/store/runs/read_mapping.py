"""A mapping that records which of its keys are read: pillar and grains as templates see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class ReadMapping(dict[str, Any], Mapping[str, Any]):
    """A copy of a mapping that records every top-level key that is read, whether or not it exists.

    Iterating over it counts as reading all of it: `is_read_whole`. Changes are also made in the original. It
    is registered as a `Mapping` because YAML dumpers choose the representation by that type.

    Args:
        original: the mapping.
    """

    def __init__(self, original: dict[str, Any]) -> None:
        super().__init__(original)
        self._original = original
        self.keys_read: dict[str, None] = {}
        self.is_read_whole = False

    def _note(self, key: object) -> None:
        if isinstance(key, str):
            self.keys_read[key] = None
        else:
            self.is_read_whole = True

    def _whole(self) -> ReadMapping:
        self.is_read_whole = True
        return self

    def __getitem__(self, key: str) -> Any:
        self._note(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None, /) -> Any:
        """Return the value of a key, or the default."""
        self._note(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str):
            self._note(key)
        return super().__contains__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._original[key] = value
        super().__setitem__(key, value)

    def setdefault(self, key: str, default: Any = None, /) -> Any:
        """Return the value of a key; set it to the default if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        """Remove a key and return its value."""
        self._note(key)
        self._original.pop(key, None)
        return super().pop(key, *default)

    def __iter__(self) -> Iterator[str]:
        return super(ReadMapping, self._whole()).__iter__()

    def __len__(self) -> int:
        return super(ReadMapping, self._whole()).__len__()

    def __eq__(self, other: object) -> bool:
        return super(ReadMapping, self._whole()).__eq__(other)

    def __ne__(self, other: object) -> bool:
        return super(ReadMapping, self._whole()).__ne__(other)

    __hash__ = None  # type: ignore[assignment]  # as of any dict

    def __reversed__(self) -> Iterator[str]:
        return super(ReadMapping, self._whole()).__reversed__()

    def __or__(self, other: Any, /) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any, /) -> Any:
        return other | self.copy()

    def __repr__(self) -> str:
        return repr(self.copy())

    def copy(self) -> dict[str, Any]:
        """Return a plain copy."""
        return dict(super(ReadMapping, self._whole()).items())

    def keys(self) -> Any:
        """Return all keys."""
        return super(ReadMapping, self._whole()).keys()

    def values(self) -> Any:
        """Return all values."""
        return super(ReadMapping, self._whole()).values()

    def items(self) -> Any:
        """Return all keys with their values."""
        return super(ReadMapping, self._whole()).items()
