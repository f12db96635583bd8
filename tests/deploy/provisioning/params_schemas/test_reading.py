"""A `params_schema` as its author writes it: what is wrong with it is reported once, and at its place."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.deploy.provisioning.params_schemas import read_params_schema
from ensue.deploy.provisioning.written import TextPlace
from ensue.language.collector import Collector
from ensue.language.yaml import YamlDocument


@pytest.mark.parametrize(
    ("schema", "summary"),
    [
        ({"$schema": 5}, "'$schema' is a number"),
        ({"type": "strange", "$schema": "elsewhere"}, "'type'"),
        ({"properties": 5, "$ref": "#/nowhere"}, "'properties' is a number"),
    ],
)
def test_what_is_no_schema_is_judged_no_further(schema: dict[str, Any], summary: str) -> None:
    """The rest of it has no meaning: that it violates the meta-schema is the only error."""
    collector = Collector()
    place = TextPlace(YamlDocument("definitions/db.yaml", ""))
    assert read_params_schema(schema, "db", "postgres", place, collector) is None
    (error,) = collector.errors
    assert error.code == "E0863"
    assert summary in error.summary


def test_only_the_whole_schema_may_have_an_id() -> None:
    """References in a part with an ID of its own would mean other things."""
    collector = Collector()
    place = TextPlace(YamlDocument("definitions/db.yaml", ""))
    assert read_params_schema({"$id": "urn:a"}, "db", "postgres", place, collector) is not None
    read_params_schema({"properties": {"b": {"$id": "urn:b"}}}, "db", "postgres", place, collector)
    (error,) = collector.errors
    assert "'properties.b.$id' makes a part a schema of its own" in error.summary


@pytest.mark.parametrize(
    ("key", "is_endless"), [("allOf", True), ("anyOf", True), ("oneOf", True), ("prefixItems", False)]
)
def test_only_what_refers_to_itself_for_the_same_value_is_endless(key: str, *, is_endless: bool) -> None:
    """A list of lists is as deep as the params are."""
    collector = Collector()
    place = TextPlace(YamlDocument("definitions/db.yaml", ""))
    read_params_schema({key: [{"$ref": "#"}]}, "db", "postgres", place, collector)
    assert ["refers to itself" in error.summary for error in collector.errors] == [True] * is_endless
