"""An apply that was killed at any state, in any scope, is gone on with and ends as if it had not been."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Ended

STEPS = "abcdefghijkl"
"""The states below, in the order in which they run."""

STATES = '''
"""States that note every call, and end their process at one of them."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn


def done(ctx, name, word="", was=""):
    folder = Path(ctx.opts["root_dir"]) / "effects"
    with (folder / "calls").open("a") as calls:
        calls.write(name)
    trap = folder / "trap"
    if trap.exists() and trap.read_text() == name:
        trap.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    effect = folder / f"{name}.effect"
    changes = {} if effect.exists() else {"made": name}
    effect.write_text(word + was)
    return StateReturn(name=name, result=True, changes=changes, new_state={"letter": name, "word": word})


FUNCTIONS = {"done": done}
'''

SLS = """
a:
  step.done: []
b:
  step.done:
    - delayed_render:
        - block: one
c:
  step.done:
    - onchanges: [{step: b}]
    - was: ${step:a:letter}
#!delayed_block one
d:
  step.done:
    - word: after {{ prev_ret.new_state.letter }}
e:
  step.done:
    - delayed_render:
        - block: two
        - sls: more
f:
  step.done:
    - require: [{step: e}]
#!delayed_block two
g:
  step.done:
    - word: {{ prev_ret.changes.get('made', 'nothing') }}
h:
  step.done:
    - delayed_render:
        - block: three
#!delayed_block three
i:
  step.done:
    - word: {{ prev_ret.new_state.letter }} in three
j:
  step.done:
    - was: ${step:i:letter}
#!end_delayed_block three
k:
  step.done: []
#!end_delayed_block two
#!end_delayed_block one
"""

MORE = """
l:
  step.done:
    - word: {{ prev_ret['__id__'] }}
"""


def make_project(root: Path) -> Shell:
    """Make a project with three scopes inside each other."""
    project = Shell(root)
    project.write("ensue.yaml", "id: web-01\n")
    project.write("states/_states/step.py", STATES)
    project.write("states/t.sls", SLS)
    project.write("states/more.sls", MORE)
    (root / "effects").mkdir()
    return project


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """The same in a folder of this test."""
    return make_project(tmp_path)


def effects(project: Shell) -> dict[str, str]:
    """Return what the states left behind."""
    return {path.name: path.read_text() for path in (project.root / "effects").glob("*.effect")}


def calls(project: Shell) -> str:
    """Return the names of the states in the order in which they were called."""
    return (project.root / "effects/calls").read_text()


def outline(returns: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return what of results does not depend on time."""
    return {
        tag: {
            "result": returned["result"],
            "changes": returned["changes"],
            "new_state": returned["new_state"],
            "delayed": [
                (entry["scope"], entry["status"], outline(entry["returns"]))
                for entry in returned.get("delayed", [])
            ],
        }
        for tag, returned in returns.items()
    }


def killed_at(project: Shell, step: str) -> Ended:
    """Apply; the process ends at a state, by kill -9."""
    (project.root / "effects/trap").write_text(step)
    ended = project.run("apply", "t")
    assert ended.code == -signal.SIGKILL, ended.err
    return ended


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, str], str]:
    """Results, effects and order of calls of an apply that nothing disturbed."""
    project = make_project(tmp_path_factory.mktemp("undisturbed"))
    ended = project.run("apply", "t", "--out", "json")
    assert ended.code == 0, ended.err
    return outline(ended.document["web-01"]), effects(project), calls(project)


def test_the_next_apply_says_what_a_killed_one_owes(project: Shell) -> None:
    """So does a plan. Both name the run, and the apply runs its handlers."""
    project.write(
        "states/owed.sls",
        "changed:\n  test.succeed_with_changes\n"
        f"killed:\n  cmd.run: [name: 'kill -9 $PPID', unless: test -e {project.root}/on]\n"
        f"handler:\n  cmd.wait: [name: 'touch {project.root}/handled', listen: [test: changed]]\n",
    )
    assert project.run("apply", "owed").code == -signal.SIGKILL
    (project.root / "on").touch()
    listed = project.run("runs", "list").out
    run_id = next(line.split()[0] for line in listed.splitlines() if "owed" in line)
    planned = project.run("plan", "owed")
    assert f"warning[E0107]: the last apply, {run_id}, was killed before it ended" in planned.err
    assert f"`ensue runs resume {run_id}` instead calls only" in planned.err
    assert f"owed since run {run_id}" in planned.out
    applied = project.run("apply", "owed")
    assert f"warning[E0107]: the last apply, {run_id}, was killed before it ended" in applied.err
    assert (project.root / "handled").exists()
    assert "E0107" not in project.run("apply", "owed").err


def test_a_command_that_finished_after_its_apply_was_killed(project: Shell) -> None:
    """What it made skips it from then on; a reference names the run, and what to do."""
    where = f"cwd: {project.root}, creates: {project.root}/made"
    made = f"made:\n  cmd.run: [name: 'touch made; echo hi%s', {where}]\n"
    reads = "reads:\n  test.show_notification: [text: '${cmd:made:stdout}']\n"
    project.write("states/lost.sls", made % "; kill -9 $PPID" + reads)
    assert project.run("apply", "lost").code == -signal.SIGKILL
    run_id = next(line.split()[0] for line in project.run("runs", "list").out.splitlines() if "lost" in line)
    for words in (("plan", "lost"), ("runs", "resume")):
        ended = project.run(*words)
        assert f"its result was not kept: run {run_id} was killed while it ran" in ended.out
        assert "otherwise remove that, and apply again" in ended.out
    (project.root / "made").unlink()
    project.write("states/lost.sls", made % "" + reads)
    assert project.run("apply", "lost").code == 0


@pytest.mark.parametrize("step", STEPS)
def test_resume_after_kill(
    project: Shell, step: str, undisturbed: tuple[dict[str, Any], dict[str, str], str]
) -> None:
    """Whatever state it was killed at, results and effects are the same; only that state is called twice."""
    results, left, order = undisturbed
    assert sorted(order) == sorted(STEPS)
    killed_at(project, step)
    ended = project.run("runs", "resume", "--out", "json")
    assert ended.code == 0, ended.err
    assert outline(ended.document["web-01"]) == results
    assert effects(project) == left
    assert calls(project) == order.replace(step, step + step)
    shown = project.run("runs", "show", "last", "--out", "json")
    assert outline(shown.document["web-01"]) == results


@pytest.mark.parametrize("step", ["b", "g", "j", "l"])
def test_a_plain_apply_after_kill(
    project: Shell, step: str, undisturbed: tuple[dict[str, Any], dict[str, str], str]
) -> None:
    """A plain apply begins anew and leaves the same states true, each called once more."""
    killed_at(project, step)
    ended = project.run("apply", "t", "--out", "json")
    assert ended.code == 0, ended.err
    left = undisturbed[1]
    # What had been made is no change any more: `c` waits for one, and `g` writes it down.
    differs = {"c.effect", "g.effect"}
    assert {name: text for name, text in effects(project).items() if name not in differs} == {
        name: text for name, text in left.items() if name not in differs
    }


def test_killed_twice(project: Shell, undisturbed: tuple[dict[str, Any], dict[str, str], str]) -> None:
    """A resumed run that is killed, too, is gone on with from there."""
    killed_at(project, "g")
    (project.root / "effects/trap").write_text("j")
    assert project.run("runs", "resume").code == -signal.SIGKILL
    ended = project.run("runs", "resume", "--out", "json")
    assert outline(ended.document["web-01"]) == undisturbed[0]
    assert effects(project) == undisturbed[1]
    assert calls(project) == undisturbed[2].replace("g", "gg").replace("j", "jj")


def test_what_was_changed_meanwhile_is_called_again(project: Shell) -> None:
    """A state whose arguments are others by now is called with them."""
    killed_at(project, "c")
    project.write("states/t.sls", SLS.replace("was: ${step:a:letter}", "was: x").replace("after", "behind"))
    ended = project.run("runs", "resume")
    assert ended.code == 0, ended.err
    assert effects(project)["d.effect"] == "behind b"
    assert calls(project).count("a") == 1
    assert calls(project).count("d") == 2


@pytest.mark.parametrize(
    ("before", "error"),
    [
        ((), "there are no runs yet"),
        (("plan", "t"), "is a plan"),
        (("apply", "t"), "has ended (succeeded)"),
    ],
)
def test_what_cannot_be_resumed_is_refused(project: Shell, before: tuple[str, ...], error: str) -> None:
    """Without a run, after a plan and after a run that has ended nothing is done, and it says why."""
    if before:
        project.run(*before)
    ended = project.run("runs", "resume")
    assert ended.code == 1
    assert error in ended.err


def test_a_run_of_another_id_is_refused(project: Shell) -> None:
    """What was begun as one machine is not ended as another; without `--id` the journal has the id."""
    (project.root / "effects/trap").write_text("c")
    assert project.run("apply", "t", "--id", "laptop").code == -signal.SIGKILL
    ended = project.run("runs", "resume", "--id", "web-01")
    assert ended.code == 1
    assert "was a run of 'laptop', and this is 'web-01' (resume it with --id laptop)" in ended.err
    assert calls(project).count("c") == 1
    resumed = project.run("runs", "resume", "--out", "json")
    assert (resumed.code, list(resumed.document)) == (0, ["laptop"])


def test_another_form_of_data_is_called_again(project: Shell) -> None:
    """A return that the journal cannot keep as it is (keys that are numbers) is made again."""
    states = STATES.replace('{"letter": name,', '{1: name, "letter": name,')
    project.write("states/_states/step.py", states)
    killed_at(project, "c")
    assert project.run("runs", "resume").code == 0
    assert calls(project).count("a") == 2
