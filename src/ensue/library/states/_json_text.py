"""Reads text that may be JSON, for the `new_state` of commands and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ensue.core.model.data import Data, DataMap

_STARTS_OF_JSON: Final = frozenset('{["-0123456789tfn')


def json_under(key: str, text: str) -> DataMap:
    """Return the data of a JSON text under a key; an empty mapping if it is not JSON, or nested too deep.

    Args:
        key: the key.
        text: any text. `NaN` and `Infinity`, which Python would accept, are not JSON.
    """
    if text.lstrip()[:1] not in _STARTS_OF_JSON or not text:
        return {}
    from ensue.core.model.bounded_json import load_json

    try:
        data: Data = load_json(text, parse_constant=_refuse)
    except ValueError:
        return {}
    return {key: data}


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
