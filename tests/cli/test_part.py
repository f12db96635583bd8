"""A part of a run on the command line: what is printed, recorded and resumed, and what is refused."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell
from tests.cli.test_completion import _candidates
from tests.cli.test_resume import STATES

from ensue.cli.part_options import words_of

if TYPE_CHECKING:
    from pathlib import Path

WEB = """
conf:
  test.succeed_with_changes:
    - tags: deploy
service:
  test.nop:
    - tags: [deploy, live]
    - watch:
      - conf
"""

DB = """
install: test.nop
schema:
  test.nop:
    - require:
      - install
    - delayed_render:
      - block: grown
#!delayed_block grown
inner:
  test.nop:
    - tags: live
sibling: test.nop
#!end_delayed_block
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project whose top file assigns two SLS."""
    project = Shell(tmp_path)
    project.write("ensue.yaml", "id: web-01\n")
    project.write("states/top.sls", "base:\n  '*': [web, db]\n")
    project.write("states/web.sls", WEB)
    project.write("states/db.sls", DB)
    return project


def outline(returns: dict[str, Any]) -> dict[str, str]:
    """Return the status of each state: `excluded`, or its result."""
    return {
        returned["__id__"]: returned.get("status", str(returned["result"])) for returned in returns.values()
    }


def test_a_part_of_the_highstate(project: Shell) -> None:
    """The summary counts what is left out, beside what was run; Salt's figures count only the latter."""
    ended = project.run("apply", "--only", "web")
    assert ended.code == 0, ended.err
    assert "2 changed, 0 unchanged, 2 excluded (--only web)" in ended.out
    assert ended.out.endswith("Excluded: 2 states (--only web)\n")
    ended = project.run("apply", "--only", "web", "--out", "highstate")
    assert "Succeeded: 2 (changed=2)" in ended.out
    assert "Total states run:     2" in ended.out
    assert ended.out.endswith("Excluded: 2 states (--only web)\n")
    assert "schema" not in ended.out


def test_a_plan_of_a_part(project: Shell) -> None:
    """With the states that are excluded because of what they require, by name."""
    ended = project.run("plan", "--exclude", "conf", "--exclude", "schema")
    assert ended.code == 0, ended.err
    assert "3 excluded (--exclude conf --exclude schema)" in ended.out
    assert "  service (test.nop): excluded, since it requires conf\n" in ended.out


def test_each_excluded_state_is_in_the_document(project: Shell) -> None:
    """With the status `excluded` and the reason, in its scope too; `runs show` prints the same document."""
    ended = project.run("apply", "--exclude", "tag:live", "--out", "json")
    assert ended.code == 0, ended.err
    returns = ended.document["web-01"]
    assert outline(returns) == {
        "conf": "True", "install": "True", "schema": "True", "service": "excluded"
    }  # fmt: skip
    service = returns["test_|-service_|-service_|-nop"]
    assert service == {
        "name": "service",
        "changes": {},
        "result": None,
        "comment": "--exclude leaves it out",
        "status": "excluded",
        "__id__": "service",
        "__sls__": "web",
        "__scope__": "",
        "__target__": "minion:web-01",
    }
    (grown,) = returns["test_|-schema_|-schema_|-nop"]["delayed"]
    assert outline(grown["returns"]) == {"sibling": "True", "inner": "excluded"}
    assert project.run("runs", "show", "last", "--out", "json").document == ended.document
    assert project.run("apply", "--exclude", "tag:live", "--out", "yaml").code == 0
    listed = project.run("runs", "list", "--out", "json").document
    assert [run["part"] for run in listed] == ["--exclude tag:live"] * 2
    assert "apply (highstate) --exclude tag:live" in project.run("runs", "list").out


def test_a_word_that_names_nothing_is_refused(project: Shell) -> None:
    """Before anything runs, with exit code 1, near names and no journal."""
    ended = project.run("apply", "--only", "servce", "--out", "json")
    assert ended.code == 1
    (message,) = ended.document["web-01"]
    assert message.startswith("`--only servce` names no state of this run")
    assert "did you mean service?" in message
    assert "the state that renders the block: schema" in message
    assert project.run("runs", "list", "--out", "json").document == []
    assert project.run("apply", "web", "--only", "install").code == 1


def test_several_words_in_one_option() -> None:
    """Commas separate them, except in an ID that is named as such."""
    assert words_of(["web,db", "id:a,b", "db"]) == ("web", "db", "id:a,b")


@pytest.mark.parametrize("words", [("--only", ""), ("--only", "web,"), ("--exclude", ""), ("--start-at", "")])
def test_an_empty_word_does_not_choose_the_whole_run(words: tuple[str, str], project: Shell) -> None:
    """A variable of a script may have no value; nothing is run."""
    ended = project.run("apply", *words)
    assert ended.code == 1
    assert "names no state" in ended.err or "one of them is empty" in ended.err
    assert project.run("runs", "list", "--out", "json").document == []


