"""The summary of a run on several hosts: a recap per host, and nested states counted and shown once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

PILLAR = """
resources:
  minion:
    hosts:
      web-01: {root: $ROOT/web-01}
      web-02: {root: $ROOT/web-02}
  dummy:
    hosts:
      lamp: {reachable: false}
"""
SLS = """
made:
  file.managed: [name: /motd, contents: hi]
same:
  test.nop: []
{% if grains['os'] and grains['id'] == 'web-02' %}
bad:
  test.fail_without_changes: []
after:
  test.nop:
    - require: [bad]
{% endif %}
"""
RECAP = """\
ok  changed  failed  unreachable  not run  host
 0        0       0            1        0  dummy:lamp
 1        1       0            0        0  minion:web-01
 1        1       1            0        1  minion:web-02
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with two hosts, and one that does not answer."""
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: laptop\n")
    shell.write("pillar/top.sls", "base: {laptop: [hosts]}\n")
    shell.write("pillar/hosts.sls", PILLAR.replace("$ROOT", str(tmp_path)))
    for host in ("web-01", "web-02"):
        (tmp_path / host).mkdir()
    shell.write("states/t.sls", SLS)
    shell.write("states/inner.sls", "made:\n  file.managed: [name: /motd, contents: hi]\n")
    return shell


def _counts(ok: int = 0, changed: int = 0, failed: int = 0, unreachable: int = 0, not_run: int = 0) -> Any:
    return {"ok": ok, "changed": changed, "failed": failed, "unreachable": unreachable, "not_run": not_run}


def test_several_hosts_get_a_recap(shell: Shell) -> None:
    """A row per host above the line of counts; the same in JSON, for any run, by `runs show --recap`."""
    applied = shell.run("apply", "t", "--tgt", "web-* or lamp")
    assert applied.code == 2
    assert RECAP in applied.out
    assert "\n2 changed, 2 unchanged, 1 failed, 1 unreachable, 1 not run, " in applied.out
    assert shell.run("runs", "show", "last", "--recap").out == RECAP
    assert shell.run("runs", "show", "last", "--recap", "--out", "json").document == {
        "dummy:lamp": _counts(unreachable=1),
        "minion:web-01": _counts(ok=1, changed=1),
        "minion:web-02": _counts(ok=1, changed=1, failed=1, not_run=1),
    }


def test_a_failed_block_counts_once(shell: Shell) -> None:
    """The rows of the recap sum up to the last line, in a plan and in an apply."""
    block = "#!delayed_block late\nbroken: {{ none.of.this }}\n#!end_delayed_block\n"
    shell.write("states/b.sls", "calls:\n  test.nop:\n    - delayed_render: [block: late]\n" + block)
    for command, last in (("plan", "3 would fail"), ("apply", "3 failed")):
        assert last in shell.run(command, "b", "--tgt", "T@minion").out.splitlines()[-1]
        recap = shell.run("runs", "show", "last", "--recap", "--out", "json").document
        assert [counts["failed"] for counts in recap.values()] == [1, 1, 1]


def test_states_after_a_failhard_are_counted_as_not_run(shell: Shell) -> None:
    """The recap has as many as the last line, on the hosts where they would have run."""
    shell.write("states/stops.sls", SLS.replace("bad:\n", "hard:\n").replace("[bad]", "[hard]"))
    ended = shell.run("apply", "stops", "--tgt", "T@minion", "--failhard", "--concurrency", "1")
    counts = shell.run("runs", "show", "last", "--recap", "--out", "json").document
    not_run = sum(count["not_run"] for count in counts.values())
    assert not_run
    assert f", {not_run} not run, " in ended.out


def test_one_host_gets_none(shell: Shell) -> None:
    """A run on one host has the line of counts alone."""
    applied = shell.run("apply", "t", "--tgt", "web-01")
    assert "unreachable" not in applied.out
    assert "\n1 changed, 1 unchanged, " in applied.out


def test_an_unreachable_host_is_marked(shell: Shell) -> None:
    """In JSON a return says that its host cannot be reached; a state that merely fails does not."""
    returns = shell.run("apply", "t", "--tgt", "web-02 or lamp", "--out", "json").document["laptop"]
    marked = {returned["__target__"] for returned in returns.values() if returned.get("unreachable")}
    assert marked == {"dummy:lamp"}


def test_a_plan_has_a_column_for_what_comes_later(shell: Shell) -> None:
    """What only an apply can decide is counted apart."""
    shell.write("states/t.sls", "a: {cmd.run: [name: 'true']}\nb: {test.nop: [name: '${cmd:a:stdout}']}\n")
    shown = shell.run("plan", "t", "--tgt", "web-*").out
    assert " 0        1       0            0        0      1  minion:web-01\n" in shown


@pytest.mark.parametrize("words", [("plan",), ("apply",), ("apply", "--state-output", "terse")])
def test_what_a_state_applied_counts_and_is_shown_once(shell: Shell, words: tuple[str, ...]) -> None:
    """A state that applies SLS counts as the states of it, and does not repeat their changes."""
    shell.write(
        "states/t.sls", "configured:\n  ssh_host.state_applied: [name: 'minion:web-01', mods: inner]\n"
    )
    shown = shell.run(words[0], "t", *words[1:]).out
    assert ("1 to change, 0 unchanged" if words == ("plan",) else "\n1 changed, 0 unchanged, ") in shown
    assert shown.count("New file") <= 1


def test_a_failure_below_is_repeated_once(shell: Shell) -> None:
    """The list of failures has the state that failed, and not the one that applied it."""
    shell.write(
        "states/t.sls", "configured:\n  ssh_host.state_applied: [name: 'minion:web-01', mods: inner]\n"
    )
    shell.write("states/inner.sls", "bad: {test.fail_without_changes: []}\n")
    shown = shell.run("apply", "t").out
    _, _, end = shown.partition("\nFailed:\n")
    assert end.startswith("  bad (test.fail_without_changes), states/inner.sls:1:")
    assert "configured" not in end
    assert "\n0 changed, 0 unchanged, 1 failed, " in end


def test_a_run_without_a_target_counts_no_state(shell: Shell) -> None:
    """No state was to run, so none is counted as not run."""
    shell.write("states/t.sls", "x: test.nop\n")
    assert shell.run("plan", "t", "--tgt", "nobody*").out.endswith("\n0 to change, 0 unchanged\n")
