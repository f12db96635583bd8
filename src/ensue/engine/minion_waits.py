"""Nodes that wait for states of other minions.

Such a node is in hand while it waits, so that the run is never taken for a deadlock. It needs no lease, and
it ends at once if the run is stopped.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.errors import InternalError
from ensue.core.model.fan_out import FannedReturn
from ensue.core.model.returns import StateReturn, UnknownReturn
from ensue.engine.reacting import has_changed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.model.minion_state import MinionReturn
    from ensue.core.model.returns import Return
    from ensue.engine.node import Node
    from ensue.engine.recorder import Recorder, Start


class MinionWaits:
    """The waits of one run for states of other minions.

    Args:
        others: has their returns; None: the run has no such nodes.
        recorder: makes the returns of nodes.
        begun: called when a wait begins.
    """

    def __init__(self, others: OtherMinions | None, recorder: Recorder, begun: Callable[[], None]) -> None:
        self._others = others
        self._recorder = recorder
        self._begun = begun
        self._waits: set[asyncio.Future[MinionReturn]] = set()

    @property
    def count(self) -> int:
        """How many nodes wait now."""
        return len(self._waits)

    def stall(self) -> None:
        """Note that everything that has not ended waits for other minions."""
        if self._others is not None and self._waits:
            self._others.stalled()

    def end(self) -> None:
        """End all waits: the run is stopped."""
        for wait in self._waits:
            wait.cancel()

    async def returned(self, node: Node) -> Return | None:
        """Return the return of the state that a node stands for; None if the run was stopped before.

        Raises:
            InternalError: this is not a run over minions.
        """
        state = node.chunk.options.minion_state
        if state is None or self._others is None:
            raise InternalError("a state of another minion in a run without others")
        start = self._recorder.start(node, reported=False)
        wait = asyncio.ensure_future(self._others.returned(state))
        self._waits.add(wait)
        self._begun()
        try:
            await asyncio.wait({wait})
        finally:
            self._waits.discard(wait)
            wait.cancel()
        if wait.cancelled():
            return None
        answer = wait.result()
        if answer.missing:
            _refuse_all_that_name(node, f"{state}: {answer.comment}")
        parts = {
            srn: self._made(node, start, f"{state} on {srn}", part) for srn, part in answer.parts.items()
        }
        returned = self._made(node, start, str(state), answer)
        if parts:
            returned = _fanned(returned, parts)
        if has_changed(returned):
            self._recorder.owe_reactions(node)
        return returned

    def _made(self, node: Node, start: Start, name: str, answer: MinionReturn) -> Return:
        returned = self._recorder.finish(node, start, _as_own(name, answer), ran=answer.ran)
        # Messages name the state by its minion, not by the SLS that refers to it.
        returned.id, returned.sls = name, ""
        return returned


def _as_own(name: str, answer: MinionReturn) -> StateReturn:
    kind = UnknownReturn if answer.unknown else StateReturn
    return kind(
        name=name,
        result=answer.result,
        changes={name: "changed"} if answer.has_changes else {},
        comment=answer.comment,
        new_state=answer.new_state,
        sensitive=answer.sensitive,
    )


def _fanned(returned: Return, parts: Mapping[str, Return]) -> FannedReturn:
    """Return the return of a state that the other minion has run on several resources."""
    for target, part in parts.items():
        part.target = target
    fields = {name: getattr(returned, name) for name in returned.__struct_fields__}
    return FannedReturn(**fields, parts=dict(parts))


def _refuse_all_that_name(node: Node, problem: str) -> None:
    """Let the states fail that name a state which does not exist, whether by a reference or a requisite."""
    for other in node.scope.nodes:
        if any(node.index in requisite.chunks for requisite in other.chunk.requisites):
            other.refused = problem
