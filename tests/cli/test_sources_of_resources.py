"""How a resource names the state that it was derived from: on one line, by its ID if it is a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell

MAKE = """\
make n:
  cmd.run:
    - name: |
        set -e
        mkdir -p $ROOT/hosts/n/etc
        echo "made"
    - registers:
      - ssh_host:n: {host: 127.0.0.1, port: 1, user: root}
      - minion:inner: {root: $ROOT/hosts/n}
vm:
  test.nop:
    - registers:
      - dummy:plain: {}
"""


def test_a_state_whose_name_is_a_command_is_named_by_its_id(shell: Shell) -> None:
    """In the lines of a run, the table, the audit log and the error of a host; a plain name stays."""
    shell.write("states/newhost.sls", MAKE.replace("$ROOT", str(shell.root)))
    planned = shell.run("plan", "newhost")
    assert "registers ssh_host:n" in planned.out
    applied = shell.run("apply", "newhost")
    assert applied.code == 0, applied.out
    label = "make n (cmd.run in newhost)"
    assert f"registered: minion:inner, derived from {label}\n" in applied.err, applied.err
    table = shell.run("resources", "list").out.splitlines()
    assert len(table) == len(shell.run("resources", "list", "--out", "json").document) + 1
    assert {
        line.split("  ")[0]: label in line for line in table if "inner" in line or "ssh_host:n" in line
    } == {
        "minion:inner": True,
        "ssh_host:n": True,
    }
    assert any("dummy:plain" in line and "test:vm" in line for line in table)
    assert f"derived from {label}" in shell.run("resources", "audit").out
    assert shell.run("resources", "invalidate", label).out.split() == ["minion:inner", "ssh_host:n"]
    assert shell.run("apply", "newhost").code == 0
    called = shell.run("call", "n", "test.ping")
    assert f"(ssh_host:n was derived from {label})" in called.out + called.err


def test_a_list_of_names_in_a_plan_is_a_list_for_people(shell: Shell) -> None:
    """Not one of Python."""
    shell.write(
        "states/t.sls", "vm:\n  test.nop:\n    - registers:\n      - dummy:a: {}\n      - dummy:b: {}\n"
    )
    planned = shell.run("plan", "t")
    assert "~ vm (test.nop): registered: dummy:a, dummy:b\n" in planned.out, planned.out
