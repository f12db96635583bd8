"""Every form of a drawing shows the same states, requisites and scopes, and no secret."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings

from ensue.core.masking import Masker
from ensue.output.colours import COLOURED, PLAIN
from ensue.output.drawing.data import drawing_data
from ensue.output.drawing.dot import dot_lines
from ensue.output.drawing.drawing import DrawnEdge, ScopeBox, walk
from ensue.output.drawing.mermaid import mermaid_lines
from ensue.output.drawing.svg import svg_lines
from ensue.output.drawing.text import drawing_lines

from .pictures import Hand, pictures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOBODY = Masker()


@pytest.fixture
def run() -> ScopeBox:
    """A run: `disk` caused a block, in which something failed, and `mount` comes after it."""
    hand = Hand()
    inner = hand.box(
        [hand.node("mkfs", status="failed", scope="disk/format")], name="format", scope="disk/format"
    )
    waiting = hand.box([], name="later", scope="mount/later", status="deferred", kind="sls")
    disk = hand.node("disk", [inner], status="changed")
    mount = hand.node("mount", [waiting], target="ssh_host:web-01")
    edges = [DrawnEdge(disk.number, mount.number, "require")]
    return hand.box([disk, mount], edges, kind="top", name="m1", scope="")


def test_text(run: ScopeBox) -> None:
    """As text it is a tree: scopes under their states, and beside a state what it comes after."""
    assert list(drawing_lines(run, NOBODY, PLAIN)) == [
        "m1",
        "├─ disk [test.nop]  changed",
        "│  └─ block format",
        "│     └─ mkfs [test.nop]  failed",
        "└─ mount [test.nop] on ssh_host:web-01  succeeded  (require disk)",
        "   └─ SLS later (deferred)",
    ]


def test_text_without_colours_is_the_same(run: ScopeBox) -> None:
    """Colours add nothing but colours."""
    coloured = "\n".join(drawing_lines(run, NOBODY, COLOURED))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == "\n".join(drawing_lines(run, NOBODY, PLAIN))


def test_dot(run: ScopeBox) -> None:
    """For Graphviz scopes are clusters, and an empty one still has something in it."""
    text = "\n".join(dot_lines(run, NOBODY))
    assert text.count("subgraph cluster_") == 2
    assert "n2 -> n3 [label=require, style=solid];" in text
    assert "n2 -> n1 [lhead=cluster_1" in text
    assert "n3 -> c2 [lhead=cluster_2" in text
    assert text.count("{") == text.count("}")


def test_mermaid(run: ScopeBox) -> None:
    """For Mermaid scopes are subgraphs that their states point to."""
    lines = [line.strip() for line in mermaid_lines(run, NOBODY)]
    assert lines[0] == "flowchart TB"
    assert {"n2 -->|require| n3", "n2 -.-> s1", "n3 -.-> s2", 'subgraph s1["block format"]'} <= set(lines)
    assert sum(line.startswith("subgraph") for line in lines) == lines.count("end")


def test_data(run: ScopeBox) -> None:
    """As data it names states by number, with the scope of each."""
    data = drawing_data(run, NOBODY)
    assert {node["id"]: (node["scope"], node["status"]) for node in data["nodes"]} == {
        "disk": ("", "changed"),
        "mkfs": ("disk/format", "failed"),
        "mount": ("", "succeeded"),
    }
    assert data["edges"] == [{"before": 2, "after": 3, "kind": "require"}]
    assert [(scope["scope"], scope["caller"], scope["status"]) for scope in data["scopes"]] == [
        ("disk/format", 2, "done"),
        ("mount/later", 3, "deferred"),
    ]


def test_svg(run: ScopeBox) -> None:
    """As SVG every state and every scope is a rectangle, and every requisite a path."""
    root = ET.fromstring("\n".join(svg_lines(run, NOBODY)))  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    classes = [element.get("class", "") for element in root.iter() if element.get("class")]
    assert sum(class_.startswith("node ") for class_ in classes) == 3
    assert sum(class_.startswith("scope ") for class_ in classes) == 2
    assert [class_ for class_ in classes if class_.startswith("edge")] == [
        "edge require", "edge grown", "edge grown",
        "edge require", "edge grown",
    ]  # fmt: skip
    texts = [element.text for element in root.iter(f"{space}text")]
    assert texts[-4:] == ["1 changed", "1 failed", "require", "caused"]
    assert "m1" in [element.text for element in root.iter(f"{space}text")]


@settings(max_examples=20)
@given(pictures())
def test_any_text_is_safe(top: ScopeBox) -> None:
    """Whatever the names are: SVG is XML, JSON is JSON, and no line of the others is broken in two."""
    ET.fromstring("\n".join(svg_lines(top, NOBODY)))  # noqa: S314 - our own
    json.dumps(drawing_data(top, NOBODY))
    count = sum(len(box.nodes) for box in walk(top))
    assert len(list(drawing_lines(top, NOBODY, PLAIN))) == count + sum(1 for _ in walk(top))
    for lines in (dot_lines(top, NOBODY), mermaid_lines(top, NOBODY)):
        assert not [line for line in lines if "\n" in line]


@pytest.mark.parametrize(
    "lines", [dot_lines, mermaid_lines, svg_lines, lambda box, masker: drawing_lines(box, masker, PLAIN)]
)
def test_secrets_stay_out(lines: Callable[[ScopeBox, Masker], Iterator[str]]) -> None:
    """A secret in an ID or a name is masked in every form."""
    hand = Hand()
    box = hand.box([hand.node("login hunter2-secret")], name="hunter2-secret", kind="top")
    masker = Masker(["hunter2-secret"])
    assert "hunter2" not in "\n".join(lines(box, masker))
    assert "hunter2" not in json.dumps(drawing_data(box, masker))
