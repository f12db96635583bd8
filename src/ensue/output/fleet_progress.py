"""The progress of a run over minions: lines, or on a terminal counts and the states that take longest.

The events of all minions are shown as those of one run. Their IDs begin with the minion's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.events import JobPublished, NodeFinished, NodeStarted
from ensue.core.model.first_names import first_names
from ensue.output.colours import PLAIN, on_one_line
from ensue.output.fleet import failed_line
from ensue.output.live import LiveProgress
from ensue.output.minion_lines import MinionLines
from ensue.output.progress import PlainProgress

if TYPE_CHECKING:
    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport
    from ensue.output.colours import Palette
    from ensue.output.running import EventLoop
    from ensue.output.streams import ErrorLines

_MOST_NAMES: Final = 5


class PlainFleetProgress(PlainProgress):
    """Lines about failures, growth and what takes long, on any minion; of each minion only some."""

    def __init__(self, lines: ErrorLines, masker: Masker, loop: EventLoop, palette: Palette = PLAIN) -> None:
        super().__init__(lines, masker, loop, palette)
        self._minion = ""
        self._printed: dict[str, MinionLines] = {}
        self._of_running: dict[int, str] = {}

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Take an event of a minion's run."""
        self.about(minion, event)
        self(event)

    def about(self, minion: str, event: RunEvent) -> None:
        """Note whose event comes next: what it prints counts for that minion."""
        self._minion = minion
        if isinstance(event, NodeStarted):
            self._of_running[event.run_num] = minion
        elif isinstance(event, NodeFinished):
            self._of_running.pop(event.returned.run_num, None)

    def ended(self, report: MinionReport) -> None:
        """Write a line about a minion that has failed, and one about what was left out."""
        printed = self._printed.pop(report.id, None)
        if not report.ok:
            self._lines.write(failed_line(report, self._masker))
        if printed is not None and printed.rest:
            self._lines.write(
                on_one_line(
                    f"ensue: {report.id}: {printed.rest} left out (`ensue runs show` has what happened)"
                )
            )

    def _tell_long(self, event: NodeStarted) -> None:
        self._minion = self._of_running.get(event.run_num, "")
        super()._tell_long(event)

    def _tell(self, kind: str, colour: str, text: str) -> None:
        # What is left out of one minion takes nothing of the lines that all have together.
        printed = self._printed.get(self._minion)
        if printed is not None and printed.is_full:
            printed.leave_out(text)
        else:
            super()._tell(kind, colour, text)

    def _write(self, colour: str, masked: str) -> None:
        if self._minion:
            masked = self._printed.setdefault(self._minion, MinionLines()).take(masked)
        if masked:
            super()._write(colour, masked)


class LiveFleetProgress(LiveProgress):
    """Counts of minions and of their states, the states that take longest, and who has not begun.

    Args:
        lines: writes to stderr, which is a terminal.
        masker: the secrets of the process.
        loop: the event loop that the run is on.
        palette: the colours of the lines above the display.
    """

    def __init__(self, lines: ErrorLines, masker: Masker, loop: EventLoop, palette: Palette) -> None:
        super().__init__(lines, masker, loop, palette)
        self._minion_lines = PlainFleetProgress(lines, masker, loop, palette)
        self._plain = self._minion_lines
        self._asked = 0
        self._silent: dict[str, None] = {}
        self._ended_well = 0
        self._ended_badly = 0

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Take an event of a minion's run."""
        if isinstance(event, JobPublished) and not event.calls:
            self._asked += len(event.minions)
            self._silent |= dict.fromkeys(event.minions)
        self._silent.pop(minion, None)
        self._minion_lines.about(minion, event)
        self(event)

    def ended(self, report: MinionReport) -> None:
        """Count a minion that has ended, and write a line if it has failed."""
        self._silent.pop(report.id, None)
        if report.ok:
            self._ended_well += 1
        else:
            self._ended_badly += 1
        self._minion_lines.ended(report)

    def headline(self) -> str:
        """Return the counts in one line."""
        seconds = f"{self._loop.time() - self._began:.0f} s"
        if not self._asked:
            return f"preparing, {seconds}"
        ended = self._ended_well + self._ended_badly
        failed = f", {self._ended_badly} failed" if self._ended_badly else ""
        states = f"; states: {super().headline()}" if self._total else f", {seconds}"
        return f"{ended} of {max(self._asked, ended)} minions done{failed}{states}"

    def _tree(self) -> Any:
        tree = super()._tree()
        if self._silent:
            from rich.text import Text

            shown = f"not begun: {first_names([*self._silent], _MOST_NAMES)}"
            tree.add(Text(on_one_line(self._masker.name(shown)), style="dim"))
        return tree
