"""How a job on a minion goes on after its process was killed: from the journal of the minion's own run."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ensue.core.contracts.deadlines import FLEET_TAKEOVER_S
from ensue.core.errors import UnknownRunError
from ensue.core.model.events import RunFinished
from ensue.store.runs.process_marks import still_running
from ensue.store.runs.run_chain import chain_to_resume, was_cut_short

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.core.model.events import RunEvent


async def begun_run(cachedir: Path, run_file: Path) -> str | None:
    """Return the id of the run that the killed process had begun; None if it had called no state.

    Commands that it left running end first, or the deadline passes.

    Args:
        cachedir: the cachedir of this minion's project.
        run_file: the file that has the id.
    """
    try:
        run_id = await asyncio.to_thread(run_file.read_text)
        chain = await asyncio.to_thread(chain_to_resume, cachedir, run_id)
    except (FileNotFoundError, UnknownRunError):
        return None
    with suppress(TimeoutError):
        async with asyncio.timeout(FLEET_TAKEOVER_S):
            for command in still_running([event for run in reversed(chain) for event in run]):
                await _process_ended(command.pid)
    return run_id


def ended_run(cachedir: Path, run_id: str) -> Sequence[RunEvent] | None:
    """Return the events of a run that has ended, whose report was lost; None for one that can be resumed.

    Args:
        cachedir: the cachedir of this minion's project.
        run_id: the run.
    """
    events = chain_to_resume(cachedir, run_id)[0]
    ended = next((event for event in events if isinstance(event, RunFinished)), None)
    return events if ended is not None and not was_cut_short(ended) else None


async def _process_ended(pid: int) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except (OSError, AttributeError):
        return  # It has ended. Where nobody knows, the run is not resumed while it runs.
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
