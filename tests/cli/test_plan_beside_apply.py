"""A plan names the apply or deployment that is running when it begins, and waits for none."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

from ensue.store.runs.lock import project_lock

if TYPE_CHECKING:
    from pathlib import Path

SCORE = "apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers: {main: {image: nginx}}\n"
WORKLOAD = (
    "kind: Definition\nmetadata: {id: w}\nentity: {type: workload, driver_type: echo, criteria: [{}]}\n"
)
DEPLOY = ("deploy", "score.yaml", "--app", "a", "--env", "dev", "--env-type", "development", "--plan")


@pytest.mark.parametrize("command", [("plan", "t"), DEPLOY], ids=["states", "deployment"])
@pytest.mark.parametrize("shared", [False, True], ids=["apply", "deploy"])
def test_a_plan_while_the_lock_is_held(tmp_path: Path, command: tuple[str, ...], shared: bool) -> None:
    """It says so while the other runs, and nothing afterwards."""
    shell = Shell(tmp_path)
    shell.write("states/t.sls", "a: test.nop\n")
    shell.write("score.yaml", SCORE)
    shell.write("definitions/w.yaml", WORKLOAD)
    [cachedir] = {path.parent for path in _locks(shell)}
    lock = asyncio.run(project_lock(cachedir, shared=shared).take(command="ensue apply web"))
    with lock:
        beside = shell.run(*command)
    assert beside.code == 0, beside.err
    assert "warning[E0912]: ensue apply web (process " in beside.err
    alone = shell.run(*command)
    assert (alone.code, "E0912" in alone.err) == (0, False)


def _locks(shell: Shell) -> list[Path]:
    assert shell.run("apply", "t").code == 0
    return [path for path in shell.root.rglob("lock") if path.is_file()]
