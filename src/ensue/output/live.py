"""Progress on a terminal: what is running now, as a small tree that is redrawn a few times a second.

It appears only when a run lasts longer than a moment. Until then, and if stderr is not a terminal, rich
is not loaded. Failures and growth are printed above it as lines, by the plain form.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.events import (
    FannedOut,
    NodeFinished,
    NodeStarted,
    RunEvent,
    RunFinished,
    RunStarted,
    ScopeOpened,
)
from ensue.output.colours import on_one_line
from ensue.output.progress import PlainProgress, state_name
from ensue.output.running import EventLoop, RunningStates, Timer
from ensue.output.scope_paths import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.masking import Masker
    from ensue.output.colours import Palette
    from ensue.output.streams import ErrorLines

FIRST_FRAME_S: Final = 0.5
"""When the display appears; a shorter run shows nothing."""

FRAME_S: Final = 0.2
"""The time between two frames."""

_MOST_SHOWN: Final = 12
_DEEPEST: Final = 8
"""A scope whose path has more steps is shown by its path instead of as nested branches."""
_LONGEST_NAME_CHARS: Final = 300
"""A longer name would leave no room for others, and is measured in each frame."""
_USUAL_COLUMNS: Final = 80
_GUIDE_COLUMNS: Final = 4


class LiveProgress:
    """Draws what is running.

    Args:
        lines: writes to stderr, which is a terminal.
        masker: the secrets of the process.
        loop: the event loop that the run is on.
        palette: the colours of the lines above the display.
        shorten: shortens what happened to a state that failed, if the results have it in full.
    """

    def __init__(
        self,
        lines: ErrorLines,
        masker: Masker,
        loop: EventLoop,
        palette: Palette,
        *,
        shorten: Callable[[str], str] = str,
    ) -> None:
        self._lines = lines
        self._masker = masker
        self._loop = loop
        self._plain = PlainProgress(lines, masker, loop, palette, shorten=shorten)
        self._running = RunningStates(loop, lambda _: None)
        self._began = loop.time()
        self._total = 0
        self._done = 0
        self._changed = 0
        self._failed = 0
        self._display: Any = None
        self._timer: Timer | None = loop.call_later(FIRST_FRAME_S, self._frame)

    def __call__(self, event: RunEvent) -> None:
        """Take an event."""
        self._plain(event)
        kind = type(event)
        if kind is NodeStarted:
            self._running.start(event)  # type: ignore[arg-type] # its type was just compared, which is faster than isinstance
        elif kind is NodeFinished:
            self._finished(event)  # type: ignore[arg-type] # same
        elif isinstance(event, RunStarted | ScopeOpened):
            self._total += event.total
        elif isinstance(event, FannedOut):
            self._total += len(event.tags) - 1
        elif isinstance(event, RunFinished):
            self.close()

    def close(self) -> None:
        """Remove the display; the results are printed next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._running.close()
        self._plain.close()
        self._lines.show_through(None)
        if self._display is not None:
            display, self._display = self._display, None
            # When the terminal is gone, so is the display; the run continues.
            with suppress(OSError):
                display.stop()

    def _finished(self, event: NodeFinished) -> None:
        returned = event.returned
        self._running.end(returned.run_num)
        self._done += 1
        self._changed += bool(returned.changes)
        self._failed += returned.result is False

    def _frame(self) -> None:
        try:
            self._display = self._display or self._opened()
            self._display.update(self._tree(), refresh=True)
        except OSError as error:
            self._timer = None
            self._lines.fail(error)
            self.close()
        else:
            self._timer = self._loop.call_later(FRAME_S, self._frame)

    def _opened(self) -> Any:
        from rich.console import Console
        from rich.live import Live

        # Known to be a terminal; rich would check before each frame, and print nothing once it is gone.
        console = Console(file=self._lines.stream, highlight=False, force_terminal=True)
        display = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        display.start()
        self._lines.show_through(lambda text: console.out(text, highlight=False))
        return display

    def _tree(self) -> Any:
        """Return the counts and below them what is running, as a tree of scopes."""
        from rich.text import Text
        from rich.tree import Tree

        tree = Tree(Text(self.headline()), guide_style="dim")
        scopes: dict[str, Any] = {"": tree}
        running = self._running.items()
        for event, seconds in running[:_MOST_SHOWN]:
            name = state_name(event.id, event.function, event.target)
            text = _cut(on_one_line(self._masker.name(name)))
            self._branch(scopes, event.scope).add(Text.assemble(text, (f"  {seconds:.1f} s", "dim")))
        if len(running) > _MOST_SHOWN:
            tree.add(Text(f"and {len(running) - _MOST_SHOWN} more", style="dim"))
        return tree

    def _branch(self, scopes: dict[str, Any], scope: str) -> Any:
        if scope not in scopes:
            from rich.text import Text

            above, _, name = scope.rpartition("/")
            if scope.count("/") > _DEEPEST:
                above, room = "", (self._lines.columns or _USUAL_COLUMNS) - _GUIDE_COLUMNS
                name = shortened(self._masker.name(scope), room)
            shown = _cut(on_one_line(self._masker.name(name)))
            scopes[scope] = self._branch(scopes, above).add(Text(shown, style="cyan"))
        return scopes[scope]

    def headline(self) -> str:
        """Return the counts in one line."""
        seconds = self._loop.time() - self._began
        if not self._total:
            return f"compiling, {seconds:.0f} s"
        total = max(self._total, self._done)
        return (
            f"{self._done} of {total} done, {self._changed} changed, {self._failed} failed, {seconds:.0f} s"
        )


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME_CHARS else f"{name[:_LONGEST_NAME_CHARS]}…"
