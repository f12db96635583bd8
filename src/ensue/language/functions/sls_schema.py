"""The JSON Schema of SLS files, from the documentation of state functions.

It describes the data of a file without templates, or of one that is rendered. It is as tolerant as the
compiler: a reference `${…}`, a slot or a template may be in the place of any value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.argument_types import argument_type
from ensue.core.model.json_schema import DIALECT
from ensue.language.declarations import TOP_LEVEL_WORDS
from ensue.language.fan_outs import FAN_OUT_WORDS
from ensue.language.option_words import OPTION_WORDS
from ensue.language.requisite_names import DROPPED, REQUISITE_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.contracts.function_docs import ArgumentDoc, FunctionDoc

_NOT_GIVEN: Final[dict[str, Any]] = {"enum": [None, "", [], {}]}
_LATE: Final = {"type": "string", "pattern": r"\$\{|__slot__:|\{\{|\{%"}
_WORDS: Final = {
    "true": r"^\s*([Tt][Rr][Uu][Ee]|[Yy][Ee][Ss]|[Oo][Nn]|[Yy]|1)\s*$",
    "false": r"^\s*([Ff][Aa][Ll][Ss][Ee]|[Nn][Oo]|[Oo][Ff][Ff]|[Nn]|0)\s*$",
}
_NUMBER: Final = {
    "anyOf": [
        {"type": "number"},
        {"const": False},
        {"type": "string", "pattern": r"^\s*[-+]?[0-9_]*\.?[0-9]+([eE][-+]?[0-9]+)?\s*$"},
    ]
}
_KINDS: Final[dict[str, dict[str, Any]]] = {
    "bool": {
        "anyOf": [
            {"type": "boolean"},
            {"enum": [0, 1]},
            *({"type": "string", "pattern": pattern} for pattern in _WORDS.values()),
        ]
    },
    "number": _NUMBER,
    "seconds": _NUMBER,
    "mode": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^(0o)?[0-7]+$"}]},
    "text": {"type": ["string", "number", "boolean"]},
    "list": {"anyOf": [{"type": ["array", "string", "number"]}, {"const": False}]},
    "mapping": {
        "anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}, {"const": False}]
    },
}
"""The values of each kind of `argument_types`."""
_REQUISITE: Final = {"type": ["array", "object", "string"]}
_CALL: Final = {"type": "object", "required": ["fun"]}
_TEXT_OR_TEXTS: Final = {"type": ["string", "array", "null"], "items": {"type": "string"}}
_FLAG: Final = {"anyOf": [_KINDS["bool"], _NOT_GIVEN, _LATE]}


_CONDITIONS: Final[dict[str, Any]] = {
    "anyOf": [
        {"type": ["string", "boolean", "null"]},
        _CALL,
        {"type": "array", "items": {"anyOf": [{"type": ["string", "boolean"]}, _CALL]}},
    ]
}
"""`onlyif` and `unless`; a boolean compiles with a warning."""

_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    **{word: {} for word in (*OPTION_WORDS, *DROPPED, *FAN_OUT_WORDS, "arg_bind", "sensitive")},
    **dict.fromkeys(REQUISITE_OPTIONS - {"onfail_stop"}, _REQUISITE),
    "order": {"anyOf": [{"type": "number"}, {"enum": ["first", "last"]}, _LATE]},
    "names": {"type": "array"},
    "unless": _CONDITIONS,
    "onlyif": _CONDITIONS,
    "creates": _TEXT_OR_TEXTS,
    "check_cmd": _TEXT_OR_TEXTS,
    **dict.fromkeys(
        ("failhard", "parallel", "onfail_stop", "reload_modules", "reload_grains", "reload_pillar"), _FLAG
    ),
    "delayed_render": {"type": ["array", "object", "string"]},
    "registers": {"type": ["object", "array"]},
    "tgt": {"type": "string"},
}
"""The schemas of the words that every state takes."""


def sls_schema(functions: Iterable[FunctionDoc], *, is_open: bool = False) -> dict[str, Any]:
    """Return the schema.

    Args:
        functions: all state functions.
        is_open: whether there are further functions, whose arguments are not known.
    """
    every = sorted(functions, key=lambda documented: documented.name)
    modules: dict[str, list[str]] = {}
    for documented in every:
        module, _, function = documented.name.rpartition(".")
        modules.setdefault(module, []).append(function)
    known = {"enum": [documented.name for documented in every]}
    short: dict[str, Any] = {"pattern": r"^\S+\.\S+$"} if is_open else known
    body = {
        **{documented.name: _declared(documented) for documented in every},
        **{module: _long_form(names) for module, names in modules.items()},
    }
    return {
        "$schema": DIALECT,
        "title": "SLS of ensue",
        "description": "State declarations by ID.",
        "type": ["object", "null"],
        "properties": {
            **{word: {} for word in TOP_LEVEL_WORDS},
            "include": {"type": "array", "items": {"type": ["string", "object"]}},
            "extend": {"type": "object"},
            "exclude": {"type": "array", "items": {"type": ["string", "object"]}},
        },
        "additionalProperties": {
            "anyOf": [
                {"type": "string", **short},
                {"type": "object", "properties": body, "additionalProperties": is_open},
            ]
        },
        "$defs": {
            "options": {"properties": _OPTIONS},
            **{documented.name: _function(documented) for documented in every},
            **{f"kind {name}": kind for name, kind in _KINDS.items()},
            "late": _LATE,
            "not given": _NOT_GIVEN,
        },
    }


def _declared(doc: FunctionDoc) -> dict[str, Any]:
    """Return the schema of a function under its ID: a list that has the required arguments."""
    required = [argument.name for argument in doc.arguments if argument.required and argument.name != "name"]
    # `use` copies arguments from another state.
    copied = {"contains": {"required": ["use"]}}
    needed = [{"anyOf": [{"contains": {"required": [name]}}, copied]} for name in required]
    return {"$ref": f"#/$defs/{doc.name}"} | ({"allOf": needed} if needed else {})


def _function(doc: FunctionDoc) -> dict[str, Any]:
    item, others_with = (
        _item(doc),
        next((argument.others_with for argument in doc.arguments if argument.others_with), ""),
    )
    schema: dict[str, Any] = {"description": doc.summary, "type": ["array", "null"]}
    if not others_with:
        return schema | {"items": item}
    return schema | {
        "if": {"type": "array", "contains": {"required": [others_with]}},
        "then": {"items": {**item, "unevaluatedProperties": True}},
        "else": {"items": item},
    }


def _item(doc: FunctionDoc) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    is_open = False
    for argument in doc.arguments:
        is_open |= argument.takes_any
        properties |= (
            {name: {} for name in argument.names}
            if argument.repeated
            else {argument.name: _argument(argument)}
        )
    return {
        "type": "object",
        "minProperties": 1,
        "properties": properties,
        "$ref": "#/$defs/options",
        "unevaluatedProperties": is_open,
    }


def _argument(argument: ArgumentDoc) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": argument.meaning}
    if argument.default is not None and isinstance(argument.default, bool | int | float | str):
        schema["default"] = argument.default
    known = argument_type(argument.annotation) if argument.annotation else None
    if known is None or argument.name == "name":
        return schema
    choices = [{"type": "string", "pattern": _in_any_case(choice)} for choice in known.choices]
    kinds = [{"$ref": f"#/$defs/kind%20{kind}"} for kind in known.kinds]
    return schema | {"anyOf": [*kinds, *choices, {"$ref": "#/$defs/late"}, {"$ref": "#/$defs/not%20given"}]}


def _in_any_case(word: str) -> str:
    """Return the pattern of a word in upper or lower case."""
    letters = (
        f"[{letter.upper()}{letter.lower()}]" if letter.isalpha() else _escaped(letter) for letter in word
    )
    return f"^\\s*{''.join(letters)}\\s*$"


def _escaped(sign: str) -> str:
    return sign if sign.isalnum() or sign in "_ -" else f"\\{sign}"


def _long_form(functions: list[str]) -> dict[str, Any]:
    """Return the schema of a module under its ID: the function is one item of the list."""
    return {
        "type": "array",
        "contains": {"enum": functions},
        "items": {"anyOf": [{"type": "object"}, {"enum": functions}]},
    }
