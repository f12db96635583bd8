"""What a later apply of the same project did is no drift that somebody else caused; what follows it, is."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write

if TYPE_CHECKING:
    from pathlib import Path

THING = '''
"""States about lines of a file: of a module without paths."""

from pathlib import Path

from ensue.core.model.returns import StateReturn


def _shelf(ctx):
    return Path(ctx.opts["root_dir"]) / "shelf"


def _state(shelf, name, old, new, ctx):
    before = {"name": name, "colour": old or None, **({} if old else {"exists": False})}
    after = {"name": name, "colour": new} if new else {"name": name, "exists": False}
    if old == new:
        return StateReturn.unchanged(name, "", after)
    if ctx.test:
        return StateReturn(name=name, result=None, changes={"colour": new}, old_state=before)
    (shelf / name).write_text(new) if new else (shelf / name).unlink()
    return StateReturn.changed(name, "", {"colour": new}, after, old_state=before)


def present(ctx, name, colour):
    shelf = _shelf(ctx)
    shelf.mkdir(exist_ok=True)
    old = (shelf / name).read_text() if (shelf / name).exists() else ""
    return _state(shelf, name, old, colour, ctx)


def absent(ctx, name):
    shelf = _shelf(ctx)
    old = (shelf / name).read_text() if (shelf / name).exists() else ""
    return _state(shelf, name, old, "", ctx)


FUNCTIONS = {"present": present, "absent": absent}
'''
MANAGED = "mine:\n  file.managed:\n    - name: ROOT/app/conf\n    - makedirs: true\n    - contents: a\n"
OTHER = "other:\n  file.managed:\n    - name: ROOT/app/./conf\n    - contents: b\n"
PRESENT = "mine:\n  thing.present:\n    - name: cup\n    - colour: red\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a module of its own."""
    folder = tmp_path / "states/_states"
    folder.mkdir(parents=True)
    (folder / "thing.py").write_text(THING)
    return tmp_path


def applied(root: Path, name: str, sls: str) -> str:
    """Apply an SLS; return the id of the run."""
    write(root, **{f"states__{name}": sls.replace("ROOT", str(root))})
    report = apply(root, name)
    assert report.exit_code == 0
    return report.run_id


def cause(root: Path, name: str = "t") -> str | None:
    """Return what a plan says of who caused the drift of the state `mine`; None if there is no drift."""
    returns = apply(root, name, test=True).returns
    [mine] = [returned for returned in returns.values() if returned.id == "mine"]
    return mine.drift_by if mine.drift else None


@pytest.mark.parametrize(
    ("sls", "undoing", "named"),
    [
        (MANAGED, "gone:\n  file.absent:\n    - name: ROOT/app/conf\n", "gone (file.absent)"),
        (MANAGED, "gone:\n  file.absent:\n    - name: ROOT/app\n", "gone (file.absent)"),
        (MANAGED, OTHER, "other (file.managed)"),
        (MANAGED, "more:\n  file.append:\n    - name: ROOT/app/conf\n    - text: b\n", "more (file.append)"),
        (PRESENT, "gone:\n  thing.absent:\n    - name: cup\n", "gone (thing.absent)"),
        (PRESENT, PRESENT.replace("mine", "other").replace("red", "blue"), "other (thing.present)"),
    ],
)
def test_a_state_of_another_sls(project: Path, sls: str, undoing: str, named: str) -> None:
    """The plan names the state that left the thing as it is, and its run, until an apply has restored it."""
    applied(project, "t", sls)
    run_id = applied(project, "undo", undoing)
    assert cause(project) == f"{named} in run {run_id}"
    applied(project, "t", sls)
    assert cause(project) is None
    again = applied(project, "undo", undoing)
    assert again != run_id
    assert cause(project) == f"{named} in run {again}"


def test_somebody_else_after_our_own_state(project: Path) -> None:
    """What differs from what the last state left is due to somebody else, also if an earlier one did that."""
    applied(project, "t", MANAGED)
    applied(project, "undo", OTHER)
    (project / "app/conf").write_text("c\n")
    assert cause(project) == ""
    gone = "gone:\n  file.absent:\n    - name: ROOT/app\n"
    applied(project, "undo", gone)
    applied(project, "t", MANAGED)
    shutil.rmtree(project / "app")
    assert cause(project) == ""


def test_another_thing_of_the_project(project: Path) -> None:
    """A path that is only similar, and another name, are other things."""
    applied(project, "t", MANAGED + PRESENT.replace("mine", "cup"))
    gone = "gone:\n  file.absent:\n    - name: ROOT/app/con\nno cup:\n  thing.absent:\n    - name: cups\n"
    applied(project, "undo", gone)
    (project / "app/conf").unlink()
    assert cause(project) == ""


def test_two_states_of_one_run(project: Path) -> None:
    """The last one of the run counts, and what somebody does after it is not taken for the first one's."""
    both = "gone:\n  file.absent:\n    - name: ROOT/app/conf\n" + MANAGED
    applied(project, "t", both)
    (project / "app/conf").unlink()
    assert cause(project) == ""


def test_a_state_that_left_its_output(project: Path) -> None:
    """A command makes no thing: another one with the same words is not to blame for a new output."""
    command = "mine:\n  cmd.run:\n    - name: cat ROOT/list\n    - read_only: true\n"
    (project / "list").write_text("a")
    applied(project, "t", command)
    (project / "list").write_text("b")
    applied(project, "undo", command.replace("mine", "other"))
    [mine] = apply(project, "t", test=True).returns.values()
    assert (mine.is_query, mine.drift_by) == (True, "")
    assert re.fullmatch("b", mine.drift["stdout"]["new"]) if mine.drift else False
