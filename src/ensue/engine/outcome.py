"""How a run ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ensue.core.model.report import RunStatus
    from ensue.core.model.returns import Return


class NotRunChunk(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk that never started.

    Args:
        scope: the path of its scope.
        tag: its tag.
        id: its ID.
        function: `module.function`.
        reason: why: `failhard`, `interrupted`, …
    """

    scope: str
    tag: str
    id: str
    function: str
    reason: str

    def __str__(self) -> str:
        """Write `ID (module.function)`, preceded by the scope unless that is the top."""
        where = f"{self.scope}: " if self.scope else ""
        return f"{where}{self.id} ({self.function})"


class EngineOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a run.

    Args:
        returns: the top scope's returns by tag, in order of start; not in the `repr`, which asyncio
            writes for every finished task when it restores signal handlers.
        not_run: what never started, in plan order, scopes in order of opening.
        status: how it ended; `failed` if anything failed in any scope, or the run was stopped.
        stopped: why the run was stopped before its end by a fault outside of its states; empty if it was not.
    """

    returns: dict[str, Return]
    not_run: tuple[NotRunChunk, ...]
    status: RunStatus
    stopped: str = ""

    @property
    def exit_code(self) -> int:
        """0 on success, 2 if something failed, 130 if the run was interrupted."""
        return {"succeeded": 0, "failed": 2, "interrupted": 130}[self.status]
