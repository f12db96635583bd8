"""Locks of minions: runs on different minions go on at once, and one minion belongs to one run."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import LockHeldError
from ensue.store.registry import lock
from ensue.store.runs.minion_locks import MinionLock

if TYPE_CHECKING:
    from pathlib import Path

HOLDING = """\
import asyncio, pathlib, sys
from ensue.store.runs.minion_locks import MinionLock
lock = MinionLock(pathlib.Path(sys.argv[1]), "other", sys.argv[2:])
asyncio.run(lock.take(command="ensue apply --tgt 'web*'"))
print("held", flush=True)
sys.stdin.read()
"""


def _taken(cachedir: Path, run_id: str, *minions: str, wait_s: float | None = 0.0) -> MinionLock:
    return asyncio.run(MinionLock(cachedir, run_id, minions).take(command=f"ensue {run_id}", wait_s=wait_s))


def test_runs_on_different_minions_go_on_at_once(tmp_path: Path) -> None:
    """Only a run that shares a minion is refused, and the message names it and the minions."""
    with _taken(tmp_path, "one", "web1", "web2"), _taken(tmp_path, "two", "db1"):
        with pytest.raises(LockHeldError) as caught:
            _taken(tmp_path, "three", "db2", "web2", "web1")
        assert str(caught.value).startswith(f"web1, web2 are in use by ensue one (process {os.getpid()}")
        assert caught.value.holder_pid == os.getpid()
        with _taken(tmp_path, "four", "db2"):
            pass
    with _taken(tmp_path, "five", "web1", "web2", "db1"):
        pass


def test_many_minions_are_counted(tmp_path: Path) -> None:
    """A message names five minions and counts the others."""
    names = [f"m{number}" for number in range(8)]
    with _taken(tmp_path, "one", *names), pytest.raises(LockHeldError, match="m4 and 3 more are in use"):
        _taken(tmp_path, "two", *names)


def test_the_lock_of_a_killed_run_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel releases it, and the next run removes its file; until then a waiting run waits."""
    command = [sys.executable, "-c", HOLDING, str(tmp_path), "web1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LockHeldError, match="web1 is in use by ensue apply --tgt 'web\\*'"):
            _taken(tmp_path, "one", "web1")

        async def wait() -> None:
            is_waiting = asyncio.Event()
            monkeypatch.setattr(lock._logger, "warning", lambda *_: is_waiting.set())
            taking = asyncio.create_task(
                MinionLock(tmp_path, "two", ["web1"]).take(command="ensue two", wait_s=None)
            )
            await is_waiting.wait()
            assert not taking.done()
            holder.send_signal(signal.SIGKILL)
            (await taking).release()

        asyncio.run(wait())
    assert [path.name for path in (tmp_path / "locks" / "minions").iterdir()] == ["guard"]
