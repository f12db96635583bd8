"""The JSON Schema of resource definitions, with the keys that `definition_files` reads."""

from __future__ import annotations

from typing import Any, Final

from ensue.core.model.json_schema import DIALECT
from ensue.deploy.provisioning.definition_files import CRITERION_KEYS, ENTITY_KEYS, KIND, METADATA_KEYS
from ensue.deploy.provisioning.definitions import CRITERION_FIELDS

_TEXT: Final = {"anyOf": [{"type": "string", "pattern": r"\S"}, {"type": "integer"}]}
_OPTIONAL_TEXT: Final = {"anyOf": [*_TEXT["anyOf"], {"type": "null"}]}
_FLAG: Final = {"type": ["boolean", "null"]}
_MAPPING: Final = {"type": ["object", "null"]}
_DURATION: Final = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "pattern": r"^\s*[0-9.]+\s*[a-zA-Z]*\s*$"},
        {"type": "null"},
    ]
}
_PLACEHOLDER: Final = {"type": "string", "pattern": r"\$\{"}


def definition_schema() -> dict[str, Any]:
    """Return the schema of one document; a file may have several, separated by `---`."""
    entity = _closed(ENTITY_KEYS, _ENTITY) | {"required": ["type", "driver_type"]}
    return {
        "$schema": DIALECT,
        "title": "Resource definition of ensue",
        "description": "The driver of a type of resources, its inputs, and the resources it applies to.",
        "type": ["object", "null"],
        "properties": {
            "apiVersion": {},
            "kind": {"const": KIND, "description": f"Always {KIND}."},
            "metadata": _closed(METADATA_KEYS, {"id": _described(_TEXT, "The id of the definition.")})
            | {"required": ["id"]},
            "entity": entity,
            "object": entity | {"description": "The older name of `entity`."},
        },
        "required": ["kind", "metadata"],
        "anyOf": [{"required": ["entity"]}, {"required": ["object"]}],
        "additionalProperties": False,
    }


def _closed(keys: tuple[str, ...], known: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key: known.get(key, {}) for key in keys},
        "additionalProperties": False,
    }


def _described(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return schema | {"description": description}


_PROVISION: Final = {
    "type": ["object", "null"],
    "properties": {
        "is_dependent": _described(_FLAG, "Whether it depends on the resource of the definition."),
        "match_dependents": _described(_FLAG, "Whether dependents of that resource also depend on it."),
        "params": _described(_MAPPING, "Its parameters."),
        "for_each": {
            "description": "A list or mapping with an item for each resource.",
            "anyOf": [{"type": ["array", "object", "null"]}, _PLACEHOLDER],
        },
    },
    "additionalProperties": False,
}
_READY: Final = {
    "type": ["object", "null"],
    "properties": {
        "tcp": {"description": "A server accepts connections: HOST:PORT."},
        "http": {"description": "A web server answers: a URL."},
        "status": {"description": "The status that it answers; default: any of 200 to 299."},
        "command": {"description": "A program of this machine and its arguments; its exit code must be 0."},
        "timeout": _described(_DURATION, "How long it may take (seconds, or `90s`)."),
        "interval": _described(_DURATION, "The time between two attempts (seconds, or `90s`)."),
    },
    "additionalProperties": False,
}
_ENTITY: Final[dict[str, Any]] = {
    "name": _described(_OPTIONAL_TEXT, "A name for people."),
    "type": _described(_TEXT, "The type of the resources."),
    "driver_type": _described(_TEXT, "The driver that provisions them."),
    "driver_account": _described(_OPTIONAL_TEXT, "The account that the driver uses."),
    "driver_inputs": _closed(
        ("values", "secrets", "secret_refs"),
        {
            "values": _described(_MAPPING, "Plain inputs."),
            "secrets": _described(_MAPPING, "Secret inputs."),
            "secret_refs": _described(_MAPPING, "References to secrets in a secret store."),
        },
    )
    | {"type": ["object", "null"]},
    "provision": {
        "description": "Resources that are provisioned with it, by TYPE[.CLASS][#ID].",
        "type": ["object", "null"],
        "additionalProperties": _PROVISION,
    },
    "criteria": {
        "description": "The resources that it applies to; `[{}]` for all of its type.",
        "type": ["array", "null"],
        "items": _closed(CRITERION_KEYS, dict.fromkeys(("class", *CRITERION_FIELDS), _OPTIONAL_TEXT)),
    },
    "params_schema": {
        "description": "A JSON Schema that the params of its resources must satisfy.",
        "type": ["object", "boolean", "null"],
    },
    "ready": _described(_READY, "What must hold before dependents of its resources start."),
    "destroy_first": _described(_FLAG, "Destroy a resource before another one replaces it."),
    "protect": _described(_FLAG, "Whether its resources may not be destroyed."),
    "retain": _described(_FLAG, "Whether its resources are left as they are when they are removed."),
    "timeout": _described(_DURATION, "How long a call of the driver may take (seconds, or `90s`)."),
    "retry": {
        "description": "How often, and after which time, a failed call of the driver is repeated.",
        "type": ["object", "null"],
        "properties": {"attempts": {"type": ["integer", "null"], "minimum": 1}, "interval": _DURATION},
        "additionalProperties": False,
    },
}
"""The schemas of the keys of `entity`."""
