"""The JSON Schema of `ensue.yaml`, from the table of its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.json_schema import DIALECT
from ensue.core.model.option_kinds import Either, KnownKeys, ListOf, MappingOf, OneOf, Variants, WordOption
from ensue.language.settings.option_table import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.option_kinds import OptionKind

_TYPES: Final[Mapping[type, str]] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}


def options_schema() -> dict[str, Any]:
    """Return the schema.

    It checks names, types, words and nested keys. Some rules (`a size from 64KiB`) are only in the
    description of the option; `ensue` itself checks them.
    """
    return {
        "$schema": DIALECT,
        "title": "ensue.yaml",
        "description": "The options of a project of ensue.",
        "type": ["object", "null"],
        "properties": {name: _schema(kind) for name, kind in OPTIONS.items()},
        # An `sdb` profile, whose name the user chooses. Other names are only passed on to templates.
        "additionalProperties": {"type": "object", "required": ["driver"]},
    }


def _schema(kind: OptionKind) -> dict[str, Any]:
    """Return the schema of a kind of value, described in the words of ensue's own messages."""
    return {"description": f"Takes {kind.takes}.", **_shape(kind)}


def _shape(kind: OptionKind) -> dict[str, Any]:  # noqa: PLR0911 (one for each kind)
    match kind:
        case OneOf():
            bounds = {} if kind.lowest is None else {"minimum": kind.lowest}
            return _type(kind.types) | bounds
        case WordOption():
            return {"enum": list(kind.words)}
        case ListOf():
            return {"type": "array", "items": _schema(kind.kind)}
        case MappingOf():
            return {"type": "object", "additionalProperties": _schema(kind.kind)}
        case KnownKeys():
            return _group(kind.kinds)
        case Either():
            return {"anyOf": [_schema(shape) for shape in kind.shapes.values()]}
        case Variants():
            return {"oneOf": [_variant(kind, word) for word in kind.kinds]}
        case _:
            return {}


def _type(types: tuple[type, ...]) -> dict[str, Any]:
    if object in types:
        return {}
    names = list(dict.fromkeys(_TYPES[type_] for type_ in types))
    return {"type": names[0] if len(names) == 1 else names}


def _group(kinds: Mapping[str, OptionKind]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _schema(kind) for name, kind in kinds.items()},
        "additionalProperties": False,
    }


def _variant(kind: Variants, word: str) -> dict[str, Any]:
    group = _group(kind.kinds[word])
    group["properties"] = {kind.key: {"const": word}, **group["properties"]}
    return group | {"required": [kind.key, *kind.required.get(word, ())]}
