"""Failures that an `onfail` state with `onfail_stop: false` handles: how an apply and a plan show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell

RESCUED = """\
migrate:
  cmd.run:
    - name: exit 3
roll back:
  cmd.run:
    - name: "true"
    - onfail: [migrate]
    - onfail_stop: false
"""
PLANNED = """\
gone:
  file.managed:
    - name: /nonexistent/a
    - source: /nonexistent/source
say so:
  test.nop:
    - onfail: [gone]
    - onfail_stop: false
"""


def test_an_apply_tells_a_handled_failure_from_another(shell: Shell) -> None:
    """It has its own heading, count and column, here and from the journal; one more failure has the usual."""
    shell.write("states/t.sls", RESCUED)
    applied = shell.run("apply", "t", "--state-output", "terse")
    assert applied.code == 0, applied.err
    assert (
        "\nFailed and handled:\n  migrate (cmd.run), states/t.sls:2:3, handled by roll back: exited 3\n"
        in applied.out
    )
    assert "1 changed, 0 unchanged, 1 failed and handled, " in applied.out
    assert "Failed:" not in applied.out
    assert "handled: roll back" in applied.err
    again = shell.run("runs", "show", "last").out
    assert "Handled: by roll back" in again
    assert "1 failed and handled, " in again
    recap = shell.run("runs", "show", "last", "--recap", "--out", "json").document
    (counts,) = recap.values()
    assert (counts["failed"], counts["handled"]) == (0, 1)
    shell.write("states/t.sls", RESCUED + "other: {cmd.run: [name: exit 4]}\n")
    both = shell.run("apply", "t")
    assert both.code == 2
    assert "\nFailed:\n  other (cmd.run)" in both.out
    assert "1 failed, 1 failed and handled, " in both.out


def test_a_run_without_handled_failures_has_no_such_column(shell: Shell) -> None:
    """Its counts have the keys that they always had."""
    shell.write("states/t.sls", "a: test.nop\n")
    assert shell.run("apply", "t").code == 0
    recap = shell.run("runs", "show", "last", "--recap", "--out", "json").document
    assert [list(counts) for counts in recap.values()] == [
        ["ok", "changed", "failed", "unreachable", "not_run"]
    ]


def test_results_as_data_name_both_states(shell: Shell) -> None:
    """With `--out json`, and in a plan whose failure is foreseen."""
    shell.write("states/t.sls", RESCUED)
    (states,) = shell.run("apply", "t", "--out", "json").document.values()
    failed, handler = states.values()
    assert (failed["handled_by"], handler["handles"]) == ("roll back", [next(iter(states))])
    shell.write("states/t.sls", PLANNED)
    planned = shell.run("plan", "t")
    assert planned.code == 0, planned.out
    assert "! gone (file.managed) /nonexistent/a: handled by say so" in planned.out
    assert "1 would fail and be handled" in planned.out


BLOCK = """\
first:
  cmd.run: [name: exit 3]
second:
  cmd.run:
    - name: echo second
    - require: [first]
roll back:
  cmd.run:
    - name: "true"
    - onfail: [HANDLED]
    - onfail_stop: false
"""


def test_the_end_says_which_states_of_a_block_are_not_handled(shell: Shell) -> None:
    """They did not run, which alone makes the exit code 2; named in `onfail`, they are handled, too."""
    shell.write("states/t.sls", BLOCK.replace("HANDLED", "first"))
    applied = shell.run("apply", "t", "--state-output", "terse")
    assert applied.code == 2
    assert (
        "\nNot run, which fails the run (name them, too, in `onfail` of the state that handles the "
        "failure):\n"
        "  second (cmd.run), states/t.sls:4:3: One or more requisite failed: t.first\n"
    ) in applied.out
    shell.write("states/t.sls", BLOCK.replace("HANDLED", "first, second"))
    applied = shell.run("apply", "t", "--state-output", "terse")
    assert applied.code == 0
    assert "Not run" not in applied.out
