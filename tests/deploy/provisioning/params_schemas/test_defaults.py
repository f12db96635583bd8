"""Defaults of a schema."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.deploy.provisioning.params_schemas import read_params_schema, with_defaults
from ensue.deploy.provisioning.written import NO_MENTIONS, TemplatedData, TextPlace
from ensue.language.collector import Collector
from ensue.language.yaml import YamlDocument

PLACE = TextPlace(YamlDocument("score.yaml", ""))
DISK = {"properties": {"gb": {"default": 10}, "class": {"default": None}}}
SCHEMA = {
    "properties": {
        "size": {"default": "small"},
        "disk": {"$ref": "#/$defs/disk"},
        "own": {"$ref": "#/$defs/disk", "default": {"gb": 1}},
        "disks": {"type": "array", "items": {"$ref": "#/$defs/disk"}},
    },
    "$defs": {"disk": DISK},
}


@pytest.mark.parametrize(
    ("params", "filled"),
    [
        ({}, {"size": "small", "own": {"gb": 1, "class": None}}),
        ({"size": None, "own": {}}, {"size": None, "own": {"gb": 10, "class": None}}),
        ({"size": 1, "own": 2, "disk": 3, "disks": 4}, {"size": 1, "own": 2, "disk": 3, "disks": 4}),
        (
            {"size": 1, "own": 2, "disks": [{}, {"gb": 5}]},
            {"size": 1, "own": 2, "disks": [{"gb": 10, "class": None}, {"gb": 5, "class": None}]},
        ),
    ],
)
def test_what_is_left_out_is_filled_in(params: Any, filled: Any) -> None:
    """Keys that are left out get their defaults; what is given stays, null included."""
    schema = read_params_schema(SCHEMA, "box", "box", PLACE, Collector())
    assert schema is not None
    before = repr(params)
    written = with_defaults(TemplatedData(params, params, NO_MENTIONS, PLACE), schema)
    assert (written.data, written.source) == (filled, filled)
    assert repr(params) == before
    again = with_defaults(written, schema)
    assert again is written


def test_defaults_are_not_shared() -> None:
    """Two resources with the same default have mappings of their own."""
    schema = read_params_schema({"properties": {"a": {"default": {}}}}, "box", "box", PLACE, Collector())
    assert schema is not None
    first, second = (with_defaults(TemplatedData({}, {}, NO_MENTIONS, PLACE), schema).data for _ in range(2))
    assert first == second
    assert first["a"] is not second["a"]
