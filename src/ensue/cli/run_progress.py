"""The progress of a run on stderr: nothing, plain lines, or a live tree on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ensue.cli.session import Session
    from ensue.core.model.events import RunEvent


class Progress(Protocol):
    """Shows the events of a run."""

    def __call__(self, event: RunEvent) -> None:
        """Show one event."""
        ...

    def close(self) -> None:
        """Show nothing more."""
        ...


def progress_of(session: Session) -> Progress:
    """Return what shows a run of this command; close it when the run has ended."""
    if session.out == "quiet":
        return _Silence()
    import asyncio

    from ensue.output.colours import is_terminal
    from ensue.output.progress import PlainProgress

    loop: Any = asyncio.get_running_loop()
    palette = session.stderr_palette
    if is_terminal(session.lines.stream) and not _is_dumb():
        from ensue.output.live import LiveProgress

        return LiveProgress(session.lines, session.masker, loop, palette)
    return PlainProgress(session.lines, session.masker, loop, palette)


class _Silence:
    def __call__(self, event: RunEvent) -> None:
        pass

    def close(self) -> None:
        pass


def _is_dumb() -> bool:
    import os

    return os.environ.get("TERM", "dumb") == "dumb"
