"""A mapping that notes what is read of it behaves like any other, and notes every read."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from ensue.language.jinja import JinjaRenderer
from ensue.store.runs.read_mapping import ReadMapping

if TYPE_CHECKING:
    from collections.abc import Callable

DATA: dict[str, Any] = {"port": 80, "app": {"name": "shop", "tags": [1, 2]}, "text": "x"}


@pytest.mark.parametrize(
    ("read", "keys"),
    [
        (lambda mapping: mapping["port"], {"port"}),
        (lambda mapping: mapping.get("none", 5), {"none"}),
        (lambda mapping: "app" in mapping, {"app"}),
        (lambda mapping: mapping["app"]["name"], {"app"}),
        (lambda mapping: mapping.setdefault("port", 1), {"port"}),
    ],
)
def test_keys_that_are_asked_for_are_noted(read: Callable[[Any], Any], keys: set[str]) -> None:
    """Keys of the top level are noted, and no others."""
    mapping = ReadMapping(copy.deepcopy(DATA))
    assert read(mapping) == read(copy.deepcopy(DATA))
    assert (set(mapping.keys_read), mapping.is_read_whole) == (keys, False)


@pytest.mark.parametrize(
    "read",
    [
        list,
        dict,
        len,
        bool,
        str,
        sorted,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        lambda mapping: {**mapping},
        lambda mapping: mapping | {"more": 1},
        lambda mapping: {"more": 1} | mapping,
        lambda mapping: mapping == DATA,
        lambda mapping: mapping != DATA,
        lambda mapping: mapping.copy(),
        lambda mapping: list(mapping.items()),
        lambda mapping: list(mapping.keys()),
        lambda mapping: list(mapping.values()),
        lambda mapping: dict(**mapping),
        lambda mapping: [*reversed(mapping)],
    ],
)
def test_to_go_through_it_is_to_read_all(read: Callable[[Any], Any]) -> None:
    """Everything that reads all keys is noted so, in Python and in C."""
    mapping = ReadMapping(copy.deepcopy(DATA))
    assert read(mapping) == read(copy.deepcopy(DATA))
    assert mapping.is_read_whole


@pytest.mark.parametrize(
    "text",
    [
        "{{ pillar }}",
        "{{ pillar | json }}",
        "{{ pillar | tojson }}",
        "{{ pillar | yaml }}",
        "{{ pillar | yaml(False) }}",
        "{{ pillar | dictsort }}",
        "{{ pillar | list }}",
        "{{ pillar | length }}",
        "{% for key, value in pillar.items() %}{{ key }}{{ value }}{% endfor %}",
        "{% for key in pillar %}{{ key }}{% endfor %}",
        "{% if pillar %}x{% endif %}",
        "{{ pillar | python }}",
        "{% load_yaml as more %}a: {{ pillar | json }}{% endload %}{{ more.a }}",
    ],
)
def test_a_template_sees_no_difference(text: str) -> None:
    """Every way in which a template prints all of a pillar prints the same, and is noted."""
    renderer = JinjaRenderer([], shorten=str)
    mapping = ReadMapping(copy.deepcopy(DATA))
    plain = renderer.render(text, {"pillar": copy.deepcopy(DATA)}, path="t").text
    assert renderer.render(text, {"pillar": mapping}, path="t").text == plain
    assert mapping.is_read_whole


def test_what_is_set_is_set_in_the_original() -> None:
    """All users of the original see it; what is removed is gone there, too."""
    original = copy.deepcopy(DATA)
    mapping = ReadMapping(original)
    mapping["new"] = 1
    assert mapping.pop("port") == 80
    assert (original["new"], "port" in original) == (1, False)
