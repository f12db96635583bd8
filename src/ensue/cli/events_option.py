"""The option `--events`: the events of a run for programs, one JSON object per line."""

from __future__ import annotations

import os
import queue
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ensue.cli.session import Session
    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport
    from ensue.output.event_lines import EventLines


def events_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option."""
    return click.option(
        "--events",
        metavar="FILE",
        help="Write each event of the run to FILE as it happens, one JSON object per line; -: to stdout, "
        "which has nothing else then.",
    )(function)


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
    if path == "-":
        if not sys.stdout:
            message = "stdout is closed"
            raise click.BadParameter(message, param_hint="--events")
        session.out = "quiet"
        descriptor = os.dup(sys.stdout.fileno())
    else:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        except OSError as error:
            message = f"{path}: {error.strerror}"
            raise click.BadParameter(message, param_hint="--events") from None
    writer = EventFile(descriptor, session)
    session.event_writer = writer.put
    try:
        yield
    finally:
        session.event_writer = None
        writer.end()


class EventFile:
    """Writes lines in a thread, so that a slow reader delays no state.

    Args:
        descriptor: where they are written; closed at the end.
        session: learns that they could not be written.
    """

    def __init__(self, descriptor: int, session: Session) -> None:
        self._descriptor = descriptor
        self._session = session
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="ensue-events", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        """Take a line."""
        self._lines.put(line)

    def end(self) -> None:
        """Write what is left."""
        self._lines.put(b"")
        self._thread.join()

    def _write(self) -> None:
        try:
            while line := self._lines.get():
                while line:
                    line = line[os.write(self._descriptor, line) :]
        except BrokenPipeError:
            pass  # Nobody reads any more.
        except OSError as error:
            self._session.results_lost = True
            self._session.lines.write(f"ensue: the events could not be written: {error.strerror}")
        finally:
            os.close(self._descriptor)


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
