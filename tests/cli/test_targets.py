"""States with a target from the command line: what is printed, and runs that were killed in between."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

STATES = '''
"""A state that notes where it was called, and ends its process at one resource."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn


def done(ctx, name):
    folder = Path(ctx.opts["root_dir"]) / "effects"
    with (folder / "calls").open("a") as calls:
        calls.write(f"{ctx.srn.id} {name}\\\\n")
    trap = folder / f"{ctx.srn.id}-{name}"
    if trap.exists():
        trap.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return StateReturn(name=name, result=True, changes={"made": name}, new_state={"id": ctx.srn.id})


FUNCTIONS = {"done": done}
'''

SLS = """
make:
  test.present:
    - new_state: {}
    - registers:
      - minion:b3: {root: /}
each:
  step.done:
    - tgt: T@minion:b*
    - delayed_render:
      - block: late
last:
  test.show_notification:
    - text: ${step:each[b3]:id}
    - onchanges: [each]
#!delayed_block late delayed_repeat_limit=None
late:
  step.done: []
#!end_delayed_block
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project with two boxes, and a state that registers a third one."""
    project = Shell(tmp_path)
    project.write("ensue.yaml", "id: m1\n")
    project.write("pillar/top.sls", "base: {m1: [boxes]}\n")
    project.write("pillar/boxes.sls", "resources: {minion: {b1: {root: /}, b2: {root: /}}}\n")
    project.write("states/_states/step.py", STATES.replace("\\\\", "\\"))
    project.write("states/t.sls", SLS)
    (tmp_path / "effects").mkdir()
    return project


def calls(project: Shell) -> list[str]:
    return sorted((project.root / "effects/calls").read_text().splitlines())


@pytest.mark.parametrize("at", ["b1-each", "b2-each", "b3-each", "b1-late", "b2-late", "b3-late"])
def test_a_run_that_was_killed_is_gone_on_with(project: Shell, at: str) -> None:
    """Only what was not over is called again, on resources that the run has to register anew as well."""
    trap = project.root / f"effects/{at}"
    trap.touch()
    ended = project.run("apply", "t")
    assert ended.code == -signal.SIGKILL, ended.err
    resumed = project.run("runs", "resume", "--out", "json")
    assert resumed.code == 0, resumed.err
    returns = resumed.document["m1"]
    ids = sorted(returned["__id__"] for returned in returns.values())
    assert ids == ["b1 each", "b2 each", "b3 each", "last", "make"]
    assert returns["test_|-last_|-last_|-show_notification"]["comment"] == "b3"
    scopes = [returned["delayed"][0]["scope"] for returned in returns.values() if "delayed" in returned]
    assert sorted(scopes) == ["b1 each/late", "b2 each/late", "b3 each/late"]
    whole = [f"{box} {state}" for box in ("b1", "b2", "b3") for state in ("each", "late")]
    assert calls(project) == sorted([*whole, at.replace("-", " ")])
    shown = project.run("runs", "show", "last", "--out", "json").document["m1"]
    assert list(shown) == list(returns)


def test_the_printed_results(project: Shell) -> None:
    """A chunk is printed with its prefixed ID; where the name is another, that is prefixed, too."""
    project.write(
        "states/u.sls", "cfg:\n  test.nop:\n    - name: n\n    - tgt: b1\ngone: {test.nop: [tgt: c]}\n"
    )
    ended = project.run("apply", "u")
    assert ended.code == 2
    lines = [line.strip() for line in ended.out.splitlines()]
    assert lines[2:6] == ["ID: b1 cfg", "Function: test.nop", "Name: b1 n", "Result: True"]
    assert "ID: gone" in lines
    assert lines[-1].startswith("0 changed, 1 unchanged, 1 failed, ")


def test_what_a_target_may_be_is_explained(project: Shell) -> None:
    """A target that does not parse ends the command with 1, its place and its column."""
    project.write("states/u.sls", "cfg:\n  test.nop:\n    - tgt: b1 b2\n")
    ended = project.run("apply", "u")
    assert ended.code == 1
    assert "states/u.sls:3:15" in ended.err
    assert "E0701" in ended.err


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("T@sssh", "column 1: there is no resource type 'sssh' (did you mean ssh_host?)"),
        ("T@shh_host:web", "column 1: there is no resource type 'shh_host' (did you mean ssh_host?)"),
        ("m or N@front", "column 6: there is no nodegroup 'front'"),
        ("m and (db-*", "column 12: a parenthesis that is never closed"),
        ("E@(web or db)", "column 3: a parenthesis that is never closed in its word"),
    ],
)
def test_a_call_refuses_a_target_that_means_nothing(tmp_path: Path, target: str, error: str) -> None:
    """What cannot be parsed, or names what does not exist, is refused with its column: nothing is called."""
    ended = Shell(tmp_path).run("call", target, "test.ping", "--id", "m")
    assert (ended.code, ended.out) == (1, "")
    assert error in ended.err


def test_a_call_reads_parentheses_as_top_files_do(tmp_path: Path) -> None:
    """A parenthesis inside a word belongs to the word."""
    ended = Shell(tmp_path).run(
        "call", "(E@(m|n) and not T@ssh_host)", "test.ping", "--id", "m", "--out", "json"
    )
    assert (ended.code, ended.document) == (0, {"m": True})


WHOLE = """
each:
  step.done:
    - delayed_render:
      - block: late
last:
  test.show_notification:
    - text: ${step:each:id}
    - onchanges: [each]
#!delayed_block late
late:
  step.done: []
#!end_delayed_block
"""


@pytest.mark.parametrize("at", ["b1-each", "b2-each", "b1-late", "b2-late"])
def test_a_run_with_a_target_that_was_killed_is_gone_on_with(project: Shell, at: str) -> None:
    """The run knows its target, and takes over what was over on each resource."""
    project.write("states/whole.sls", WHOLE)
    trap = project.root / f"effects/{at}"
    trap.touch()
    ended = project.run("apply", "--tgt", "T@minion:b*", "whole")
    assert ended.code == -signal.SIGKILL, ended.err
    resumed = project.run("runs", "resume", "--out", "json")
    assert resumed.code == 0, resumed.err
    returns = resumed.document["m1"]
    assert sorted(returned["__id__"] for returned in returns.values()) == [
        "b1 each",
        "b1 last",
        "b2 each",
        "b2 last",
    ]
    assert returns["test_|-b2 last_|-b2 last_|-show_notification"]["comment"] == "b2"
    whole = [f"{box} {state}" for box in ("b1", "b2") for state in ("each", "late")]
    assert calls(project) == sorted([*whole, at.replace("-", " ")])
    listed = project.run("runs", "list", "--out", "json").document
    assert [run["tgt"] for run in listed] == ["T@minion:b*", "T@minion:b*"]


def test_exit_codes_of_a_run_with_a_target(project: Shell) -> None:
    """A target that is refused ends with 1 and its column, one without a match with 2 and near names."""
    project.write("states/u.sls", "cfg: test.nop\n")
    refused = project.run("apply", "--tgt", "b1 and (b2", "u")
    assert (refused.code, refused.out) == (1, "")
    assert "column 11" in refused.err
    unmatched = project.run("plan", "--tgt", "b11", "u", "--out", "json")
    assert unmatched.code == 2
    comment = unmatched.document["m1"]["no_|-states_|-states_|-None"]["comment"]
    assert "no minion or resource matches the target 'b11' (did you mean b1" in comment
    for options in ([], ["--state-output", "terse"]):
        shown = project.run("plan", "--tgt", "b11", "u", *options)
        assert "no.None" not in shown.out + shown.err
    assert project.run("apply", "--tgt", "b[12]", "u", "--state-output", "terse").code == 0


def test_what_is_shown_of_a_target(project: Shell) -> None:
    """Each resource has its entry; without one the exit code is 2."""
    project.write("states/u.sls", "cfg {{ grains.id }}: test.nop\n")
    shown = project.run("show", "high", "u", "--tgt", "b*", "--out", "json")
    assert shown.code == 0
    assert {id_: [*high] for id_, high in shown.document.items()} == {"b1": ["cfg b1"], "b2": ["cfg b2"]}
    assert project.run("show", "top", "--tgt", "c*").code == 2
    for words in (["show", "top", "--tgt", "b11"], ["call", "b11", "test.ping"]):
        unmatched = project.run(*words)
        assert (unmatched.code, "no target matched 'b11' (did you mean b1" in unmatched.err) == (2, True)


def test_a_drawing_has_the_resources(project: Shell) -> None:
    """A state is drawn with the resource that it ran on, and with its requisites."""
    project.write("states/u.sls", "a: test.nop\nb: {test.nop: [require: [test: a]]}\n")
    assert project.run("apply", "--tgt", "b*", "u").code == 0
    drawn = project.run("graph", "--run", "last").out.splitlines()
    assert [line.strip("├└─ ") for line in drawn[1:]] == [
        "b1 a [test.nop] on minion:b1  succeeded",
        "b2 a [test.nop] on minion:b2  succeeded",
        "b1 b [test.nop] on minion:b1  succeeded  (require b1 a)",
        "b2 b [test.nop] on minion:b2  succeeded  (require b2 a)",
    ]


def test_an_id_within_another_is_suggested(project: Shell) -> None:
    """A derived resource has the name of its source within its own."""
    called = project.run("resources", "register", "dummy:jumphost-web-a")
    assert called.code == 0, called.err
    assert "did you mean jumphost-web-a?" in project.run("call", "web-a", "test.ping").err
