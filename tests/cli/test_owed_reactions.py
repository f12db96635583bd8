"""A run that leaves reactions to changes owed says so, in every form of its results and from the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.shell import Shell

SLS = """\
conf:
  file.managed:
    - name: ROOT/conf
    - contents: x
reload:
  cmd.run:
    - name: exit 3
    - onchanges: [conf]
broken:
  cmd.run:
    - name: exit 4
    - failhard: {failhard}
restart:
  cmd.run:
    - name: exit 0
    - onchanges: [conf]
    - require: [broken]
"""
ENDING = """
Owed: 2 reactions to a change failed or did not run, and the next apply runs them:
  reload (cmd.run)
  restart (cmd.run)
"""


def write(shell: Shell, *, failhard: bool) -> None:
    """Write an SLS with a reaction that fails and one that a failure prevents, or that never starts."""
    text = SLS.replace("ROOT", str(shell.root)).replace("{failhard}", str(failhard).lower())
    shell.write("states/t.sls", text)


@pytest.mark.parametrize("failhard", [False, True])
def test_the_end_of_a_run_names_what_is_owed(shell: Shell, *, failhard: bool) -> None:
    """One line for each, whether it failed, did not run, or never started; a plan owes nothing."""
    write(shell, failhard=failhard)
    assert "Owed:" not in shell.run("plan", "t").out
    for words in ((), ("--out", "short"), ("--out", "highstate")):
        assert shell.run("apply", "t", *words).out.endswith(ENDING)
    assert shell.run("runs", "show", "last").out.endswith(ENDING)
    shell.write("states/t.sls", "conf:\n  test.nop: []\n")
    assert "Owed:" not in shell.run("apply", "t").out


def test_documents_mark_what_is_owed(shell: Shell) -> None:
    """The state has `owed`; one that never started has no entry, and is named beside the document."""
    write(shell, failhard=False)
    (states,) = shell.run("apply", "t", "--out", "json").document.values()
    assert [one["__id__"] for one in states.values() if one.get("owed")] == ["reload", "restart"]
    (states,) = shell.run("runs", "show", "last", "--out", "json").document.values()
    assert [one["__id__"] for one in states.values() if one.get("owed")] == ["reload", "restart"]
    write(shell, failhard=True)
    applied = shell.run("apply", "t", "--out", "json")
    (states,) = applied.document.values()
    assert [one["__id__"] for one in states.values() if one.get("owed")] == ["reload"]
    assert "ensue: owed to the next apply: restart (cmd.run)\n" in applied.err
