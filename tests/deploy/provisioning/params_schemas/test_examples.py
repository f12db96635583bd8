"""Examples that are made up for a schema, and the list of its params."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ensue.deploy.provisioning.params_schemas import example_params, listed_params, read_params_schema
from ensue.deploy.provisioning.written import TextPlace
from ensue.language.collector import Collector
from ensue.language.yaml import YamlDocument

if TYPE_CHECKING:
    from ensue.deploy.provisioning.params_schemas import ParamsSchema


def schema_of(data: Any) -> ParamsSchema:
    collector = Collector()
    read = read_params_schema(data, "box", "box", TextPlace(YamlDocument("d.yaml", "")), collector)
    assert read is not None, collector.errors
    return read


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "minLength": 40},
        {"type": "string", "maxLength": 2},
        {"pattern": "^[a-z][a-z0-9-]{3,10}$"},
        {"pattern": "^[a-z]*$", "minLength": 5},
        {"pattern": r"^(\d{1,3}\.){3}\d{1,3}/\d+$"},
        {"pattern": "^(eu|us)-[0-9]+$"},
        {"type": "integer", "minimum": 3},
        {"type": "integer", "maximum": -3},
        {"type": "integer", "exclusiveMinimum": 3, "multipleOf": 4},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
        {"type": ["null", "string"]},
        {"type": "boolean"},
        {"enum": ["b", "a"]},
        {"const": {"a": 1}},
        {"type": "string", "pattern": "^[A-Z]+x$", "examples": ["Bx", "ABx"]},
        {"type": "array", "minItems": 2, "items": {"type": "integer"}},
        {"prefixItems": [{"const": 1}, {"type": "string"}], "items": {"type": "boolean"}, "minItems": 3},
        {"required": ["a", "b"], "properties": {"a": {"type": "integer"}, "b": {"default": 2}}},
        {"allOf": [{"required": ["a"], "properties": {"a": {"const": 1}}}, {"required": ["b"]}]},
        {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
        {"$ref": "#/$defs/port"},
        True,
    ],
)
def test_an_example_satisfies_its_schema(schema: Any) -> None:
    """What is required is made up so that the definition takes it."""
    params, problem = example_params(
        schema_of({
            "required": ["it"],
            "properties": {"it": schema, "other": {"type": "string"}},
            "$defs": {"port": {"type": "integer", "minimum": 1024}},
        })
    )  # fmt: skip
    assert problem == ""
    assert list(params) == ["it"]


def test_an_example_says_what_it_does_not_satisfy() -> None:
    """What cannot be made up is named."""
    schema = schema_of({"required": ["it"], "properties": {"it": {"type": "string", "not": {"const": "IT"}}}})
    assert example_params(schema) == ({"it": "IT"}, "params.it is what its schema excludes (`not`)")


def test_params_are_listed_with_those_in_them() -> None:
    """A schema that refers to itself is listed as far as people read."""
    tree = {
        "description": "A tree.\n  Of  nodes",
        "required": ["kids"],
        "properties": {
            "kids": {"type": "array", "items": {"$ref": "#"}},
            "kind": {"enum": ["a", 1], "default": "a"},
        },
    }
    listed = listed_params(schema_of(tree))
    names = [param.name for param in listed]
    assert names[:3] == ["kids", "kids[].kids", "kids[].kids[].kids"]
    last = listed[-1]
    assert (last.name, last.type, last.is_required) == ("kind", "string or integer", False)
    assert (last.has_default, last.default, last.permitted) == (True, "a", '"a", 1')
    assert len(listed) < 20


def test_alternatives_and_defaults_are_not_all_made_up() -> None:
    """Of `oneOf` and `anyOf` only the first is used, and what has a default is left to it."""
    first, second = ({"required": [name], "properties": {name: {"const": name}}} for name in "ab")
    assert example_params(schema_of({"anyOf": [first, second]})) == ({"a": "a"}, "")
    assert example_params(schema_of({"oneOf": [first, second]})) == ({"a": "a"}, "")
    defaulted = {"required": ["a", "b"], "properties": {"a": {"default": 1}, "b": {"const": 2}}}
    assert example_params(schema_of(defaulted)) == ({"b": 2}, "")


def test_a_value_for_any_schema_is_its_name_in_capitals() -> None:
    """The schema `true` accepts it."""
    assert example_params(schema_of({"required": ["size"], "properties": {"size": True}}))[0] == {
        "size": "SIZE"
    }


def test_the_id_of_a_schema_changes_no_reference() -> None:
    """References are to parts of the same schema, whatever it is called elsewhere."""
    schema = schema_of(
        {
            "$id": "https://example.com/box",
            "required": ["port"],
            "properties": {"port": {"$ref": "#/$defs/port"}},
            "$defs": {"port": {"type": "integer", "minimum": 1024}},
        }
    )
    assert example_params(schema) == ({"port": 1024}, "")
    assert len(list(schema.check({"port": 80}))) == 1


@pytest.mark.parametrize("schema", [{"type": 7}, {"type": "array"}, {"$ref": "#/$defs/absent"}, "text"])
def test_a_malformed_schema_is_none(schema: Any) -> None:
    """Its errors are reported, and nothing is checked by it."""
    collector = Collector()
    place = TextPlace(YamlDocument("d.yaml", ""))
    assert read_params_schema(schema, "box", "box", place, collector) is None
    assert {error.code for error in collector.errors} == {"E0863"}
