"""Progress in plain lines: for a log file, a pipe, or a simple terminal.

A line is written when growth opens a scope, when a state fails or takes long, and when a resource is
registered, so that twenty thousand fast states print nothing. The live form is in `live`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.events import (
    CommandStarted,
    FannedOut,
    JobPublished,
    NodeFinished,
    NodeStarted,
    ReactionsOwed,
    ResourceOrphaned,
    ResourceRegistered,
    RunEvent,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    ScopePlanned,
    StateExcluded,
)
from ensue.core.model.state_tag import words_of
from ensue.output.colours import PLAIN, Palette, on_one_line
from ensue.output.failures import UnreachableHosts, first_line, what_happened
from ensue.output.running import LONG_S, EventLoop, RunningStates
from ensue.output.scope_paths import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.masking import Masker
    from ensue.core.model.returns import Return
    from ensue.output.streams import ErrorLines

MOST_LINES_OF_A_KIND: Final = 100
"""The most lines per kind (scopes, failures, registrations); the results have the rest."""

_UNNAMED: Final = frozenset(
    {"no.None", "graph.provisioned", "graph.expanded", "graph.cleared", "graph.removed"}
)
"""Functions that no SLS names: that of a run without states, and those of the resources of a deployment."""


class PlainProgress:
    """Turns the events of one run into few lines.

    Args:
        lines: where the lines go.
        masker: the secrets of the process.
        loop: the event loop that the run is on.
        palette: the colours.
        shorten: shortens what happened to a state that failed, if the results have it in full.
    """

    def __init__(
        self,
        lines: ErrorLines,
        masker: Masker,
        loop: EventLoop,
        palette: Palette = PLAIN,
        *,
        shorten: Callable[[str], str] = str,
    ) -> None:
        self._shorten = shorten
        self._lines = lines
        self._masker = masker
        self._palette = palette
        self._running = RunningStates(loop, self._tell_long)
        self._told: dict[str, int] = {}
        self._unreachable = UnreachableHosts()
        # A dispatch by type costs a tenth of a microsecond; `match` would ask seven times.
        self._handlers: dict[type, Callable[[Any], None]] = {
            NodeStarted: self._running.start,
            CommandStarted: _nothing,
            NodeFinished: self._finished,
            ScopeOpened: self._opened,
            ScopeClosed: self._closed,
            ResourceRegistered: self._registered,
            ResourceOrphaned: self._orphaned,
            RunStarted: _nothing,
            JobPublished: _nothing,
            ScopePlanned: _nothing,
            StateExcluded: _nothing,
            ReactionsOwed: _nothing,
            FannedOut: _nothing,
            RunFinished: self._ended,
        }

    def __call__(self, event: RunEvent) -> None:
        """Take an event."""
        self._handlers[type(event)](event)

    def close(self) -> None:
        """Write nothing more."""
        self._running.close()

    def _finished(self, event: NodeFinished) -> None:
        returned = event.returned
        seconds = self._running.end(returned.run_num)
        if returned.causes or self._unreachable.counts_elsewhere(returned):
            return  # The line of the state that failed first says why.
        if returned.result is False:
            happened = self._shorten(what_happened(returned, self._masker))
            line = failure_line(returned, happened, self._masker)
            self._tell("failed", self._palette.red, line)
        elif returned.handles:
            count = len(returned.handles)
            what = "the failure" if count == 1 else f"{count} failures"
            name = state_name(self._masker.name(returned.id), function_of(returned))
            self._tell("handled", self._palette.light_yellow, f"handled: {name} handles {what} it ran for")
        elif seconds is not None:
            name = state_name(self._masker.name(returned.id), function_of(returned))
            self._write(self._palette.end, f"done: {name} ({seconds:.1f} s)")

    def _opened(self, event: ScopeOpened) -> None:
        # Masked before it is shortened: half a secret is a secret, too.
        if event.kind == "deployment":
            list_ = self._masker.name(words_of(event.caller).id)
            self._tell("scope", self._palette.cyan, f"{list_}: {event.total} join the graph")
            return
        path, name = self._masker.name(event.scope), self._masker.name(event.name)
        self._tell("scope", self._palette.cyan, scope_line(event, path, name, self._lines.columns))

    def _closed(self, event: ScopeClosed) -> None:
        scope = event.returned
        if scope.status == "failed":
            columns, path = self._lines.columns, self._masker.name(scope.scope)
            path = path if columns is None else shortened(path, columns // 2)
            comment = self._shorten(first_line(self._masker.text(scope.comment)))
            self._tell("scope failed", self._palette.red, f"failed: {path}: {comment}")
        elif not scope.counts:
            self._tell("scope", self._palette.cyan, f"trying again: {self._masker.name(scope.scope)}")

    def _registered(self, event: ResourceRegistered) -> None:
        if event.changed:
            self._tell("resource", self._palette.cyan, self._masker.text(registered_line(event)))

    def _orphaned(self, event: ResourceOrphaned) -> None:
        line = self._masker.text(f"orphaned: {event.srn}: {event.because}")
        self._tell("resource", self._palette.cyan, line)

    def _ended(self, _: RunFinished) -> None:
        self.close()

    def _tell_long(self, event: NodeStarted) -> None:
        name = state_name(self._masker.name(event.id), event.function, event.target)
        self._tell("long", self._palette.light_yellow, f"running for {LONG_S:.0f} s: {name}")

    def _tell(self, kind: str, colour: str, text: str) -> None:
        count = self._told[kind] = self._told.get(kind, 0) + 1
        if count <= MOST_LINES_OF_A_KIND:
            self._write(colour, text)
        elif count == MOST_LINES_OF_A_KIND + 1:
            self._write(colour, f"({kind}: more lines of this kind are left out; the results have all)")

    def _write(self, colour: str, masked: str) -> None:
        self._lines.write(self._palette.paint(colour, on_one_line(masked)))


def _nothing(_: RunStarted) -> None:
    pass


def function_of(returned: Return) -> str:
    """Return `module.function`."""
    return f"{returned.module}.{returned.function}"


def state_name(id_: str, function: str, target: str = "") -> str:
    """Return the name of a state in a line of progress."""
    where = f" on {target}" if target and not target.startswith("minion:") else ""
    what = "" if function in _UNNAMED else f" ({function})"
    return f"{id_}{what}{where}"


def failure_line(returned: Return, comment: str, masker: Masker) -> str:
    """Return the line for a state that failed, with its comment, which is masked already."""
    name = state_name(masker.name(returned.id), function_of(returned), returned.target)
    place = f" {returned.place}:" if returned.place else ""
    return f"failed: {name}:{place} {comment}"


def scope_line(event: ScopeOpened, path: str, name: str, columns: int | None) -> str:
    """Return the line for growth, with its masked path and name; a path too long for the columns is cut."""
    kind = "sls" if event.kind == "apply" else event.kind
    states = "1 state" if event.total == 1 else f"{event.total} states"
    about = f": {kind} {name} on {event.target}, {states}"
    if columns is not None:
        path = shortened(path, max(columns - len(about), columns // 4))
    return f"{path}{about}"


def registered_line(event: ResourceRegistered) -> str:
    """Return the line for a resource that was registered."""
    source = f", derived from {event.source_label or event.source}" if event.source else ""
    return f"registered: {event.srn}{source}"
