"""What an earlier attempt of a state applied counts nowhere: the last attempt is the outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

SLS = """\
caller:
  ssh_host.state_applied:
    - name: minion:m1
    - mods: middle
    - retry: {attempts: 2, interval: 0}
"""
MIDDLE = """\
below:
  ssh_host.state_applied:
    - name: minion:m1
    - mods: there
"""


def test_counts_exit_code_and_history_agree(tmp_path: Path) -> None:
    """The report, the list of runs and the report from the journal; also two levels below the attempt."""
    project = Shell(tmp_path / "project")
    project.write("ensue.yaml", "id: m1\n")
    project.write("states/s.sls", SLS)
    project.write("states/middle.sls", MIDDLE)
    mark = tmp_path / "mark"
    project.write(
        "states/there.sls", f"once:\n  cmd.run:\n    - name: test -e {mark} || {{ touch {mark}; false; }}\n"
    )

    applied = project.run("apply", "s")

    assert applied.code == 0, applied.out
    assert "Applied: tried again: sls middle on minion:m1" in applied.out
    assert "\n1 changed, 0 unchanged, " in applied.out
    assert "trying again: caller/middle" in applied.err
    (run,) = project.run("runs", "list", "--out", "json").document
    counted = {name: run[name] for name in ("status", "exit_code", "succeeded", "changed", "failed", "total")}
    assert counted == {
        "status": "succeeded", "exit_code": 0, "succeeded": 1, "changed": 1, "failed": 0, "total": 1
    }  # fmt: skip
    assert "applied middle (retried)" in project.run("graph", "--run", run["run_id"]).out
    shown = project.run("runs", "show", run["run_id"])
    assert shown.code == 0
    assert "Applied: tried again: sls middle on minion:m1" in shown.out
    assert "\n1 changed, 0 unchanged, " in shown.out


def test_what_the_last_attempt_left_failed_counts(tmp_path: Path) -> None:
    """Each attempt fails below: the failure of the last one is in the counts and in the exit code."""
    project = Shell(tmp_path / "project")
    project.write("ensue.yaml", "id: m1\n")
    project.write("states/s.sls", SLS)
    project.write("states/middle.sls", MIDDLE)
    project.write("states/there.sls", "never: test.fail_without_changes\n")

    applied = project.run("apply", "s")

    assert applied.code == 2
    assert "\n0 changed, 0 unchanged, 1 failed, " in applied.out
    (run,) = project.run("runs", "list", "--out", "json").document
    assert (run["status"], run["failed"]) == ("failed", 1)
