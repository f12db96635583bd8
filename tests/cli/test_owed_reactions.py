"""A run that leaves reactions to changes owed says so, in every form of its results and from the journal."""

from __future__ import annotations

import shlex
import signal
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
    assert [returned["__id__"] for returned in states.values() if returned.get("owed")] == [
        "reload",
        "restart",
    ]
    (states,) = shell.run("runs", "show", "last", "--out", "json").document.values()
    assert [returned["__id__"] for returned in states.values() if returned.get("owed")] == [
        "reload",
        "restart",
    ]
    write(shell, failhard=True)
    applied = shell.run("apply", "t", "--out", "json")
    (states,) = applied.document.values()
    assert [returned["__id__"] for returned in states.values() if returned.get("owed")] == ["reload"]
    assert "ensue: owed to the next apply: restart (cmd.run)\n" in applied.err


STEP = '''
"""A state that makes a file, and ends its process where `trap` says so, before or after that."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn


def made(ctx, name):
    path = Path(name)
    trap = path.with_name("trap")
    trapped = trap.read_text() if trap.exists() else ""
    if ctx.test or path.exists():
        there = path.exists()
        return StateReturn(name=name, result=True if there else None, changes={} if there else {"made": name})
    if trapped == f"before {path.name}":
        os.kill(os.getpid(), signal.SIGKILL)
    path.touch()
    if trapped == f"after {path.name}":
        os.kill(os.getpid(), signal.SIGKILL)
    return StateReturn(name=name, result=True, changes={"made": name})


FUNCTIONS = {"made": made}
'''
KILLED_SLS = """\
c:
  step.made: [name: ROOT/c]
between:
  step.made: [name: ROOT/between]
h:
  cmd.{call}:
    - name: echo h >> ROOT/calls
    - {kind}: [c]
after:
  step.made: [name: ROOT/after]
"""
KINDS = {"watch": "wait", "onchanges": "run", "listen": "wait"}


def write_killed(shell: Shell, kind: str, trap: str) -> None:
    """Write an SLS with a reaction, in whose apply a state ends the process."""
    shell.write("states/_states/step.py", STEP)
    text = KILLED_SLS.format(kind=kind, call=KINDS[kind])
    shell.write("states/t.sls", text.replace("ROOT", str(shell.root)))
    shell.write("trap", trap)


def handled(shell: Shell) -> int:
    """Return how often the reaction has run."""
    path = shell.root / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def kill_apply(shell: Shell, *words: str) -> str:
    """Apply until a state ends the process; return the run."""
    assert shell.run("apply", "t", *words).code == -signal.SIGKILL
    (shell.root / "trap").unlink()
    return next(iter(shell.run("runs", "list").out.splitlines()[1:])).split()[0]


