"""Runs that resume runs that resumed others: whatever any of them finished is not done again."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

from ensue.store.runs.run_history import list_runs

if TYPE_CHECKING:
    from pathlib import Path

STEPS = "abcdefgh"

STATES = '''
"""States that note every call and end their process at one. What `first` does is gone with its run."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn

TRANSIENT = frozenset({"first"})


def done(ctx, name, was=""):
    folder = Path(ctx.opts["root_dir"])
    with (folder / "calls").open("a") as calls:
        calls.write(name)
    trap = folder / "trap"
    if trap.exists() and trap.read_text() == name:
        trap.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return StateReturn(name=name, result=True, changes={"made": name}, new_state={"letter": name})


FUNCTIONS = {"done": done, "first": done}
'''

SLS = """
z:
  step.first: []
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
  step.done: []
e:
  step.done:
    - delayed_render:
        - block: two
#!delayed_block two
f:
  step.done:
    - was: {{ prev_ret.changes.made }}
g:
  step.done: []
#!end_delayed_block two
#!end_delayed_block one
h:
  step.done: []
"""

ORDER = "abdefgch"
"""The steps in the order in which they run; each run begins with `z`, which every run does again."""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project with delayed blocks in each other."""
    project = Shell(tmp_path)
    project.write("ensue.yaml", "id: web-01\n")
    project.write("states/_states/step.py", STATES)
    project.write("states/t.sls", SLS)
    return project


def calls(project: Shell) -> str:
    """Return which states were called, in order, without the one that every run calls."""
    return (project.root / "calls").read_text().replace("z", "")


def killed_at(project: Shell, step: str, *words: str) -> None:
    """Run a command whose process ends at a state, by kill -9."""
    (project.root / "trap").write_text(step)
    ended = project.run(*words)
    assert ended.code == -signal.SIGKILL, ended.err


@pytest.mark.parametrize("step", ORDER)
def test_a_resume_that_was_killed_at_its_first_state_has_lost_nothing(project: Shell, step: str) -> None:
    """What the first run had finished is not called again although the second took nothing over."""
    killed_at(project, step, "apply", "t")
    killed_at(project, "z", "runs", "resume")
    ended = project.run("runs", "resume")
    assert ended.code == 0, ended.err
    assert calls(project) == ORDER.replace(step, step + step)


@pytest.mark.parametrize("step", ORDER[3:])
def test_the_resume_of_a_resume_may_be_killed_anywhere(project: Shell, step: str) -> None:
    """A run, its resume and the resume of that are killed; the fourth calls only what none had finished."""
    killed_at(project, "b", "apply", "t")
    killed_at(project, "d", "runs", "resume")
    killed_at(project, "z", "runs", "resume")
    killed_at(project, step, "runs", "resume")
    ended = project.run("runs", "resume")
    assert ended.code == 0, ended.err
    assert calls(project) == "abbd" + ORDER[2:].replace(step, step + step)


def test_each_run_says_which_it_resumes(project: Shell) -> None:
    """`runs list` and `runs show` name it, as text and as data."""
    killed_at(project, "c", "apply", "t")
    killed_at(project, "z", "runs", "resume")
    ended = project.run("runs", "resume")
    third, second, first = (list_run.run_id for list_run in list_runs(project.root / ".ensue"))
    listed = project.run("runs", "list", "--out", "json").document
    assert [run["resumes"] for run in listed] == [second, first, ""]
    lines = project.run("runs", "list").out.splitlines()
    assert next(line for line in lines if line.startswith(third)).endswith(second)
    for text in (ended.out, project.run("runs", "show", "last").out):
        assert f"Resumes: {second}" in text.splitlines()


def test_a_run_that_was_resumed_is_resumed_from_where_that_came(project: Shell) -> None:
    """To name the first run of several means the last: what that has done is not done again."""
    killed_at(project, "c", "apply", "t")
    (first,) = list_runs(project.root / ".ensue")
    killed_at(project, "h", "runs", "resume")
    assert project.run("runs", "resume", first.run_id).code == 0
    assert calls(project).count("c") == 2
    again = project.run("runs", "resume", first.run_id)
    assert again.code == 1
    assert "has ended (succeeded)" in again.err


def test_journals_that_a_resume_needs_are_kept(project: Shell) -> None:
    """However few journals are kept, those of an unfinished chain stay; once it is finished they go."""
    project.write("ensue.yaml", "id: web-01\nkeep_runs: 1\n")
    killed_at(project, "e", "apply", "t")
    killed_at(project, "z", "runs", "resume")
    killed_at(project, "z", "runs", "resume")
    assert len(list_runs(project.root / ".ensue")) == 3
    assert project.run("runs", "resume").code == 0
    assert calls(project) == ORDER.replace("e", "ee")
    project.run("plan", "t")
    assert len(list_runs(project.root / ".ensue")) == 1


def test_a_chain_with_a_missing_journal_is_refused(project: Shell) -> None:
    """Where the journal of a run that was resumed is gone, nothing is called."""
    killed_at(project, "c", "apply", "t")
    killed_at(project, "z", "runs", "resume")
    _, first = list_runs(project.root / ".ensue")
    before = calls(project)
    (project.root / f".ensue/runs/{first.run_id}.jsonl").unlink()
    ended = project.run("runs", "resume")
    assert ended.code == 1
    assert f"resumes {first.run_id}, whose journal is gone" in ended.err
    assert calls(project) == before


def test_a_journal_without_a_beginning_is_passed_over(project: Shell) -> None:
    """A resume that was killed before its first event has done nothing: `last` is the run before it."""
    killed_at(project, "c", "apply", "t")
    (first,) = list_runs(project.root / ".ensue")
    (project.root / ".ensue/runs/99991231T235959-000000.jsonl").write_text('{"type":"JournalHe')
    assert project.run("runs", "resume").code == 0
    assert list_runs(project.root / ".ensue")[1].resumes == first.run_id
    assert calls(project) == ORDER.replace("c", "cc")
