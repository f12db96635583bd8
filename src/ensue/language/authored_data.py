"""Marks the texts of rendered data that an author wrote: all of those into which no value was printed.

The data of a pillar file, of `load_yaml` and of `import_yaml` goes into variables of templates, which may
print it. A scalar that a value was printed into stays ordinary text, and so does everything in printed data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_list, is_mapping
from ensue.language.authored_text import Authored

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.model.printed_text import Extent


def mark_authored(data: Any, text: str, extents: Sequence[Extent], load: Callable[[str], Any]) -> Any:
    """Return data in which the texts of its author are marked; it is changed in place.

    Args:
        data: what was read from the text.
        text: the rendered text.
        extents: where values were printed into it.
        load: reads a text; raises a `ValueError` if it cannot.
    """
    if not extents:
        return _all_marked(data, set())
    from ensue.core.model.yaml_containment import with_words

    replaced = with_words(text, extents)
    if replaced is None:
        return data
    try:
        worded = load(replaced[0])
    except ValueError:
        return data
    return _marked(data, worded, set())


def _all_marked(data: Any, seen: set[int]) -> Any:
    """Mark all texts of data; the loop is written out for speed, since every pillar passes through it."""
    if data.__class__ is str:
        return Authored(data)
    # A YAML alias puts one object in several places; it is changed only once.
    if is_list(data) and id(data) not in seen:
        seen.add(id(data))
        data[:] = [
            Authored(item) if item.__class__ is str else _all_marked(item, seen) if item else item
            for item in data
        ]
    elif is_mapping(data) and id(data) not in seen:
        seen.add(id(data))
        pairs = [
            (
                Authored(key) if key.__class__ is str else key,
                Authored(value) if value.__class__ is str else _all_marked(value, seen) if value else value,
            )
            for key, value in data.items()
        ]
        data.clear()
        data.update(pairs)
    return data


def _marked(data: Any, worded: Any, seen: set[int]) -> Any:
    """Mark data in the places where the same data with words instead of values has no word."""
    if data.__class__ is str:
        return Authored(data) if data == worded else data
    # A YAML alias puts one object in several places; it is changed only once.
    if is_list(data) and is_list(worded) and len(data) == len(worded) and id(data) not in seen:
        seen.add(id(data))
        data[:] = [_marked(*pair, seen) for pair in zip(data, worded, strict=True)]
    elif is_mapping(data) and is_mapping(worded) and len(data) == len(worded) and id(data) not in seen:
        seen.add(id(data))
        pairs = list(zip(data.items(), worded.items(), strict=True))
        data.clear()
        for (key, value), (worded_key, worded_value) in pairs:
            data[_marked(key, worded_key, seen)] = _marked(value, worded_value, seen)
    return data
