"""Make up params that satisfy a schema, as an example for developers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping
from ensue.deploy.gotemplate.regex import example_of
from ensue.deploy.provisioning.params_schemas.defaults import filled_in
from ensue.deploy.provisioning.params_schemas.reasons import misfit_of, shown_path
from ensue.deploy.provisioning.params_schemas.schema import resolved, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.deploy.provisioning.params_schemas.schema import ParamsSchema

_MOST_LEVELS: Final = 6
_MOST_REPEATED: Final = 64
_IMPLIED: Final[Mapping[str, tuple[str, ...]]] = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Keywords that only make sense for a type."""


def example_params(schema: ParamsSchema) -> tuple[Any, str]:
    """Return params that satisfy a schema, and why they do not; that is empty if they do.

    They have what is required and has no default. What a schema requires can be too odd to make up.
    """
    params = _Maker(schema.data).value(schema.data, "params")
    filled = filled_in(params, schema)
    each = [misfit_of(violation) for violation in schema.check(filled)]
    return params, "; ".join(
        f"{shown_path(('params', *schema_misfit.path))} {schema_misfit.reason or 'is no key'}"
        for schema_misfit in each
    )


class _Maker:
    """Makes up values.

    Args:
        root: the whole schema.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._by_type: Mapping[str, Callable[[Mapping[str, Any], str, int], Any]] = {
            "object": self._mapping,
            "array": self._list,
            "integer": lambda schema, _, __: _number(schema),
            "number": lambda schema, _, __: _number(schema),
            "boolean": lambda _, __, ___: False,
            "null": lambda _, __, ___: None,
            "string": lambda schema, name, _: _text(schema, name),
        }

    def value(self, schema: Any, name: str, level: int = 0) -> Any:
        """Return a value for a schema, which may not satisfy all of it.

        Args:
            schema: the schema.
            name: what the value is called.
            level: how deep it is.
        """
        schema = _merged(schema, self._root)
        if not is_mapping(schema) or level == _MOST_LEVELS:
            return name.upper()
        for key in ("const", "default"):
            if key in schema:
                return schema[key]
        for key in ("examples", "enum"):
            if schema.get(key):
                return schema[key][0]
        return self._by_type[_first_type(schema)](schema, name, level)

    def _mapping(self, schema: Mapping[str, Any], _: str, level: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        parts = {key: resolved(properties.get(key), self._root) for key in schema.get("required", ())}
        needed = (key for key, part in parts.items() if not (is_mapping(part) and "default" in part))
        return {key: self.value(properties.get(key, {}), key, level + 1) for key in needed}

    def _list(self, schema: Mapping[str, Any], name: str, level: int) -> list[Any]:
        first = schema.get("prefixItems", [])
        items = [*first, *[schema.get("items", {})] * max(schema.get("minItems", 0) - len(first), 0)]
        return [self.value(item, name, level + 1) for item in items]


def _merged(schema: Any, root: Mapping[str, Any]) -> Any:
    """Return a schema together with its parts for the same value, of alternatives the first."""
    schema = resolved(schema, root)
    if not is_mapping(schema):
        return schema
    merged: dict[str, Any] = dict(schema)
    parts = [*schema.get("allOf", []), *schema.get("anyOf", [])[:1], *schema.get("oneOf", [])[:1]]
    for given in parts:
        part = _merged(given, root)
        if is_mapping(part):
            properties = {**part.get("properties", {}), **merged.get("properties", {})}
            required = dict.fromkeys([*merged.get("required", []), *part.get("required", [])])
            merged = {**part, **merged, "properties": properties, "required": list(required)}
            if not properties and not required:
                del merged["properties"], merged["required"]
    return merged


def _first_type(schema: Mapping[str, Any]) -> str:
    implied = (type_ for type_, keys in _IMPLIED.items() if any(key in schema for key in keys))
    return next(iter(types_of(schema)), None) or next(implied, "string")


def _number(schema: Mapping[str, Any]) -> float:
    least = schema.get("minimum")
    if least is None and "exclusiveMinimum" in schema:
        least = schema["exclusiveMinimum"] + 1
    most = schema.get("maximum", schema.get("exclusiveMaximum", 2) - 1)
    number: float = min(1, most) if least is None else least
    if "exclusiveMaximum" in schema and number >= schema["exclusiveMaximum"]:
        number = (
            schema.get("minimum", schema.get("exclusiveMinimum", number)) + schema["exclusiveMaximum"]
        ) / 2
    step = schema.get("multipleOf")
    return number if step is None else -(-number // step) * step


def _text(schema: Mapping[str, Any], name: str) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if "pattern" not in schema:
        text = name.upper().ljust(least, "X")
        return text if most is None else text[:most]
    for more in range(_MOST_REPEATED):
        text = example_of(schema["pattern"], more)
        if len(text) >= max(least, 1):
            return text
    return ""
