"""Masks high and low data: secrets in the values of arguments, never in what the author of an SLS named.

IDs, modules, functions, SLS, environments and what requisites name are names (`Masker.name`), whichever word
a secret happens to be. All other texts are values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.secret_values import mask_arguments
from ensue.language.metadata import META
from ensue.language.requisite_names import REQUISITE_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.masking import Masker

_AS_THEY_ARE: Final = frozenset({"__sls__", "__env__", "__sls_included_from__", "state", "fun", "order"})
_NAMES: Final = REQUISITE_OPTIONS | {"__id__", "__requisites__", "arg_bind", "delayed_render"}


def masked_high(data: dict[str, Any], masker: Masker) -> dict[str, Any]:
    """Return high data with its secrets masked.

    Args:
        data: what `high_data` returns.
        masker: knows the secrets.
    """
    shown: dict[str, Any] = mask_arguments(data)
    return {
        masker.name(id_): masker.data(body) if id_ == META else _high_body(body, masker)
        for id_, body in shown.items()
    }


def masked_low(data: list[dict[str, Any]], masker: Masker) -> list[dict[str, Any]]:
    """Return low chunks with their secrets masked.

    Args:
        data: what `low_data` returns.
        masker: knows the secrets.
    """
    shown: list[dict[str, Any]] = mask_arguments(data)
    return [_low_chunk(chunk, masker) for chunk in shown]


def _high_body(body: dict[str, Any], masker: Masker) -> dict[str, Any]:
    return {
        key: [_high_argument(item, masker) for item in value]
        if is_list(value) and key not in _AS_THEY_ARE
        else _argument(key, value, masker)
        for key, value in body.items()
    }


def _high_argument(given: Any, masker: Masker) -> Any:
    """Return one entry of a declaration: an argument, or the function."""
    if not is_mapping(given):
        return given
    return {masker.within(word): _argument(word, value, masker) for word, value in given.items()}


def _low_chunk(chunk: dict[str, Any], masker: Masker) -> dict[str, Any]:
    shown = {masker.within(word): _argument(word, value, masker) for word, value in chunk.items()}
    if chunk["name"] == chunk["__id__"]:
        shown["name"] = shown["__id__"]
    return shown


def _argument(word: str, value: Any, masker: Masker) -> Any:
    if word in _AS_THEY_ARE:
        return value
    return _named(value, masker.name) if word in _NAMES else masker.data(value)


def _named(value: Any, shown: Callable[[str], str]) -> Any:
    """Return a copy of data in which all texts are names, keys included."""
    if isinstance(value, str):
        return shown(value)
    if is_list(value):
        return [_named(item, shown) for item in value]
    if is_mapping(value):
        return {_named(key, shown): _named(item, shown) for key, item in value.items()}
    return value