def test_words_with_commas(project: Shell) -> None:
    """The states of all of them run."""
    ended = project.run("apply", "--only", "conf,install", "--out", "json")
    assert outline(ended.document["web-01"]) == {
        "conf": "True", "install": "True", "service": "excluded", "schema": "excluded"
    }  # fmt: skip


def test_the_words_of_ansible(project: Shell) -> None:
    """They are answered with those of ensue."""
    assert "`--only tag:NAME`" in project.run("apply", "--tags", "live").err
    assert "`--exclude tag:NAME`" in project.run("apply", "--skip-tags", "live").err
    assert "`--start-at ID`" in project.run("apply", "--start-at-task", "conf").err


def test_tags_are_shown(project: Shell) -> None:
    """In high and low data, as they are written."""
    high = project.run("show", "high", "web", "--out", "json").document["web-01"]
    assert {"tags": "deploy"} in high["conf"]["test"]
    low = project.run("show", "low", "web", "--out", "json").document["web-01"]
    assert [chunk["tags"] for chunk in low] == ["deploy", ["deploy", "live"]]


def test_sls_are_completed(project: Shell) -> None:
    """After a prefix and a comma, too."""
    project.write("here.sls", "")
    assert _candidates(project, "apply", "--only", "w") == ["web"]
    assert _candidates(project, "plan", "--exclude", "sls:d") == ["sls:db"]
    assert _candidates(project, "apply", "--only", "web,d") == ["web,db"]


STEPS = """
a:
  step.done: []
b:
  step.done: []
c:
  step.done:
    - require: [b]
d:
  step.done: []
"""


@pytest.fixture
def steps(tmp_path: Path) -> Shell:
    """A project whose states note each call, and end the process at one of them."""
    project = Shell(tmp_path)
    project.write("ensue.yaml", "id: web-01\n")
    project.write("states/_states/step.py", STATES)
    project.write("states/t.sls", STEPS)
    (tmp_path / "effects").mkdir()
    return project


def test_a_resumed_run_has_the_same_part(steps: Shell) -> None:
    """What was left out stays left out, and the run that resumes says so."""
    (steps.root / "effects/trap").write_text("c")
    assert steps.run("apply", "t", "--only", "c").code == -signal.SIGKILL
    ended = steps.run("runs", "resume", "--out", "json")
    assert ended.code == 0, ended.err
    assert (steps.root / "effects/calls").read_text() == "bcc"
    assert outline(ended.document["web-01"]) == {"b": "True", "c": "True", "a": "excluded", "d": "excluded"}
    assert "2 excluded (--only c)" in steps.run("runs", "show", "last").out


def test_start_at_goes_on_from_a_state(steps: Shell) -> None:
    """With what the later ones require, and nothing else of what is before it."""
    ended = steps.run("apply", "t", "--start-at", "c")
    assert ended.code == 0, ended.err
    assert (steps.root / "effects/calls").read_text() == "bcd"
    assert "1 excluded (--start-at c)" in ended.out


def test_the_enforced_state_of_an_excluded_state_stays(steps: Shell) -> None:
    """It is that of the last apply that ran it."""
    steps.run("apply", "t")
    before = steps.run("show", "enforced", "--out", "json").document
    assert steps.run("apply", "t", "--only", "d").code == 0
    assert steps.run("show", "enforced", "--out", "json").document == before


def test_a_graph_of_the_run_has_what_was_run(steps: Shell) -> None:
    """A state that was left out is not drawn."""
    steps.run("apply", "t", "--only", "d")
    drawn = steps.run("graph", "--run", "last", "--out", "mermaid").out
    assert [line for line in drawn.splitlines() if "step.done" in line] == [
        '  n0["d<br/>step.done"]:::changed'
    ]


def test_a_fleet_takes_no_part(project: Shell) -> None:
    """A run over minions refuses the options by name."""
    project.write("ensue.yaml", "id: web-01\nfleet: salt\n")
    ended = project.run("apply", "--tgt", "*", "--only", "web")
    assert ended.code == 1
    assert "Runs over minions do not have the option --only." in ended.err


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_hosts_without_the_state_to_start_at_are_named(shell: Shell, command: str) -> None:
    """Nothing runs there, which one warning says for all of them; there is none of a state that all have."""
    shell.write("pillar/top.sls", "base: {'*': [p]}\n")
    shell.write("pillar/p.sls", "resources: {dummy: {a: {}, b: {}, c: {}}}\n")
    shell.write("states/t.sls", "{% if grains.id == 'a' %}\nfirst: test.nop\n{% endif %}\nlast: test.nop\n")
    ended = shell.run(command, "t", "--tgt", "T@dummy", "--start-at", "first")
    warnings = [line for line in ended.err.splitlines() if line.startswith("warning[E0918]")]
    assert warnings == ["warning[E0918]: nothing runs on b, c, which have no state 'first' to start at"], (
        ended.err
    )
    assert "E0918" not in shell.run(command, "t", "--tgt", "T@dummy", "--start-at", "last").err
