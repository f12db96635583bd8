"""What params violate of a schema, in words, and what is never in these words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.unknown import Unknown, unknowns_in
from ensue.deploy.provisioning.identity import ResourceKey
from ensue.deploy.provisioning.params_schemas import judged, read_params_schema
from ensue.deploy.provisioning.sensitive import Parted
from ensue.deploy.provisioning.written import TextPlace
from ensue.language.collector import Collector
from ensue.language.yaml import YamlDocument

if TYPE_CHECKING:
    from ensue.core.diagnostics import Diagnostic
    from ensue.deploy.provisioning.params_schemas import ParamsSchema

KEY = ResourceKey("box", "default", "a")
PLACE = TextPlace(YamlDocument("score.yaml", ""))


def schema_of(data: Any) -> ParamsSchema:
    """Return a schema that can be used."""
    collector = Collector()
    read = read_params_schema(data, "box", "box", PLACE, collector)
    assert read is not None, collector.errors
    return read


def misfits(params: Any, data: Any, secret_paths: tuple[Any, ...] = ()) -> list[Diagnostic]:
    return judged(KEY, Parted(params, secret_paths, {}), schema_of(data), PLACE)


def words(params: Any, data: Any) -> list[str]:
    """Return the messages without the resource."""
    return [misfit.summary.replace(f" of {KEY}", "") for misfit in misfits(params, data)]


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        (7, {"type": "string"}, "is a number, not a text"),
        (True, {"type": "integer"}, "is a truth value, not a whole number"),
        (None, {"type": ["object", "array"]}, "is null, not a mapping or a list"),
        ("c", {"enum": ["a", "b", 3]}, 'is not one of "a", "b", 3'),
        ("c", {"const": "a"}, 'is not "a"'),
        (0, {"minimum": 1}, "is less than 1"),
        (9, {"maximum": 8}, "is greater than 8"),
        (1, {"exclusiveMinimum": 1}, "is not greater than 1"),
        (1, {"exclusiveMaximum": 1}, "is not less than 1"),
        (3, {"multipleOf": 2}, "is not a multiple of 2"),
        ("", {"minLength": 1}, "has fewer than 1 character"),
        ("abc", {"maxLength": 2}, "has more than 2 characters"),
        ([], {"minItems": 1}, "has fewer than 1 item"),
        ([1, 2, 3], {"maxItems": 2}, "has more than 2 items"),
        ({}, {"minProperties": 1}, "has fewer than 1 key"),
        ({"a": 1, "b": 2}, {"maxProperties": 1}, "has more than 1 key"),
        ([1, 1], {"uniqueItems": True}, "has the same item twice"),
        ("b", {"pattern": "^a"}, 'does not match the pattern "^a"'),
        ("b", {"not": {"type": "string"}}, "is what its schema excludes (`not`)"),
        ("b", False, "is not allowed"),
        ([1], {"contains": {"type": "string"}}, "does not satisfy `contains`"),
        (1, {"oneOf": [{"type": "integer"}, {}]}, "fits more than one of its alternatives (`oneOf`)"),
        ({"a": 1}, {"unevaluatedProperties": False}, "has keys that no part of its schema describes"),
        ({"a": 1}, {"dependentRequired": {"a": ["b"]}}, "has no 'b', which 'a' requires"),
        ({"a": 1}, {"required": ["b"]}, "has no 'b'"),
        ({"a": 1}, {"additionalProperties": False}, "has no key 'a'"),
        ({"b": 1}, {"patternProperties": {"^a": {}}, "additionalProperties": False}, "has no key 'b'"),
    ],
)  # fmt: skip
def test_each_keyword_has_words(value: Any, schema: Any, message: str) -> None:
    """A message names the part and what is permitted."""
    assert words({"it": value}, {"properties": {"it": schema}}) == [f"'params.it' {message}"]


def test_a_pattern_ends_on_every_text() -> None:
    """A pattern that takes a backtracking matcher for ever takes one that is linear a moment."""
    schema = {
        "properties": {"it": {"pattern": "^(a+)+$"}},
        "patternProperties": {"^(a+)+$": {"type": "integer"}},
    }
    text = "a" * 5000 + "!"
    assert words({"it": text, text: "x"}, schema) == ["""'params.it' does not match the pattern "^(a+)+$\""""]
    long = words({"it": "a" * 2_000_000}, schema)
    assert long == ["""'params.it' is too long for the pattern "^(a+)+$\""""]


