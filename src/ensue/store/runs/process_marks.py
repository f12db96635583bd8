"""Identify running processes beyond their pid, and find commands of a killed run that still run.

A process id alone is reused; together with the boot id and the start time it identifies one process
uniquely. This module neither starts nor ends processes.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.model.events import CommandStarted, NodeFinished

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.events import RunEvent

_START_TIME_FIELD: Final = 19
_LONGEST_STATUS_BYTES: Final = 4096
_REMAINS: Final = frozenset({b"Z", b"X"})
"""States of a process that has ended and whose parent has not yet collected its exit status."""


def process_mark(pid: int) -> str:
    """Return a mark that distinguishes a running process from every other process with the same pid.

    Returns:
        The boot's id and the process's start in ticks since then; empty when no such process runs.
    """
    try:
        # Called for every command of a run, so it avoids the overhead of Path.
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            status = os.read(descriptor, _LONGEST_STATUS_BYTES)
        finally:
            os.close(descriptor)
        boot = _boot_id()
    except OSError:
        return ""
    # The program's name comes first, in parentheses, and may hold anything.
    fields = status.rpartition(b")")[2].split()
    if len(fields) <= _START_TIME_FIELD or fields[0] in _REMAINS:
        return ""
    return f"{boot}/{fields[_START_TIME_FIELD].decode()}"


@functools.cache
def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def still_running(events: Iterable[RunEvent]) -> list[CommandStarted]:
    """Return the commands of unfinished states that still run although their ensue process has ended.

    Args:
        events: the events of one run, or of several, oldest first.
    """
    started: dict[tuple[str, str], list[CommandStarted]] = {}
    for event in events:
        if type(event) is CommandStarted:
            started.setdefault((event.scope, event.tag_), []).append(event)
        elif type(event) is NodeFinished:
            started.pop((event.returned.scope, event.returned.tag), None)
    return [
        command
        for commands in started.values()
        for command in commands
        if process_mark(command.pid) == command.process
    ]
