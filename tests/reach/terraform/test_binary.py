"""How a program in the place of terraform is run and ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.support.sshd import inotify

from ensue.reach.terraform import binary

if TYPE_CHECKING:
    from pathlib import Path


def test_a_program_that_ignores_the_interrupt_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a limit for its end, too, with all processes of its session."""
    monkeypatch.setattr(binary, "TERRAFORM_END_S", 0.2)
    script = f"trap '' INT; touch {tmp_path}/begun; sleep 1000 & wait; wait"

    async def cancelled() -> None:
        changes = inotify(tmp_path, created=True)
        running = asyncio.create_task(
            binary.run_binary(("/bin/sh", "-c", script), variables={}, cwd=str(tmp_path))
        )
        await asyncio.to_thread(changes.wait, 60)
        changes.close()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
