"""What a refresh finds: new and gone resources, those that answer, and those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_calls import TOP, with_project
from tests.app.test_project import write
from tests.reach.resources.dummy.test_dummy import call
from tests.support.resource_types import unload_types

from ensue.core.errors import CompileError, ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.app.project import AppProject
    from ensue.language.targets.refresh import Refreshed

FINDER = """
from pathlib import Path

FOUND = Path(__file__).with_name("found")


def discover():
    return {name: {} for name in FOUND.read_text().split()}


def connect(context):
    return object()


def grains(context):
    if context.srn.id == "mute":
        raise OSError("no route")
    return {"length": len(context.srn.id)}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a type that discovers what a file names."""
    write(tmp_path, pillar__top=TOP, pillar__r="resources: {finder: , dummy: {d: {reachable: false}}}\n")
    folder = tmp_path / "states/_resources/finder"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(FINDER)
    find(tmp_path, "one two mute")
    return tmp_path


def find(root: Path, names: str) -> None:
    (root / "states/_resources/finder/found").write_text(names)


def refreshed(root: Path, target: str | None = None, **options: Any) -> Refreshed:
    async def ask(project: AppProject) -> Refreshed:
        return await project.refresh(target, **options)

    result: Refreshed = with_project(root, ask)
    return result


def test_what_is_new_and_what_is_gone(root: Path) -> None:
    """In comparison to the refresh before; who cannot be reached is there all the same."""
    first = refreshed(root)
    assert first.added == ["dummy:d", "finder:mute", "finder:one", "finder:two"]
    assert first.refreshed == ["finder:one", "finder:two"]
    assert [*first.failed] == ["dummy:d", "finder:mute"]
    assert "no route" in first.failed["finder:mute"]
    find(root, "two three")
    second = refreshed(root)
    assert (second.added, second.gone) == (["finder:three"], ["finder:mute", "finder:one"])
    assert second.refreshed == ["finder:three", "finder:two"]


def test_types_are_asked_again_while_a_project_is_open(root: Path) -> None:
    """A program that keeps a project open sees what has come since."""

    async def twice(project: AppProject) -> list[list[str]]:
        await project.refresh()
        find(root, "one four")
        await project.refresh()
        return [sorted(record.srn.id for record in await project.resources())]

    assert with_project(root, twice) == [["d", "four", "m", "one"]]


def test_a_target_limits_whose_grains_are_gathered(root: Path) -> None:
    """By names, or by the grains that are gathered for it; those that do not answer may match."""
    assert refreshed(root, "T@finder:one").refreshed == ["finder:one"]
    by_grains = refreshed(root, "T@finder and G@length:3")
    assert by_grains.refreshed == ["finder:one", "finder:two"]
    assert [*by_grains.failed] == ["finder:mute"]
    none = refreshed(root, "T@finder:five")
    assert (none.refreshed, none.failed) == ([], {})
    with pytest.raises(ConfigurationError, match="column"):
        refreshed(root, "T@findr")


def test_the_grains_are_used_afterwards(root: Path) -> None:
    """And it says how far it is."""
    steps: list[tuple[int, int]] = []
    refreshed(root, on_answer=lambda done, count: steps.append((done, count)))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    (root / "states/_resources/finder/__init__.py").write_text(
        FINDER.replace("len(context.srn.id)", '"gathered anew"')
    )
    unload_types()
    assert call(root, "T@finder:one", "grains.get", "length") == {"one": (True, 3)}
    assert refreshed(root, "T@finder:one").refreshed == ["finder:one"]
    assert call(root, "T@finder:one", "grains.get", "length") == {"one": (True, "gathered anew")}


def test_a_type_that_cannot_discover_is_a_refusal(root: Path) -> None:
    """Nothing is taken for gone because a type raised."""
    refreshed(root)
    (root / "states/_resources/finder/found").unlink()
    with pytest.raises(CompileError) as refused:
        refreshed(root)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["E0711"]
    find(root, "one two mute")
    assert refreshed(root).gone == []
