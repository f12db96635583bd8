"""Fill in the defaults of a schema.

They are filled in for keys that a mapping leaves out, also in the mappings and lists within it. A mapping
that is left out itself is not made for the defaults in it; it has a default of its own, or stays away.

Source: Kubernetes, "Defaulting" of custom resources, which Crossplane and kro use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ensue.core.model.data import copied, is_list, is_mapping
from ensue.deploy.provisioning.params_schemas.schema import resolved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.provisioning.params_schemas.schema import ParamsSchema
    from ensue.deploy.provisioning.written import TemplatedData


def with_defaults(params: TemplatedData, schema: ParamsSchema) -> TemplatedData:
    """Return params with what they leave out filled in; themselves if that is nothing."""
    data = filled_in(params.data, schema)
    return (
        params if data is params.data else replace(params, data=data, source=filled_in(params.source, schema))
    )


def filled_in(data: Any, schema: ParamsSchema) -> Any:
    """Return data with what it leaves out; the same object if that is nothing."""
    return _filled(data, schema.data, schema.data)


def _filled(data: Any, schema: Any, root: Mapping[str, Any]) -> Any:
    schema = resolved(schema, root)
    if not is_mapping(schema):
        return data
    if is_mapping(data):
        return _filled_mapping(data, schema, root)
    if is_list(data) and "items" in schema:
        items = [_filled(item, schema["items"], root) for item in data]
        return items if any(a is not b for a, b in zip(items, data, strict=True)) else data
    return data


def _filled_mapping(data: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    filled = dict(data)
    for key, given in schema.get("properties", {}).items():
        part = resolved(given, root)
        if key not in data and is_mapping(part) and "default" in part:
            filled[key] = copied(part["default"])
        if key in filled:
            filled[key] = _filled(filled[key], part, root)
    is_same = len(filled) == len(data) and all(filled[key] is data[key] for key in data)
    return data if is_same else filled
