"""`pillar`, `grains` and `config`: finding values by colon paths, and merging them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ensue.core.errors import StateFailedError
from ensue.library.modules import config, grains, pillar
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext

PILLAR = {
    "a": {"b": {"c": 1}, "none": None},
    "list": [{"name": "x", "v": 1}, {"other": 2}, "plain"],
    "8080": "text key",
    "merge": {"deep": {"kept": 1}, "lists": [1, 2]},
    "master": {"only": "there"},
}
GRAINS = {"os_family": "Debian", "os": "Ubuntu", "ip": {"eth0": ["10.0.0.1"]}, "roles": ["web", "db"]}


def context(**options: Any) -> FakeFunctionContext:
    return FakeFunctionContext(
        FakeConnection(), pillar=PILLAR, grains_data=GRAINS, opts={"id": "m1", **options}
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a:b:c", 1),
        ("a:none", None),
        ("list:0:name", "x"),
        ("list:other", 2),
        ("list:2", "plain"),
        ("list:-1", "plain"),
        ("list:9", "none there"),
        ("8080", "text key"),
        ("a:b:c:d", "none there"),
        ("a:x", "none there"),
        ("", "none there"),
    ],
)
def test_a_path_leads_through_mappings_and_lists(path: str, expected: Any) -> None:
    """Keys, indices, and keys of the mappings in a list find values; anything else finds the default."""
    assert pillar.get(context(), path, "none there") == expected


def test_without_default_there_is_an_empty_text() -> None:
    """`pillar.get` of nothing is an empty text, unless the option asks for a failure."""
    assert pillar.get(context(), "nope") == ""
    with pytest.raises(StateFailedError, match="nope"):
        pillar.get(context(pillar_raise_on_missing=True), "nope")


def test_another_delimiter() -> None:
    """A path may be written with another delimiter."""
    assert pillar.get(context(), "a/b/c", delimiter="/") == 1


def test_a_default_is_merged_under_the_value() -> None:
    """With `merge` the pillar outranks the default, level by level; lists are joined only when asked for."""
    default = {"deep": {"own": 2, "kept": 0}, "lists": [0]}
    assert pillar.get(context(), "merge", default, merge=True) == {
        "deep": {"own": 2, "kept": 1},
        "lists": [1, 2],
    }
    joined = pillar.get(context(), "merge", default, merge=True, merge_nested_lists=True)
    assert joined["lists"] == [0, 1, 2]
    assert default == {"deep": {"own": 2, "kept": 0}, "lists": [0]}
    assert pillar.get(context(), "merge:lists", [2, 3], merge=True) == [2, 3, 1]
    assert pillar.get(context(), "nope", default, merge=True) == default


def test_several_keys_at_once() -> None:
    """`item` and `items` return values by path; `keys` the keys of a mapping."""
    assert pillar.item(context(), "a:b:c", "no") == {"a:b:c": 1, "no": ""}
    assert pillar.items(context()) == PILLAR
    assert pillar.keys(context(), "a:b") == ["c"]
    with pytest.raises(StateFailedError, match="not a mapping"):
        pillar.keys(context(), "list")


def test_grains_are_found_the_same_way() -> None:
    """`grains.get` nests too, and `has_value` says whether there is such a grain."""
    assert asyncio.run(grains.get(context(), "ip:eth0:0")) == "10.0.0.1"
    assert asyncio.run(grains.get(context(), "nope", 5)) == 5
    assert asyncio.run(grains.has_value(context(), "ip:eth0")) is True
    assert asyncio.run(grains.has_value(context(), "ip:eth9")) is False
    assert asyncio.run(grains.item(context(), "os", "nope")) == {"os": "Ubuntu", "nope": ""}
    assert asyncio.run(grains.equals(context(), "os", "Ubuntu")) is True


def test_filter_by_is_what_maps_are_made_of() -> None:
    """An entry is chosen by glob over a grain, laid over its base, and overlaid with what is merged."""
    table = {"default": {"pkg": "apache", "port": 80}, "Deb*": {"pkg": "apache2"}, "RedHat": {"pkg": "httpd"}}

    def chosen(**arguments: Any) -> Any:
        return asyncio.run(grains.filter_by(context(), table, **arguments))

    assert chosen() == {"pkg": "apache2"}
    assert chosen(grain="nope") == {"pkg": "apache", "port": 80}
    assert chosen(base="default") == {"pkg": "apache2", "port": 80}
    assert chosen(base="default", merge={"port": 81}) == {"pkg": "apache2", "port": 81}
    assert chosen(grain="roles", default="none") is None
    assert table["default"] == {"pkg": "apache", "port": 80}
    with pytest.raises(StateFailedError, match="must be a dictionary"):
        chosen(merge=["x"])


def test_config_looks_in_several_places() -> None:
    """Options come before grains, grains before the pillar, the pillar before its `master`."""

    def value(key: str, **arguments: Any) -> Any:
        return asyncio.run(config.get(context(os="from options"), key, **arguments))

    assert value("os") == "from options"
    assert value("os", omit_opts=True) == "Ubuntu"
    assert value("a:b:c") == 1
    assert value("only") == "there"
    assert value("nope", default=3) == 3
    assert asyncio.run(config.option(context(), "id")) == "m1"
    assert asyncio.run(config.option(context(), "only")) == "there"
