"""The references of `secret_refs` to secrets in stores, and their values.

A secret is `{store, ref, version}`, or `{value}` where it is written in the clear, at any depth below its
name. Nulls are left out. Nothing is read here.

Source: Humanitec, "Secret references"; published definitions that use them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_KEYS: Final = ("store", "ref", "version")


class SecretReference(msgspec.Struct, frozen=True, kw_only=True):
    """The store, name and version of a secret.

    Args:
        store: the name of the store.
        ref: the name of the secret in the store.
        version: its version; empty: the latest.
        is_known: whether all of that is known; otherwise it is the text as written, and cannot be read yet.
    """

    store: str
    ref: str
    version: str = ""
    is_known: bool = True

    def __str__(self) -> str:
        """Return the form that messages use: `STORE: REF@VERSION`."""
        return f"{self.store}: {self.ref}" + (f"@{self.version}" if self.version else "")


class Misshapen(NamedTuple):
    """A value that is neither a reference nor a mapping of references.

    Args:
        keys: its path below `secret_refs`.
        what: the error.
    """

    keys: tuple[str | int, ...]
    what: str


def secret_references(data: Any) -> list[SecretReference]:
    """Return all references, each once, in reading order.

    Args:
        data: the evaluated `secret_refs` of a definition; None: there are none.
    """
    return list(dict.fromkeys(reference for _, reference in placed_references(data))) if data else []


def placed_references(data: Any) -> list[tuple[tuple[str | int, ...], SecretReference]]:
    """Return all references with their paths below `secret_refs`, in reading order.

    Args:
        data: the evaluated `secret_refs` of a definition; None: there are none.
    """
    return [
        (keys, _reference(leaf))
        for keys, leaf in _leaves(data)
        if is_mapping(leaf) and "store" in leaf and not _fault(leaf)
    ]


def misshapen_references(data: Any) -> list[Misshapen]:
    """Return the errors in the shape of references.

    Args:
        data: the evaluated `secret_refs` of a definition; None: there are none.
    """
    return [Misshapen(keys, what) for keys, leaf in _leaves(data) if (what := _fault(leaf))]


def with_secrets(data: Any, values: Mapping[SecretReference, Any]) -> Any:
    """Return `secret_refs` with values instead of references; a value stays the text that it is.

    Args:
        data: the evaluated `secret_refs` of a definition; None: there are none.
        values: the value of each reference.

    Raises:
        KeyError: a reference has no value.
    """
    if is_mapping(data):
        return {name: _valued(value, values) for name, value in data.items() if value is not None}
    return {} if data is None else data


def _valued(data: Any, values: Mapping[SecretReference, Any]) -> Any:
    if is_mapping(data):
        given = {key: value for key, value in data.items() if value is not None}
        if "store" in given and _is_leaf(given):
            return values[_reference(given)]
        if _is_leaf(given):
            return given["value"]
        return {key: _valued(value, values) for key, value in given.items()}
    return [_valued(item, values) for item in data] if is_list(data) else data


def _leaves(data: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield every reference and value, and everything malformed; nulls are left out."""
    if is_mapping(data):
        given = {key: value for key, value in data.items() if value is not None}
        if keys and _is_leaf(given):
            yield keys, given
            return
        for key, item in given.items():
            yield from _leaves(item, (*keys, key))
    elif is_list(data):
        for index, item in enumerate(data):
            yield from _leaves(item, (*keys, index))
    elif data is not None:
        yield keys, data


def _is_leaf(given: Mapping[str, Any]) -> bool:
    """Return whether a mapping is a reference or a value; secrets may be named `store` and `value`, too."""
    if "store" in given:
        return not (is_mapping(given["store"]) or is_list(given["store"]))
    return list(given) == ["value"] and not is_mapping(given["value"])


def _reference(leaf: Mapping[str, Any]) -> SecretReference:
    parts = {key: leaf.get(key, "") for key in _KEYS}
    return SecretReference(
        **{key: part.reference if isinstance(part, Unknown) else str(part) for key, part in parts.items()},
        is_known=not any(isinstance(part, Unknown) for part in parts.values()),
    )


def _fault(leaf: Any) -> str:
    if not is_mapping(leaf):
        return "" if isinstance(leaf, Unknown) else "it is neither {store, ref, version} nor {value}"
    if "store" not in leaf:
        return ""
    if strange := [str(key) for key in leaf if key not in _KEYS]:
        return f"a reference has store, ref and version, and this one has {', '.join(strange)}"
    odd = [key for key in _KEYS if key in leaf and not isinstance(leaf[key], str | int | Unknown)]
    if odd:
        return f"{odd[0]} is no text"
    return "" if leaf.get("ref") not in ("", None) else "it has no ref"
