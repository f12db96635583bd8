"""Identifies processes, and ends exactly one.

A process id is reused; together with the start time and the machine's boot id, it identifies one process
uniquely. Nothing here starts anything.
"""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ensue.reach.processes.feeding import resolve

_START_FIELD: Final = 19
"""`starttime` is the 22nd field of /proc/PID/stat; two precede the field that the split begins with."""

_TERMINATE_WAIT_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """The unique identity of one process of this machine.

    Args:
        pid: its process id.
        start_ticks: its start, in clock ticks since boot.
        boot_id: the boot of the machine that it belongs to.
    """

    pid: int
    start_ticks: int
    boot_id: str


def identify(pid: int) -> ProcessIdentity | None:
    """Return the identity of a live process, None if there is none (or only a zombie)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command's name, in parentheses, may contain anything; fields are counted after it.
    state, *fields = text.rpartition(")")[2].split()
    if state in {"Z", "X"}:
        return None
    return ProcessIdentity(pid=pid, start_ticks=int(fields[_START_FIELD - 1]), boot_id=_boot_id())


def is_alive(process: ProcessIdentity) -> bool:
    """Return whether exactly this process is running."""
    return identify(process.pid) == process


async def end(process: ProcessIdentity) -> None:
    """End a process and wait until it is gone; another process that has its id by now is left alone.

    Raises:
        PermissionError: the process belongs to another user.
    """
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        # The handle belongs to the process that had the id; only now is it certain to be this one.
        if not is_alive(process):
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            signal.pidfd_send_signal(handle, number)
            if await _ended(handle):
                return
    except ProcessLookupError:
        return
    finally:
        os.close(handle)


async def _ended(handle: int) -> bool:
    loop = asyncio.get_running_loop()
    gone: asyncio.Future[None] = loop.create_future()
    loop.add_reader(handle, resolve, gone)
    try:
        async with asyncio.timeout(_TERMINATE_WAIT_S):
            await gone
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(handle)
    return True


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