def test_deep_params_are_refused_by_name() -> None:
    """A schema that refers to itself follows params as deep as the interpreter can."""
    deep: Any = {}
    for _ in range(300):
        deep = {"in": deep}
    schema = {"type": "object", "properties": {"in": {"$ref": "#"}}}
    assert words(deep, schema) == ["'params' is nested too deeply to be checked"]
    assert words({"in": {"in": 1}}, schema) == ["'params.in.in' is a number, not a mapping"]


def test_keys_of_numbers_are_keys() -> None:
    """YAML has keys that are numbers; JSON Schema knows them as text."""
    assert words({80: "x"}, {"patternProperties": {"^[0-9]+$": {"type": "integer"}}}) == [
        "'params.80' is a text, not a whole number"
    ]


SECRET = "hunter2-of-the-params"
PERMITTED = st.sampled_from(
    [
        {"type": "integer"}, {"enum": ["hunter2-of-the-parts"]}, {"const": 1}, {"pattern": "^x"},
        {"additionalProperties": {"type": "string"}}, {"propertyNames": False}, {"maxLength": 2},
        {"anyOf": [{"additionalProperties": {"type": "string"}}, {"additionalProperties": False}, False]},
        {"minLength": 90}, {"not": {}}, False, {"anyOf": [{"type": "integer"}, {"maxLength": 2}]},
        {"oneOf": [{"const": 1}, False]}, {"type": "object", "additionalProperties": False},
    ]
)  # fmt: skip


@given(PERMITTED)
def test_a_secret_is_in_no_message(schema: Any) -> None:
    """Neither a secret value nor a key in a secret mapping is in a message, whatever is wrong with it."""
    for value in (SECRET, {SECRET: 1}):
        problems = misfits({"it": value}, {"properties": {"it": schema}}, (("it",),))
        assert SECRET not in str(problems)
        assert "hunter2-of-the-parts" not in "".join(problem.help for problem in problems)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "bb"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
SCHEMAS = st.recursive(
    st.booleans()
    | st.sampled_from(
        [
            {"type": "string"}, {"type": ["integer", "null"]}, {"enum": [1, "a", [1]]}, {"const": {"a": 1}},
            {"minimum": 0}, {"minLength": 1}, {"uniqueItems": True}, {"required": ["a"]}, {"maxItems": 1},
            {"pattern": "^a"}, {"maxProperties": 1}, {"dependentRequired": {"a": ["b"]}},
        ]
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1),
            "items": inner,
            "contains": inner,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "propertyNames": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=3),
        },
    ),
    max_leaves=8,
)  # fmt: skip
PARAMS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@given(PARAMS, SCHEMAS)
def test_it_judges_as_the_library_does(params: Any, schema: Any) -> None:
    """Known params satisfy a schema if the unchanged validator of the library says so."""
    from jsonschema import Draft202012Validator

    whole = {"properties": {"a": schema}, "additionalProperties": schema}
    assert (not misfits(params, whole)) == Draft202012Validator(whole).is_valid(params)


@given(PARAMS, SCHEMAS, st.data())
def test_what_is_not_known_is_never_an_error(params: Any, schema: Any, data: st.DataObject) -> None:
    """Params with unknown parts are only refused if no value of these parts could satisfy the schema."""
    whole = {"additionalProperties": schema}
    if misfits(params, whole):
        return

    def hidden(value: Any) -> Any:
        if data.draw(st.integers(0, 3)) == 0:
            return Unknown("${it}")
        if isinstance(value, dict):
            return {key: hidden(item) for key, item in value.items()}
        return [hidden(item) for item in value] if isinstance(value, list) else value

    partly = {key: hidden(value) for key, value in params.items()}
    assert not misfits(partly, whole), unknowns_in(partly)
