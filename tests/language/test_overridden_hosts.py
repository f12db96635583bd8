"""Pillar of one machine that a later target of the top file overrides is warned of, and nothing else is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import ProjectOptions

if TYPE_CHECKING:
    from pathlib import Path

OWN = {"port": 8080, "db": {"host": "a", "user": "x"}, "items": [1], "none": {}}
GROUP = {"port": 80, "db": {"host": "b", "name": "n"}, "items": [1, 2], "none": {"a": 1}}
SAME = {"port": 8080, "db": {"name": "n"}, "items": [1, 2], "other": 1}


def warned(
    root: Path, top: str, group: object = GROUP, options: str = "id: web-1\n"
) -> list[tuple[str, str]]:
    """Return the summary and the place of each warning."""
    (root / "ensue.yaml").write_text(f"{options}nodegroups: {{web: 'web-*'}}\n")
    write(
        root,
        states__t="a: test.nop\n",
        pillar__top=f"base:\n  {top}\n",
        pillar__own=json.dumps(OWN),
        pillar__group=json.dumps(group),
    )
    report = apply(root, "t", test=True, options=ProjectOptions())
    return [(warning.summary, str(warning.span)) for warning in report.warnings if warning.code == "E0729"]


@pytest.mark.parametrize("group", ["'*'", "'web-*'", "'N@web'", "'G@id:web-1'", "'web-1 or db'", "'web-[1]'"])
def test_a_group_below_its_host_overrides_it(tmp_path: Path, group: str) -> None:
    """Whatever matches the machine: the keys with another value are named, at the target of the machine."""
    [(summary, place)] = warned(tmp_path, f"web-1: [own]\n  {group}: [group]")
    assert summary == "targets below this one override values of 'own': port, db:host"
    assert place == "pillar/top.sls:2:3"
    assert warned(tmp_path, f"web-1: [own]\n  {group}: [group]", SAME) == []
    assert warned(tmp_path, f"{group}: [group]\n  web-1: [own]") == []


@pytest.mark.parametrize(
    "top",
    [
        "'web-*': [own]\n  '*': [group]",  # Neither is the name of a machine.
        "web-1: [own, group]",
        "web-1: [own]\n  'minion:web-1': [group]",  # Both are.
        "web-1: [own]\n  'web-*': [own, group]",  # The file is not of the machine alone.
        "web-1: [own]\n  'db-*': [group]",
        "web-1: [own]\n  '*': [group]\n  'T@minion:web-1': [own-again]",
    ],
)
def test_what_is_not_overridden_by_a_group(tmp_path: Path, top: str) -> None:
    """The order of files of one target, or of two targets with the same name, is the order of one author."""
    write(tmp_path, **{"pillar__own-again": json.dumps(OWN)})
    assert warned(tmp_path, top) == []


def test_a_strategy_that_joins_values(tmp_path: Path) -> None:
    """No value is lost with a list of both; a mapping that is replaced as a whole loses all of its keys."""
    top = "web-1: [own]\n  '*': [group]"
    options = "id: web-1\npillar_source_merging_strategy: {}\n"
    assert warned(tmp_path, top, options=options.format("list")) == []
    [(summary, _)] = warned(tmp_path, top, options=options.format("overwrite"))
    assert summary.endswith(": port, db:host, db:user")
    assert warned(tmp_path, top, {"items": [2]}, options="id: web-1\npillar_merge_lists: true\n") == []
    [(summary, _)] = warned(tmp_path, top, {"items": [2]})
    assert summary.endswith(": items")
