"""Follow a path of keys through grains or pillar: `os:Debian`, `roles:web`, `a:b:c`, `disks:0:size:*`.

Source: `salt.utils.data.subdict_match`, 3008. Keys may be globs here at every level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_mapping
from ensue.core.model.numbers import whole_number
from ensue.language.targeting.patterns import is_glob

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def path_matches(
    data: Mapping[Any, Any], path: str, fits: Callable[[str, str], bool], delimiter: str = ":"
) -> bool:
    """Return whether data has a value that fits the end of a path; for a single key, whether it exists.

    Args:
        data: grains or pillar.
        path: keys, a delimiter, and the pattern for the value, which may contain delimiters itself.
        fits: compares a text with a pattern.
        delimiter: separates the keys.
    """
    return _below(data, path.split(delimiter), fits, delimiter)


def _below(
    data: Mapping[Any, Any], parts: Sequence[str], fits: Callable[[str, str], bool], delimiter: str
) -> bool:
    key, *rest = parts
    if not rest:
        return any(fits(str(name), key) for name in data)
    return any(
        _value_fits(value, rest, fits, delimiter) for name, value in data.items() if is_glob(str(name), key)
    )


def _value_fits(value: Any, rest: Sequence[str], fits: Callable[[str, str], bool], delimiter: str) -> bool:
    if is_mapping(value):
        return _below(value, rest, fits, delimiter)
    pattern = delimiter.join(rest)
    if not isinstance(value, (list, tuple, set, frozenset)):
        return fits(str(value), pattern)
    items: list[Any] = list(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    index = whole_number(rest[0]) if len(rest) > 1 else None
    if index is not None and index < len(items) and _value_fits(items[index], rest[1:], fits, delimiter):
        return True
    return any(
        _below(item, rest, fits, delimiter) if is_mapping(item) else fits(str(item), pattern)
        for item in items
    )
