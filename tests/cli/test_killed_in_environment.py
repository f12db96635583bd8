"""What a killed apply leaves behind belongs to the environment that it ran in."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

MADE = """
made:
  cmd.run:
    - name: touch $E.made; test ! -e trap || kill -9 $PPID; echo of $E
    - env: {E: '{{ pillar.e }}'}
    - cwd: {{ opts['root_dir'] }}
    - creates: {{ opts['root_dir'] }}/{{ pillar.e }}.made
reads:
  test.show_notification: [text: 'read ${cmd:made:stdout}']
"""
OWED = """
c:
  file.managed: [name: '{{ opts["root_dir"] }}/{{ pillar.e }}.c', contents: x]
trap:
  cmd.run: [name: 'test ! -e trap || kill -9 $PPID', read_only: true, cwd: '{{ opts["root_dir"] }}']
h:
  cmd.wait: [name: 'touch {{ opts["root_dir"] }}/{{ pillar.e }}.handled', listen: [file: c]]
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project whose environment is dev, unless the command line says prod."""
    shell = Shell(tmp_path)
    shell.write(
        "ensue.yaml", "id: box\npillarenv: dev\npillar_roots: {dev: [pillar/dev], prod: [pillar/prod]}\n"
    )
    for name in ("dev", "prod"):
        shell.write(f"pillar/{name}/top.sls", f"{name}: {{'*': [p]}}\n")
        shell.write(f"pillar/{name}/p.sls", f"e: {name}\n")
    return shell


def killed(shell: Shell, *words: str) -> str:
    """Apply until a state ends the process; return the run."""
    shell.write("trap", "")
    assert shell.run("apply", "t", *words).code == -signal.SIGKILL
    (shell.root / "trap").unlink()
    return shell.run("runs", "list").out.splitlines()[1].split()[0]


def test_a_state_that_was_killed_in_another_environment(shell: Shell) -> None:
    """Its value is lost there alone; the other environment reads its own, before and after a resume."""
    shell.write("states/t.sls", MADE)
    assert "read of dev" in shell.run("apply", "t").out
    run_id = killed(shell, "--pillarenv", "prod")
    assert shell.run("plan", "t").code == 0
    for words in (("plan", "t", "--pillarenv", "prod"), ("runs", "resume")):
        assert f"its result was not kept: run {run_id} was killed" in shell.run(*words).out
    (shell.root / "prod.made").unlink()
    run_id = killed(shell, "--pillarenv", "prod")
    (shell.root / "prod.made").unlink()
    assert "read of prod" in shell.run("runs", "resume").out
    assert "read of dev" in shell.run("apply", "t").out
    assert "read of prod" in shell.run("apply", "t", "--pillarenv", "prod").out


def test_a_run_is_resumed_in_its_environment(shell: Shell) -> None:
    """An edit of ensue.yaml that selects another environment is refused before anything runs."""
    shell.write("states/t.sls", MADE)
    run_id = killed(shell)
    (shell.root / "dev.made").unlink()
    options = (shell.root / "ensue.yaml").read_text()
    shell.write("ensue.yaml", options.replace("pillarenv: dev", "pillarenv: prod"))
    refused = shell.run("runs", "resume")
    assert refused.code == 1
    assert f"{run_id} ran with `--pillarenv dev`, and ensue.yaml has this command run with" in refused.err
    assert not list(shell.root.glob("*.made"))
    shell.write("ensue.yaml", options)
    assert "read of dev" in shell.run("runs", "resume").out


@pytest.mark.parametrize(("own", "other"), [((), ("--pillarenv", "prod")), (("--pillarenv", "prod"), ())])
def test_what_a_killed_apply_owes(shell: Shell, own: tuple[str, ...], other: tuple[str, ...]) -> None:
    """Only an apply of the same environment runs the handler, however the environment was selected."""
    shell.write("states/t.sls", OWED)
    (shell.root / "dev.c").write_text("x\n" if own else "")
    (shell.root / "prod.c").write_text("" if own else "x\n")
    run_id = killed(shell, *own)
    assert "owed since" not in shell.run("plan", "t", *other).out
    assert shell.run("apply", "t", *other).code == 0
    assert not list(shell.root.glob("*.handled"))
    assert f"owed since run {run_id}" in shell.run("plan", "t", *own).out
    assert shell.run("apply", "t", *own).code == 0
    assert [path.name for path in shell.root.glob("*.handled")] == ["prod.handled" if own else "dev.handled"]
    assert "owed since" not in shell.run("plan", "t", *own).out
