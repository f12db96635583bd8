"""A schema, and the walk over its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.paths import value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.deploy.provisioning.params_schemas.validator import Violation
    from ensue.deploy.provisioning.written import TextPlace

SAME_VALUE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_VALUE: Final = ("not", "if", "then", "else")
_SINGLE: Final = (
    "items", "additionalProperties", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_FALSE_HAS_PLACE: Final = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties")
_BY_NAME: Final = ("properties", "patternProperties", "$defs", "definitions")


class ParamsSchema(msgspec.Struct, frozen=True, kw_only=True):
    """The schema of a definition for the params of its resources; it has been checked.

    Args:
        data: the schema; all keys in it are text.
        check: returns what data violates of it, and raises a RecursionError if that is nested too deeply.
        definition: the id of the definition.
        place: its place.
    """

    data: Mapping[str, Any]
    check: Callable[[Any], list[Violation]]
    definition: str
    place: TextPlace


class Subschema(NamedTuple):
    """A schema within a schema.

    Args:
        data: the schema.
        path: its path.
        is_same_value: whether it applies to the same value as the schema around it.
    """

    data: Any
    path: tuple[str | int, ...]
    is_same_value: bool


def parts_of(schema: Mapping[str, Any]) -> Iterator[Subschema]:
    """Yield the schemas directly within a schema, without those that it refers to."""
    for key in (*_SINGLE, *_SAME_VALUE):
        if key in schema:
            yield Subschema(schema[key], (key,), key in _SAME_VALUE)
    for key in (*SAME_VALUE_LISTS, "prefixItems"):
        given = schema.get(key)
        for place, part in enumerate(given if is_list(given) else ()):
            yield Subschema(part, (key, place), key in SAME_VALUE_LISTS)
    for key in (*_BY_NAME, "dependentSchemas"):
        given = schema.get(key)
        for name, part in given.items() if is_mapping(given) else ():
            yield Subschema(part, (key, name), key == "dependentSchemas")


def explicit_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in which `false` is a mapping that nothing satisfies.

    The validator knows no place for what violates `false`, except where that excludes further keys or items.
    """
    made: dict[str, Any] = {key: copied(value) for key, value in schema.items()}
    for part in parts_of(schema):
        key, *below = part.path
        new = _explicit_part(part.data, may_be_false=key in _FALSE_HAS_PLACE)
        if below:
            made[str(key)][below[0]] = new
        else:
            made[str(key)] = new
    return made


def _explicit_part(data: Any, *, may_be_false: bool) -> Any:
    if is_mapping(data):
        return explicit_schema(data)
    return {"not": {}} if data is False and not may_be_false else data


def resolved(schema: Any, root: Mapping[str, Any]) -> Any:
    """Return a schema, or the one that it consists of a reference to."""
    seen: list[str] = []
    while is_mapping(schema) and isinstance(reference := schema.get("$ref"), str) and reference not in seen:
        seen.append(reference)
        schema = {**referred(reference, root), **{key: schema[key] for key in schema if key != "$ref"}}
    return schema


def referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a reference within a schema names.

    Args:
        reference: `#` and a JSON pointer.
        root: the whole schema.

    Raises:
        LookupError: it names none.
    """
    pointer = reference.removeprefix("#")
    if not reference.startswith("#") or (pointer and not pointer.startswith("/")):
        raise LookupError(reference)
    parts = pointer.split("/")[1:]
    value = value_at(root, [part.replace("~1", "/").replace("~0", "~") for part in parts])
    if not is_mapping(value):
        raise LookupError(reference)
    return value


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """Return the types that a schema names; empty: none, so it permits all of them."""
    given = schema.get("type", [])
    return given if is_list(given) else [given]
