"""The progress of a run on stderr: nothing, plain lines, or a live tree on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from ensue.cli.session import Session
    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport


_Kind = TypeVar("_Kind")


class Progress(Protocol):
    """Shows the events of a run."""

    def __call__(self, event: RunEvent) -> None:
        """Show one event."""
        ...

    def close(self) -> None:
        """Show nothing more."""
        ...


class FleetProgress(Progress, Protocol):
    """Shows the events of a run over minions."""

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Show one event of a minion."""
        ...

    def ended(self, report: MinionReport) -> None:
        """Show that a minion has ended."""
        ...


def progress_of(session: Session, *, results_have_failures: bool = False) -> Progress:
    """Return what shows a run of this command; close it when the run has ended.

    Args:
        session: the command.
        results_have_failures: whether the results say what to do about each failure, for a person.
    """
    return _with_events(session, _progress(session, results_have_failures=results_have_failures))


def fleet_progress_of(session: Session) -> FleetProgress:
    """Return what shows a run over minions of this command; close it when the run has ended."""
    return _with_events(session, _fleet_progress(session))


def _with_events(session: Session, progress: _Kind) -> _Kind:
    if session.event_writer is None:
        return progress
    from ensue.cli.events_option import ProgressWithEvents
    from ensue.output.event_lines import EventLines

    both = ProgressWithEvents(progress, EventLines(session.event_writer, session.masker))
    return cast("_Kind", both)


def _progress(session: Session, *, results_have_failures: bool) -> Progress:
    if session.out == "quiet":
        return _Silence()
    import asyncio

    from ensue.output.colours import is_terminal
    from ensue.output.failures import without_way_out
    from ensue.output.progress import PlainProgress

    loop: Any = asyncio.get_running_loop()
    palette = session.stderr_palette
    shorten = without_way_out if results_have_failures else str
    if is_terminal(session.lines.stream) and not _is_dumb():
        from ensue.output.live import LiveProgress

        return LiveProgress(session.lines, session.masker, loop, palette, shorten=shorten)
    return PlainProgress(session.lines, session.masker, loop, palette, shorten=shorten)


def _fleet_progress(session: Session) -> FleetProgress:
    if session.out == "quiet":
        return _Silence()
    import asyncio

    from ensue.output.colours import is_terminal
    from ensue.output.fleet_progress import LiveFleetProgress, PlainFleetProgress

    is_live = is_terminal(session.lines.stream) and not _is_dumb()
    kind = LiveFleetProgress if is_live else PlainFleetProgress
    loop: Any = asyncio.get_running_loop()
    return kind(session.lines, session.masker, loop, session.stderr_palette)


class _Silence:
    def __call__(self, event: RunEvent) -> None:
        pass

    def of_minion(self, minion: str, event: RunEvent) -> None:
        pass

    def ended(self, report: MinionReport) -> None:
        pass

    def close(self) -> None:
        pass


def _is_dumb() -> bool:
    import os

    return os.environ.get("TERM", "dumb") == "dumb"
