"""The documentation of drivers, resource types, providers and topics agrees with what they accept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ensue.deploy.drivers.loading import Drivers
from ensue.output.part_documentation import PART_KINDS, shipped_parts
from ensue.output.topics import ALIASES, TOPICS
from ensue.reach.resources.type_sources import TypeSources
from ensue.testing.driver import driver_request

if TYPE_CHECKING:
    from ensue.core.contracts.part_docs import PartDoc, PartKind

DOCS = Path(__file__).parents[2] / "docs"


def part(name: str, kind: PartKind) -> PartDoc:
    """Return the documentation of a shipped part."""
    return next(doc for doc in shipped_parts().named(name) if doc.kind == kind)


def known_keys(message: str) -> set[str]:
    """Return the keys that a message about an unknown one lists."""
    [listed] = re.findall(r"(?:known keys|there are|it takes): ?([\w, ]+)", message)
    return set(listed.split(", "))


@pytest.mark.parametrize("name", ["ssh_host", "container", "k8s_pod", "dummy", "minion"])
def test_keys_of_types(name: str) -> None:
    """Each key that a type accepts is documented, except Salt's keys that it accepts without effect."""
    source = TypeSources().find(name)
    assert source is not None
    [message] = source.module.check({"zzzzzzzz": 1})
    salt = {
        "thin_dir",
        "minion_opts",
        "ssh_pre_flight",
        "ssh_pre_flight_args",
        "remote_port_forwards",
        "mods",
    }
    assert set(part(name, "resource types").inputs) == known_keys(message) - salt


@pytest.mark.parametrize("name", ["kubernetes", "postgres", "state", "terraform"])
def test_inputs_of_drivers(name: str, tmp_path: Path) -> None:
    """Each input that a driver accepts is documented."""
    request = driver_request(tmp_path, values={"zzzzzzzz": 1})
    [message] = [message for message in Drivers().find(name).check(request) if "zzzzzzzz" in message]
    known = known_keys(message) - {"runner", "runner_mode", "not 1"}
    inputs = part(name, "drivers").inputs
    assert {key.removeprefix("values.") for key in inputs if key.startswith("values.")} == known


def test_every_part_is_documented() -> None:
    """Each has a sentence; a driver, type or provider names its page of the documentation."""
    parts = shipped_parts()
    for kind in PART_KINDS:
        for name, summary in parts.summaries(kind).items():
            assert summary, name
            assert re.search(r"docs/([\w-]+)\.md", part(name, kind).text), name


def test_pages_of_topics() -> None:
    """Each page of the documentation is a topic, and each further name leads to one."""
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert {topic.page for topic in TOPICS.values()} == pages
    assert set(ALIASES.values()) <= TOPICS.keys()
    assert not ALIASES.keys() & TOPICS.keys()
