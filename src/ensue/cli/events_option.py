"""The option `--events`: the events of a run for programs, one JSON object per line."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Generator

    from ensue.cli.session import Session
    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport
    from ensue.output.event_lines import EventLines

events_option: Final = click.option(
    "--events",
    metavar="FILE",
    help="Write each event of the run to FILE as it happens, one JSON object per line; -: to stdout, "
    "which has nothing else then.",
)
"""The option."""


@contextmanager
def writing_events(session: Session, path: str | None) -> Generator[None]:
    """Write the events of the command's run to a file.

    Args:
        session: the command.
        path: the file; `-`: stdout. None: nothing is written.

    Raises:
        click.BadParameter: the file cannot be written.
    """
    if path is None:
        yield
        return
    from ensue.cli.event_file import EventFile

    if path == "-":
        if not sys.stdout:
            raise click.BadParameter("stdout is closed", param_hint="--events")
        session.out = "quiet"
        descriptor = os.dup(sys.stdout.fileno())
    else:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise click.BadParameter(f"{path}: {error.strerror}", param_hint="--events") from None
    writer = EventFile(descriptor, session)
    session.event_writer = writer.put
    try:
        yield
    finally:
        session.event_writer = None
        writer.end()


class ProgressWithEvents:
    """Shows the events of a run, and writes them for programs.

    Args:
        progress: shows them.
        events: writes them.
    """

    def __init__(self, progress: Any, events: EventLines) -> None:
        self._progress = progress
        self._events = events

    def __call__(self, event: RunEvent) -> None:
        """Take an event of the run."""
        self._events.of_minion("", event)
        self._progress(event)

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Take an event of a minion's run."""
        self._events.of_minion(minion, event)
        self._progress.of_minion(minion, event)

    def ended(self, report: MinionReport) -> None:
        """Take the report of a minion that has ended."""
        self._events.ended(report)
        self._progress.ended(report)

    def close(self) -> None:
        """Show nothing more."""
        self._progress.close()