@pytest.mark.parametrize("words", [("apply", "t"), ("runs", "resume")], ids=str)
@pytest.mark.parametrize("trap", ["after c", "before between", "after between"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_leaves_reactions_owed(shell: Shell, kind: str, trap: str, words: tuple[str, ...]) -> None:
    """From the moment in which the state that is reacted to is called; a plan says so, and it runs once."""
    write_killed(shell, kind, trap)
    run_id = kill_apply(shell)
    assert handled(shell) == 0
    assert f"owed since run {run_id}" in shell.run("plan", "t").out
    ended = shell.run(*words)
    assert (ended.code, handled(shell)) == (0, 1), ended.out + ended.err
    for _ in range(2):
        assert "owed since" not in shell.run("plan", "t").out
        assert (shell.run("apply", "t").code, handled(shell)) == (0, 1)


@pytest.mark.parametrize("kind", ["watch", "onchanges"])
def test_a_reaction_before_a_kill_is_not_owed(shell: Shell, kind: str) -> None:
    """Nor is one to a state that was not called, or was found as it should be."""
    write_killed(shell, kind, "before after")
    kill_apply(shell)
    assert handled(shell) == 1
    shell.write("trap", "before after")
    kill_apply(shell)
    assert "owed since" not in shell.run("plan", "t").out
    assert (shell.run("apply", "t").code, handled(shell)) == (0, 1)


ELSEWHERE = {
    "in a block": (
        "a:\n  test.nop:\n    - delayed_render: [block: b]\n#!delayed_block b\n{}#!end_delayed_block\n"
    ),
    "with a secret in its name": "{}",
    "fanned out": "{}",
}


@pytest.mark.parametrize("where", ELSEWHERE)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_leaves_other_reactions_owed(shell: Shell, kind: str, where: str) -> None:
    """In a scope, with names that the journal masks, and for each resource that a target will match."""
    write_killed(shell, kind, "before between")
    text = (shell.root / "states/t.sls").read_text()
    if where == "fanned out":
        text = text.replace(f"    - {kind}: [c]", f"    - {kind}: [c]\n    - tgt: web-01")
    elif where == "with a secret in its name":
        shell.write("pillar/data.sls", "port: 80\ndb: {host: a, user: u, password: correct-horse}\n")
        text = text.replace("name: echo h", "name: echo {{ pillar.db.password }}")
    shell.write("states/t.sls", ELSEWHERE[where].format(text) if where == "in a block" else text)
    run_id = kill_apply(shell)
    assert f"owed since run {run_id}" in shell.run("plan", "t").out
    ended = shell.run("apply", "t")
    assert (ended.code, handled(shell)) == (0, 1), ended.out + ended.err
    assert (shell.run("apply", "t").code, handled(shell)) == (0, 1)


def test_several_kills_leave_one_reaction_owed(shell: Shell) -> None:
    """Since the first of them; an apply of something else in between, and its kill, change nothing."""
    write_killed(shell, "onchanges", "before between")
    run_id = kill_apply(shell)
    shell.write("trap", "before between")
    kill_apply(shell)
    shell.write("states/other.sls", "other: test.nop\n")
    for words in (("other",), ("t", "--only", "c"), ("t", "--exclude", "h")):
        assert (shell.run("apply", *words).code, handled(shell)) == (0, 0)
        assert f"owed since run {run_id}" in shell.run("plan", "t").out
    assert (shell.run("apply", "t").code, handled(shell)) == (0, 1)
    assert "owed since" not in shell.run("plan", "t").out


def test_what_a_kill_leaves_owed_can_be_forgotten(shell: Shell) -> None:
    """At once, with the word that names the state."""
    write_killed(shell, "listen", "before between")
    kill_apply(shell)
    forgotten = shell.run("enforced", "forget", "h")
    assert forgotten.code == 0, forgotten.err
    assert "owed since" not in shell.run("plan", "t").out
    assert (shell.run("apply", "t").code, handled(shell)) == (0, 0)


def test_the_journal_of_a_kill_is_kept_while_it_owes(shell: Shell) -> None:
    """However few journals are kept: the one of a plan does not remove it."""
    shell.write("ensue.yaml", "id: web-01\nkeep_runs: 1\n")
    write_killed(shell, "listen", "before between")
    run_id = kill_apply(shell)
    for _ in range(2):
        assert f"owed since run {run_id}" in shell.run("plan", "t").out
    assert (shell.run("apply", "t").code, handled(shell)) == (0, 1)


MENDED_SLS = """\
c:
  file.managed: [name: ROOT/c, contents: x]
h:
  cmd.{call}:
    - name: fasle
    - {kind}: [c]
"""


def write_sls(shell: Shell, text: str) -> None:
    """Write the SLS."""
    shell.write("states/t.sls", text.replace("ROOT", str(shell.root)))


def failed_handler(shell: Shell, kind: str, around: str = "{}") -> str:
    """Apply an SLS whose handler fails; return its text."""
    text = MENDED_SLS.format(kind=kind, call=KINDS[kind])
    write_sls(shell, around.format(text))
    assert shell.run("apply", "t").code == 2
    return text


@pytest.mark.parametrize("around", ["{}", ELSEWHERE["in a block"]], ids=["at the top", "in a block"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_that_was_mended_is_still_owed(shell: Shell, kind: str, around: str) -> None:
    """Its command is another one, and it runs once; then nothing is owed."""
    text = failed_handler(shell, kind, around).replace("fasle", "echo h >> ROOT/calls")
    write_sls(shell, around.format(text))
    plan = shell.run("plan", "t")
    assert "owed since run" in plan.out, plan.out
    assert "E0894" not in plan.err
    for _ in range(2):
        applied = shell.run("apply", "t")
        assert (applied.code, handled(shell)) == (0, 1), applied.out + applied.err
        assert "E0894" not in applied.err
        assert "owed since run" not in shell.run("plan", "t").out


@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_with_another_id_is_still_owed(shell: Shell, kind: str) -> None:
    """If its function and its name are the same; the program that it calls was mended."""
    (shell.root / "bin").mkdir()
    program = shell.root / "bin/program"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    text = MENDED_SLS.format(kind=kind, call=KINDS[kind]).replace("fasle", str(program))
    write_sls(shell, text)
    assert shell.run("apply", "t").code == 2
    program.write_text(f"#!/bin/sh\necho h >> {shell.root}/calls\n")
    write_sls(shell, text.replace("h:\n  cmd", "renamed:\n  cmd"))
    for _ in range(2):
        applied = shell.run("apply", "t")
        assert (applied.code, handled(shell)) == (0, 1), applied.out + applied.err


def forgetting(text: str) -> str:
    """Return the words of the command that a warning names."""
    return text.split("`ensue ")[1].split("`", maxsplit=1)[0]


CHANGED = "c:\n  file.managed: [name: ROOT/c, contents: x]\n"
GONE = {
    "deleted": CHANGED,
    "of another module": CHANGED + "h:\n  test.nop: []\n",
    "renamed altogether": CHANGED + "i:\n  cmd.wait: [name: echo h >> ROOT/calls, listen: [c]]\n",
    "without a reaction": CHANGED + "h:\n  cmd.wait: [name: fasle]\n",
}


@pytest.mark.parametrize("edit", GONE)
@pytest.mark.parametrize("kind", KINDS)
def test_what_nothing_makes_up_for_is_named(shell: Shell, kind: str, edit: str) -> None:
    """In every plan and apply, with the command that ends that."""
    failed_handler(shell, kind)
    write_sls(shell, GONE[edit])
    command = ""
    for verb in ("plan", "apply", "plan", "apply"):
        ended = shell.run(verb, "t")
        assert "warning[E0894]: a reaction to a change is owed" in ended.err, ended.out + ended.err
        assert "h (cmd." in ended.err
        command = forgetting(ended.err)
    assert handled(shell) == 0
    forgotten = shell.run(*shlex.split(command))
    assert forgotten.code == 0, forgotten.err
    assert "E0894" not in shell.run("plan", "t").err


def test_other_sls_are_not_judged(shell: Shell) -> None:
    """A run of another SLS neither makes up for what is owed nor names it, even if it has the ID."""
    failed_handler(shell, "watch")
    text = "d: test.succeed_with_changes\nh:\n  cmd.wait: [name: 'true', watch: [d]]\n"
    shell.write("states/o.sls", text)
    assert "E0894" not in shell.run("apply", "o").err
    assert "owed since run" in shell.run("plan", "t").out


def test_a_killed_run_and_a_mended_handler(shell: Shell) -> None:
    """The handler is edited after the kill: the next apply runs it."""
    write_killed(shell, "watch", "before between")
    run_id = kill_apply(shell)
    path = shell.root / "states/t.sls"
    path.write_text(path.read_text().replace("echo h", "echo mended"))
    assert f"owed since run {run_id}" in shell.run("plan", "t").out
    for _ in range(2):
        assert (shell.run("apply", "t").code, handled(shell)) == (0, 1)


def test_one_of_several_names_does_not_settle_that_of_another(shell: Shell) -> None:
    """Each of the names that may be the former one has to succeed."""
    text = MENDED_SLS.format(kind="watch", call="wait")
    for name in ("fasle", "false"):
        write_sls(shell, text.replace("name: fasle", f"names: ['true', '{name}']"))
        assert shell.run("apply", "t").code == 2
    write_sls(shell, text.replace("name: fasle", "names: ['true', echo h >> ROOT/calls]"))
    for _ in range(2):
        assert (shell.run("apply", "t").code, handled(shell)) == (0, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_on_a_target_was_mended(shell: Shell, kind: str) -> None:
    """What the resource owes is made up for by the state that the target of the mended one becomes."""
    text = MENDED_SLS.format(kind=kind, call=KINDS[kind]) + "    - tgt: web-01\n"
    write_sls(shell, text)
    assert shell.run("apply", "t").code == 2
    write_sls(shell, text.replace("fasle", "echo h >> ROOT/calls"))
    assert "owed since run" in shell.run("plan", "t").out
    for _ in range(2):
        applied = shell.run("apply", "t")
        assert (applied.code, handled(shell), "E0894" in applied.err) == (0, 1, False), applied.err


@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_with_a_secret_was_mended(shell: Shell, kind: str) -> None:
    """Entries mask its name; that of the handler beside it is not the same."""
    shell.write("pillar/data.sls", "port: 80\ndb: {host: a, user: u, password: correct-horse}\n")
    text = MENDED_SLS.format(kind=kind, call=KINDS[kind])
    text = text.replace("name: fasle", "names: ['true', fasle {{ pillar.db.password }}]")
    write_sls(shell, text)
    assert shell.run("apply", "t").code == 2
    assert shell.run("apply", "t").code == 2
    write_sls(shell, text.replace("fasle", "echo >> ROOT/calls"))
    for _ in range(2):
        applied = shell.run("apply", "t")
        assert (applied.code, handled(shell), "E0894" in applied.err) == (0, 1, False), applied.err


def test_a_host_that_was_renamed_owes_by_name(shell: Shell) -> None:
    """The host of the former name is gone, so no run can make up for what it owes."""
    resources = "port: 80\nresources: {{minion: {{{}: {{root: ROOT/box}}}}}}\n"
    text = MENDED_SLS.format(kind="listen", call="wait") + "    - tgt: {}\n"
    for name in ("old", "new"):
        shell.write("pillar/data.sls", resources.format(name).replace("ROOT", str(shell.root)))
        write_sls(shell, text.format(f"minion:{name}"))
        ended = shell.run("apply", "t")
    assert "h (cmd.mod_watch" in ended.err, ended.out + ended.err
    assert "minion:old), since run" in ended.err


def test_a_host_with_a_top_file_that_was_renamed_owes_by_name(shell: Shell) -> None:
    """Also if the SLS was its own, and the run is one of the highstate."""
    text = "c:\n  file.managed: [name: /c, contents: x]\nh:\n  cmd.wait: [name: fasle, listen: [c]]\n"
    shell.write("states/t.sls", text)
    shell.write("states/n.sls", "n: test.nop\n")
    for name in ("old", "new"):
        (shell.root / "box").mkdir(exist_ok=True)
        shell.write(
            "pillar/data.sls",
            f"port: 80\nresources: {{minion: {{{name}: {{root: {shell.root}/box}}}}}}\n",
        )
        shell.write("states/top.sls", f"base:\n  web-01: [n]\n  {name}: [t]\n")
        ended = shell.run("apply", "--tgt", "*")
    assert "minion:old), since run" in ended.err, ended.out + ended.err
    forgotten = shell.run(*shlex.split(forgetting(ended.err.partition("), since run")[2])))
    assert forgotten.code == 0, forgotten.err
    assert "since run" not in shell.run("plan", "--tgt", "*").err
