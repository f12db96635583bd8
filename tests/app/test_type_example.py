"""The example of a type of a project's own: it keeps the contract, is short, and does what its page says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.app.test_project import apply
from tests.reach.resources.dummy.test_dummy import call

from ensue.testing.type_contract import ResourceTypeContract, TypeSubject

EXAMPLE = Path(__file__).parents[2] / "examples/resource-type"
TYPE = EXAMPLE / "states/_resources/display"


class TestDisplay(ResourceTypeContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> TypeSubject:
        folder = tmp_path / "share" / "one"
        folder.mkdir(parents=True)
        (folder / "settings.json").write_text('{"model": "indoor"}')
        return TypeSubject(
            name="display",
            cache_dir=tmp_path,
            config={"folder": str(folder)},
            resources=TYPE.parent,
            opts={"pillar": {"share": str(folder.parent)}},
        )


def test_it_is_short() -> None:
    """A type with overrides takes less than 60 lines."""
    lines = [line for path in TYPE.rglob("*.py") for line in path.read_text().splitlines() if line.strip()]
    assert len(lines) < 60


def test_it_does_what_its_page_says(tmp_path: Path) -> None:
    """The first apply sets what differs, the second one nothing."""
    project = shutil.copytree(EXAMPLE, tmp_path / "project")
    first = apply(project, "displays")
    assert {returned.id: returned.result for returned in first.returns.values()} == dict.fromkeys(
        ["gate message", "lobby message", "gate brightness"], True
    )
    assert all(returned.changes for returned in first.returns.values())
    assert not any(returned.changes for returned in apply(project, "displays").returns.values())
    gate = json.loads((project / "share/gate/settings.json").read_text())
    assert gate == {"model": "outdoor", "message": "Welcome", "brightness": 100}
    assert call(project, "gate", "cmd.run", "uptime")["gate"] == (
        False,
        "cmd.run is not available for display",
    )


def test_the_page_shows_the_files_of_the_example() -> None:
    """docs/resource-types.md and examples/resource-type are the same project."""
    page = (EXAMPLE.parents[1] / "docs/resource-types.md").read_text()
    for path in [*TYPE.rglob("*.py"), EXAMPLE / "states/displays.sls"]:
        assert path.read_text() in page, path
