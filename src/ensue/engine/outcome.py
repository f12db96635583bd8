"""How a run ended."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.state_tag import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.report import RunStatus
    from ensue.core.model.returns import Return


class NotRunChunk(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk that never started.

    Args:
        scope: the path of its scope.
        tag: its tag.
        id: its ID.
        function: `module.function`.
        reason: why: `failhard`, `interrupted`, `fail limit`, …
        host: the SRN of its host if that had not begun; empty for what is left out of a plan that had.
        target: the SRN of what it would have run on; empty if that is not known.
        owed: whether it would have reacted to a change, so that later runs owe that.
    """

    scope: str
    tag: str
    id: str
    function: str
    reason: str
    host: str = ""
    target: str = ""
    owed: bool = False

    @property
    def name(self) -> str:
        """The name of the state, without the id of its target."""
        return words_of(self.tag).name.removeprefix(f"{self.target.partition(':')[2]} ")

    def __str__(self) -> str:
        """Write `ID (module.function)`, preceded by the scope unless that is the top."""
        where = f"{self.scope}: " if self.scope else ""
        return f"{where}{self.id} ({self.function})"


def labels(chunks: Iterable[NotRunChunk]) -> tuple[str, ...]:
    """Return a label of each chunk, with the name of the state where several have the same ID."""
    texts = [(str(chunk), chunk) for chunk in chunks]
    counts = Counter(text for text, _ in texts)
    return tuple(text if counts[text] == 1 else f"{text} {chunk.name}".rstrip() for text, chunk in texts)


class Overtaken(msgspec.Struct, frozen=True, kw_only=True):
    """A state that did not wait for all own states of its target, because these wait for its host.

    Args:
        id: its ID.
        target: its target, as text.
        later: the IDs of the own states of the target that changed something later, or would.
    """

    id: str
    target: str
    later: tuple[str, ...]


class EngineOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a run.

    Args:
        returns: the top scope's returns by tag, in order of start; not in the `repr`, which asyncio
            writes for every finished task when it restores signal handlers.
        not_run: what never started, in plan order, scopes in order of opening.
        status: how it ended; `failed` if anything failed in any scope, or the run was stopped.
        stopped: why the run was stopped before its end, by a fault outside of its states or because too many
            hosts had failed; empty if it was not.
        too_many_failed: whether hosts were left out because more had failed than the fail limit allows.
        overtaken: the states that did not wait for what others changed later.
        would_stop_at: of a plan, the ID of the first state whose failure would stop an apply; empty: none.
    """

    returns: dict[str, Return]
    not_run: tuple[NotRunChunk, ...]
    status: RunStatus
    stopped: str = ""
    too_many_failed: bool = False
    overtaken: tuple[Overtaken, ...] = ()
    would_stop_at: str = ""

    @property
    def hosts_not_run(self) -> dict[str, int]:
        """The hosts that had not begun, by SRN, each with how many of its states are known."""
        return dict(Counter(chunk.host for chunk in self.not_run if chunk.host))

    @property
    def not_run_on(self) -> dict[str, int]:
        """How many states never started, by the SRN of what they would have run on."""
        return dict(Counter(chunk.target for chunk in self.not_run if chunk.target))

    @property
    def exit_code(self) -> int:
        """0 on success, 2 if something failed, 130 if the run was interrupted."""
        return {"succeeded": 0, "failed": 2, "interrupted": 130}[self.status]
