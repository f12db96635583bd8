"""Limits the output of commands that is kept after a run: long text is cut, with a note of what is missing.

The run itself still has all of the output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.core.model.data import is_mapping
from ensue.core.model.sizes import size_text

if TYPE_CHECKING:
    from collections.abc import Iterable

KEEP_OUTPUT_BYTES: Final = 1 << 20
"""The most bytes kept of one text if the option `keep_output_bytes` is not set."""

DataPath: TypeAlias = "tuple[str, ...]"
"""The keys that lead to a value; it ends at the first list, whose items are kept or refused together."""


def shortened(data: Any, most_bytes: int) -> tuple[Any, dict[DataPath, int]]:
    """Return data with long texts cut, and the number of missing bytes by path.

    A long list or mapping beside a text that is cut (the parsed JSON beside the output) is replaced by the
    note alone.

    Args:
        data: the return of a state; it is not changed.
        most_bytes: the most bytes of UTF-8 kept of a text.
    """
    cut: dict[DataPath, int] = {}
    return _shortened(data, most_bytes, (), cut), cut


def without_cut(data: Any, cut: Iterable[DataPath]) -> Any:
    """Return data without the values that were cut; None if nothing is left.

    Args:
        data: the result of `shortened`.
        cut: the paths of the values that were cut.
    """
    for path in cut:
        data = _without(data, path)
    return data


def _shortened(data: Any, most_bytes: int, place: DataPath, cut: dict[DataPath, int]) -> Any:
    match data:
        case str():
            return _beginning(data, most_bytes, place, cut)
        case dict():
            return _mapping(data, most_bytes, place, cut)  # pyright: ignore[reportUnknownArgumentType]  # any data
        case list():
            within: dict[DataPath, int] = {}
            kept = [_shortened(item, most_bytes, (), within) for item in data]  # pyright: ignore[reportUnknownVariableType]  # any data
            if within:
                cut[place] = sum(within.values())
            return kept
        case _:
            return data


def _beginning(text: str, most_bytes: int, place: DataPath, cut: dict[DataPath, int]) -> str:
    # A character takes at most four bytes, so a short text need not be encoded.
    if len(text) * 4 <= most_bytes:
        return text
    content = text.encode("utf-8", "backslashreplace")
    if len(content) <= most_bytes:
        return text
    kept = content[:most_bytes].decode("utf-8", "ignore")
    cut[place] = len(content) - len(kept.encode())
    return f"{kept}\n{_note(cut[place])}"


def _mapping(
    data: dict[Any, Any], most_bytes: int, place: DataPath, cut: dict[DataPath, int]
) -> dict[Any, Any]:
    kept = {key: _shortened(value, most_bytes, (*place, str(key)), cut) for key, value in data.items()}
    if not any(isinstance(value, str) and kept[key] is not value for key, value in data.items()):
        return kept
    for key, value in data.items():
        if isinstance(value, (dict, list)) and (size_bytes := _size_bytes(value)) > most_bytes:  # pyright: ignore[reportUnknownArgumentType]  # any data
            cut[*place, str(key)] = size_bytes
            kept[key] = _note(size_bytes)
    return kept


def _size_bytes(data: Any) -> int:
    return len(msgspec.msgpack.encode(data, enc_hook=str))


def _note(left_out_bytes: int) -> str:
    return f"[… {size_text(left_out_bytes)} left out (keep_output_bytes)]"


def _without(data: Any, path: DataPath) -> Any:
    if not path:
        return None
    if not is_mapping(data):
        return data
    first, *rest = path
    return {
        key: _without(value, tuple(rest)) if str(key) == first else value
        for key, value in data.items()
        if rest or str(key) != first
    }
