"""Commands of conditions that do not answer, and conditions in a plan of what they ask for."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write
from tests.app.test_targets import hosts
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport

CONDITIONS = """
answer: {cmd.run: [{name: 'true'}, {unless: '/bin/sh -c "exit 3"'}]}
operator: {cmd.run: [{name: 'true'}, {unless: 'test -z "x'}]}
words: {cmd.run: [{name: 'true'}, {unless: 'test a b c'}]}
missing: {cmd.run: [{name: 'true'}, {onlyif: no-such-command-here}]}
folder: {cmd.run: [{name: 'true'}, {onlyif: 'true'}, {cwd: /no/such/folder}]}
late: {cmd.run: [{name: 'true'}, {unless: sleep 9}, {timeout: 0.2}]}
"""


def warnings(report: RunReport) -> dict[str, str]:
    """Return the first words of the warning of each state that has one."""
    return {
        returned.id.split()[-1]: returned.warnings[0]
        for returned in report.returns.values()
        if returned.warnings
    }


def check(report: RunReport) -> None:
    """Check the warnings of the conditions above."""
    warned = warnings(report)
    assert sorted(warned) == ["folder", "late", "missing", "operator", "words"]
    assert warned["operator"].startswith("the shell cannot read the command of `unless` (exit code ")
    assert warned["words"].startswith(
        "the command of `unless` reports an error (exit code 2), which counts as"
    )
    assert "test a b c: " in warned["words"]
    assert "(exit code 127), which counts as false, so the state is skipped: no-such-" in warned["missing"]
    assert warned["folder"].startswith("the command of `onlyif` cannot run, which counts as false")
    assert "has not ended within 0.2 seconds, which counts as false, so `unless` does not" in warned["late"]


def test_commands_without_an_answer_here(tmp_path: Path) -> None:
    """A condition whose command does not run or reports an error has a warning with its code and words."""
    write(tmp_path, states__t=CONDITIONS)
    check(apply(tmp_path, "t"))


@pytest.mark.openssh
def test_commands_without_an_answer_on_a_host(tmp_path: Path) -> None:
    """The same over SSH."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    write(tmp_path, states__t=CONDITIONS.replace("{cmd.run: [", "{cmd.run: [{tgt: web-1}, "))
    with running_sshd(tmp_path / "sshd", user=user) as server:
        hosts(tmp_path, [server])
        check(apply(tmp_path, "t"))


MADE = """
made:
  file.managed: [{name: DIR/app.conf}, {contents: "a=1\\nb=2"}, {makedirs: true}, {replace: false}]
command:
  cmd.run: [{name: echo ok}, {onlyif: test -e DIR/app.conf}]
replaced:
  file.replace: [{name: DIR/app.conf}, {pattern: a=1}, {repl: a=2}]
line:
  file.line: [{name: DIR/app.conf}, {content: c=3}, {mode: ensure}, {after: b=2}]
keys:
  file.keyvalue: [{name: DIR/app.conf}, {key: b}, {value: '3'}]
exists:
  file.exists: [{name: DIR/app.conf}]
copied:
  file.copy: [{name: DIR/copy}, {source: DIR/app.conf}]
of_copy:
  file.managed: [{name: DIR/other}, {source: DIR/copy}]
"""
LATER = ["command", "copied", "exists", "keys", "line", "of_copy", "replaced"]


def unknown(report: RunReport) -> list[str]:
    """Return the IDs of the states of a plan that only an apply knows."""
    return sorted(returned.id for returned in report.returns.values() if returned.unknown)


def test_a_plan_of_what_an_earlier_state_makes(tmp_path: Path) -> None:
    """States that need a file which an earlier state makes are known after apply, and succeed there.

    The next plan has nothing to do.
    """
    write(tmp_path, states__t=MADE.replace("DIR", str(tmp_path / "etc")))
    plan = apply(tmp_path, "t", test=True)
    assert (unknown(plan), plan.exit_code) == (LATER, 0)
    comment = f"waits for 'made' (known after apply); now: {tmp_path}/etc/app.conf: file not found"
    assert {returned.id: returned.comment for returned in plan.returns.values()}["replaced"] == comment
    done = apply(tmp_path, "t")
    assert all(returned.result for returned in done.returns.values())
    assert unknown(apply(tmp_path, "t", test=True)) == []


def test_a_plan_of_what_no_earlier_state_makes(tmp_path: Path) -> None:
    """Where the state that makes it comes later, the plan fails as the apply would."""
    made, command, others = MADE.replace("DIR", str(tmp_path / "etc")).partition("command:")
    write(tmp_path, states__t=command + others + made)
    plan = apply(tmp_path, "t", test=True)
    assert unknown(plan) == []
    failed = sorted(returned.id for returned in plan.returns.values() if returned.result is False)
    assert failed == ["copied", "exists", "keys", "line", "of_copy", "replaced"]


def test_conditions_in_a_plan_of_what_they_require(tmp_path: Path) -> None:
    """`onlyif` waits for whatever a required state changes; `unless` and `creates` do not."""
    text = "pending: {cmd.run: [{name: 'true'}]}\n"
    for word, line in (("onlyif", "'false'"), ("unless", "'true'"), ("creates", "/")):
        text += f"{word}: {{cmd.run: [{{name: 'true'}}, {{require: [pending]}}, {{{word}: {line}}}]}}\n"
    write(tmp_path, states__t=text)
    assert unknown(apply(tmp_path, "t", test=True)) == ["onlyif"]


def test_states_side_by_side_wait_only_for_what_they_require(tmp_path: Path) -> None:
    """Without an order of states, an earlier one need not run first: only a requisite says so."""
    text = MADE.replace("DIR", str(tmp_path / "etc")).replace(
        "{pattern: a=1}", "{pattern: a=1}, {require: [made]}"
    )
    write(tmp_path, states__t=text)
    (tmp_path / "ensue.yaml").write_text("state_auto_order: false\n")
    assert unknown(apply(tmp_path, "t", test=True)) == ["replaced"]


SKIPS = """
made:
  file.managed: [{name: DIR/app.conf}, {contents: a}, {makedirs: true}]
unless:
  cmd.run: [{name: 'true'}, {unless: test -f DIR/app.conf}]
creates:
  cmd.run: [{name: 'true'}, {creates: DIR/app.conf}]
other:
  cmd.run: [{name: 'true'}, {creates: DIR/other}, {unless: test -f DIR/other}]
again:
  cmd.run: [{name: 'true'}, {creates: DIR/other}]
"""


def test_a_plan_of_what_an_earlier_state_makes_unnecessary(tmp_path: Path) -> None:
    """A state waits for one that makes what would skip it, and for no one else, such as itself."""
    write(tmp_path, states__t=SKIPS.replace("DIR", str(tmp_path / "etc")))
    plan = {
        returned.id: returned.comment
        for returned in apply(tmp_path, "t", test=True).returns.values()
        if returned.unknown
    }
    assert plan == {
        "unless": "waits for 'made' (known after apply); now: runs",
        "creates": "waits for 'made' (known after apply); now: runs",
        "again": "waits for 'other' (known after apply); now: runs",
    }
    done = {returned.id for returned in apply(tmp_path, "t").returns.values() if returned.changes}
    assert not done & {"unless", "creates"}


def test_a_plan_of_a_command_that_reads_what_is_not_there_yet(tmp_path: Path) -> None:
    """What it exits with after the states before it is known after the apply, which runs it after them."""
    made = f"made:\n  file.managed: [{{name: {tmp_path}/a}}, {{contents: x}}]\n"
    read = f"read:\n  cmd.run: [{{name: cat {tmp_path}/a}}, {{read_only: true}}]\n"
    write(tmp_path, states__t=made + read)
    report = apply(tmp_path, "t", test=True)
    assert (unknown(report), report.exit_code) == (["read"], 0)
    (comment,) = [returned.comment for returned in report.returns.values() if returned.id == "read"]
    assert comment.startswith("waits for 'made' (known after apply); now: exited 1: cat: ")
    assert apply(tmp_path, "t").exit_code == 0
    assert unknown(apply(tmp_path, "t", test=True)) == []


def test_a_plan_of_a_command_that_fails_before_anything_changes(tmp_path: Path) -> None:
    """Nothing comes before it that could change what it reads, so it will fail in the apply, too."""
    write(tmp_path, states__t="read: {cmd.run: [{name: cat /no/file}, {read_only: true}]}\n")
    report = apply(tmp_path, "t", test=True)
    assert (unknown(report), report.exit_code) == ([], 2)
