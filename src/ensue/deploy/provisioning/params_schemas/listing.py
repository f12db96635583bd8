"""Describe a schema for developers: a line per parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.model.data import is_mapping
from ensue.deploy.provisioning.params_schemas.reasons import listed
from ensue.deploy.provisioning.params_schemas.schema import resolved, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.deploy.provisioning.params_schemas.schema import ParamsSchema

_MOST_LEVELS: Final = 6

_TYPES: Final[Mapping[type, str]] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", type(None): "null",
}  # fmt: skip


class ListedParam(NamedTuple):
    """A parameter that a schema describes.

    Args:
        name: its path (`storage.size`, `disks[].size`).
        type: its types in JSON Schema, joined by `or`; empty: any.
        is_required: whether the mapping that it is in must have it.
        default: its default.
        has_default: whether it has one, which may be null.
        permitted: the values it may have, separated by commas; empty: others than a list of values.
        description: its description.
    """

    name: str
    type: str
    is_required: bool
    default: Any
    has_default: bool
    permitted: str
    description: str


def listed_params(schema: ParamsSchema) -> tuple[ListedParam, ...]:
    """Return the parameters that a schema describes, each before those in it."""
    return tuple(_listed(schema.data, schema.data, "", 0))


def _listed(schema: Any, root: Mapping[str, Any], prefix: str, level: int) -> Iterator[ListedParam]:
    if level == _MOST_LEVELS or not is_mapping(schema):
        return
    required = schema.get("required", ())
    for key, given in schema.get("properties", {}).items():
        part: Any = resolved(given, root)
        name = f"{prefix}{key}"
        part = part if is_mapping(part) else {}
        yield ListedParam(
            name=name,
            type=" or ".join(types_of(part) or _types_of_values(_permitted(part))),
            is_required=key in required,
            default=part.get("default"),
            has_default="default" in part,
            permitted=listed(_permitted(part)),
            description=" ".join(str(part.get("description", part.get("title", ""))).split()),
        )
        yield from _listed(part, root, f"{name}.", level + 1)
        yield from _listed(resolved(part.get("items"), root), root, f"{name}[].", level + 1)


def _types_of_values(values: list[Any]) -> Iterable[str]:
    """Return the types of permitted values, which a schema with `enum` need not name."""
    return dict.fromkeys(map(_type_of, values))


def _type_of(value: object) -> str:
    return _TYPES.get(type(value), "object")


def _permitted(schema: Mapping[str, Any]) -> list[Any]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [])
