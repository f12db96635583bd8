"""Runs of one state whose arguments are data, as Salt's extension makes them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import EnsueError
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport

BOXES = """
made:
  test.present:
    - new_state: {}
    - registers:
      - dummy:box-1: {}
"""


def _single(
    root: Path, function: str, name: str, *, test: bool = False, target: Srn | None = None, **arguments: Any
) -> RunReport:
    async def run() -> RunReport:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.apply_state(function, name, arguments, RunOptions(test=test), target=target)

    return asyncio.run(run())


def _only(report: RunReport) -> Any:
    (returned,) = report.returns.values()
    return returned


def test_arguments_are_data(tmp_path: Path) -> None:
    """What looks like a reference, a slot or a template is text."""
    text = "${cmd:x:stdout} {{ grains }} __slot__:salt:test.echo(x)"
    report = _single(tmp_path, "file.managed", str(tmp_path / "out"), contents=text)
    assert (report.exit_code, _only(report).result) == (0, True)
    assert (tmp_path / "out").read_text() == f"{text}\n"
    again = _single(tmp_path, "file.managed", str(tmp_path / "out"), contents=text)
    assert _only(again).changes == {}


def test_a_plan_changes_nothing(tmp_path: Path) -> None:
    """A plan returns None, and an apply of the same state is recorded among the runs by its function."""
    path = str(tmp_path / "out")
    assert _only(_single(tmp_path, "file.managed", path, test=True, contents="x")).result is None
    assert not (tmp_path / "out").exists()
    run_id = _single(tmp_path, "file.managed", path, contents="x").run_id
    runs = AppProject.open(tmp_path, ProjectOptions(minion_id="m")).runs()
    assert ("file.managed",) in [run.mods for run in runs if run.run_id == run_id]


def test_a_state_runs_on_a_resource(tmp_path: Path) -> None:
    """With a target it runs there, and resources that other states have registered stay as they are."""
    write(tmp_path, states__boxes=BOXES)
    apply(tmp_path, "boxes")
    box = Srn("dummy", "box-1")
    report = _single(tmp_path, "file.managed", "/etc/motd", target=box, contents="x")
    assert (_only(report).target, _only(report).result) == ("dummy:box-1", True)

    async def active() -> list[str]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            return [
                str(resource.srn) for resource in await project.resources() if resource.status == "active"
            ]

    assert "dummy:box-1" in asyncio.run(active())


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("file.mangled", {}, "managed"),
        ("file.managed", {"contens": "x"}, "takes no contens"),
        ("file.copy", {}, "needs source"),
    ],
)
def test_a_call_that_cannot_be_made_is_refused(
    tmp_path: Path, function: str, arguments: dict[str, Any], words: str
) -> None:
    """An unknown function, an unknown argument and a missing one are errors before anything runs."""
    with pytest.raises(EnsueError, match=words):
        _single(tmp_path, function, str(tmp_path / "out"), **arguments)


def test_an_unknown_resource_is_refused(tmp_path: Path) -> None:
    """A target that nothing has registered is an error that names it."""
    with pytest.raises(EnsueError, match="box-9"):
        _single(tmp_path, "test.nop", "x", target=Srn("dummy", "box-9"))
