"""A machine that is registered and stopped, and that a state of the same run would start again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.shell import Shell

STARTS = """\
start:
  cmd.run:
    - name: sleep 0.2; touch $ROOT/running
    - creates: $ROOT/running
    - registers:
      - dummy:vm-01: {reachable: true}
use:
  test.nop:
    - tgt: vm-01
"""
MOVES = """\
start:
  test.present:
    - new_state: {reachable: REACHABLE}
    - registers:
      - dummy:vm-01: {grains: {a: 1}, reachable: CONFIGURED}
"""
EACH_OTHER = """\
start:
  test.present:
    - changes: {a: 1}
    - new_state: {a: 1}
    - registers: ['dummy:{{ pillar.other }}': {}]
"""


@pytest.fixture
def stopped(shell: Shell) -> Shell:
    """A project with a stopped machine that an earlier run registered."""
    shell.write("states/top.sls", "base: {web-01: [start], 'vm-*': [guest]}\n")
    shell.write("states/start.sls", STARTS.replace("$ROOT", str(shell.root)))
    shell.write("states/guest.sls", "guest: {file.managed: [name: /guest, contents: a]}\n")
    assert shell.run("resources", "register", "dummy:vm-01", "reachable=false").code == 0
    return shell


def test_the_highstate_of_a_machine_waits_for_what_registers_it(stopped: Shell) -> None:
    """A plan does not know its states, instead of failing them, and an apply runs them on the new machine."""
    planned = stopped.run("plan", "--tgt", "*")
    assert planned.code == 0, planned.out
    again = "dummy:vm-01 would be registered again before this state (known after apply)"
    assert f"? guest (file.managed) /guest: {again}" in planned.out
    assert "1 to change, " in planned.out
    assert "unreachable, " not in planned.out.rpartition("\n1 to change")[2]
    applied = stopped.run("apply", "--tgt", "*")
    assert applied.code == 0, applied.out
    assert "2 changed, 1 unchanged" in applied.out


def test_a_target_of_a_state_that_needs_grains_waits_too(stopped: Shell) -> None:
    """What has to be gathered from the machine, for its pillar, is not an error of the plan either."""
    stopped.write("pillar/top.sls", "base: {'vm-*': [own]}\n")
    stopped.write("pillar/own.sls", "a: {{ grains.get('os', 'none') }}\n")
    planned = stopped.run("plan")
    assert planned.code == 0, planned.out
    assert "dummy:vm-01 cannot be reached, and would be registered again (known after apply)" in planned.out
    assert stopped.run("apply").code == 0


def test_a_machine_that_nothing_would_start_is_unreachable(stopped: Shell) -> None:
    """Where the state that registers it changes nothing, its states fail, in a plan as in an apply."""
    stopped.write("running", "")
    for verb in ("plan", "apply"):
        ended = stopped.run(verb, "--tgt", "*")
        assert ended.code == 2
        assert "vm-01 guest (file.managed) on dummy:vm-01, states/guest.sls:1:9: " in ended.out


def test_machines_that_register_each_other_do_not_wait_for_ever(shell: Shell) -> None:
    """One of them goes first, whichever it is."""
    shell.write("states/start.sls", EACH_OTHER)
    shell.write("pillar/top.sls", "base: {vm-01: [one], vm-02: [two]}\n")
    shell.write("pillar/one.sls", "other: vm-02\n")
    shell.write("pillar/two.sls", "other: vm-01\n")
    for name in ("vm-01", "vm-02"):
        assert shell.run("resources", "register", f"dummy:{name}").code == 0
    for verb in ("plan", "apply"):
        ended = shell.run(verb, "start", "--tgt", "vm-*")
        assert ended.code == 0, ended.out
        assert "2 to change" in ended.out or "2 changed" in ended.out


@pytest.mark.parametrize("configured", ["REACHABLE", "'${self:reachable}'"])
@pytest.mark.parametrize("target", ["vm-01", "'vm-*'", "T@dummy:*", "G@a:1"])
def test_states_on_a_machine_that_is_registered_otherwise(shell: Shell, target: str, configured: str) -> None:
    """A plan does not show what they would do on the former one: an apply runs them on the new one."""
    shell.write("states/top.sls", "base: {web-01: [start], 'vm-*': [guest]}\n")
    shell.write("states/guest.sls", "guest: {file.managed: [name: /guest, contents: a]}\n")

    def write(*, is_reachable: bool) -> None:
        text = MOVES.replace("CONFIGURED", configured).replace("REACHABLE", str(is_reachable).lower())
        shell.write("states/start.sls", f"{text}use:\n  test.nop:\n    - tgt: {target}\n")

    write(is_reachable=True)
    for _ in range(2):
        # The second one has the SLS of the machine, too.
        assert shell.run("apply", "--tgt", "*").code == 0
    planned = shell.run("plan", "--tgt", "*", "--out", "json")
    (states,) = planned.document.values()
    assert {returned["result"] for returned in states.values()} == {True}
    write(is_reachable=False)
    planned = shell.run("plan", "--tgt", "*", "--out", "json")
    (states,) = planned.document.values()
    results = {returned["__id__"]: returned["result"] for returned in states.values()}
    assert results == {"start": None, "vm-01 use": None, "vm-01 guest": None}
    comments = {
        returned["comment"] for returned in states.values() if returned["__target__"] == "dummy:vm-01"
    }
    assert comments == {"dummy:vm-01 would be registered again before this state (known after apply)"}
    applied = shell.run("apply", "--tgt", "*", "--out", "json")
    (states,) = applied.document.values()
    guest = next(returned for returned in states.values() if returned["__id__"] == "vm-01 guest")
    assert guest["comment"].startswith("dummy:vm-01 cannot be reached")
