"""The link of a minion to the coordinator of its run, for states that other minions refer to.

It says which states this minion has and which of others they need, waits for what the coordinator hands out,
and holds ready what events do not have in full: secrets, and long texts.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.enforced import enforced_of_skipped
from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.core.masking import Masker
from ensue.core.model.data import leaf_places
from ensue.core.model.events import NodeFinished
from ensue.core.model.minion_state import MinionReturn
from ensue.core.model.sensitive_paths import values_at
from ensue.engine.graph.transforms.lower import LoweringRules, lower
from ensue.engine.promise import Promise
from ensue.salt.fleet.packed_run import is_of_top_scope
from ensue.salt.fleet.resources import FleetResources
from ensue.salt.fleet.signing import seal
from ensue.salt.fleet.value_messages import (
    BEGIN,
    OVER,
    PAUSED,
    RESUMED,
    RETURNED,
    Asked,
    Begin,
    Given,
    HeldReturn,
    MinionCompiled,
    Need,
    RunOver,
    RunPaused,
    Stalled,
    StateName,
    held_name,
)
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.events import RunEvent
    from ensue.core.model.minion_state import MinionState
    from ensue.core.model.returns import Return
    from ensue.salt.fleet.frames import Message

_LONGEST_LINE_BYTES: Final = 16 << 10
"""Longer events may have been cut, so they are compared with the return."""


class FleetLink:
    """Implements `OtherMinions` for the run of one minion.

    Args:
        run_id: the run of the coordinator.
        minion: the id of this minion.
        key: the public key of the run.
        tell: sends a message to the coordinator.
        remaining_s: how long the run may still go on.

    Attributes:
        resources: the derived resources of the other minions.
    """

    def __init__(
        self, *, run_id: str, minion: str, key: bytes, tell: Callable[[Message], None], remaining_s: float
    ) -> None:
        self._run_id = run_id
        self._minion = minion
        self._key = key
        self._tell = tell
        self._deadline = asyncio.get_running_loop().time() + remaining_s
        self._masker = Masker()
        self._enforced: EnforcedStates | None = None
        self._promises: dict[MinionState, Promise[MinionReturn]] = {}
        self._may_begin: Promise[Begin] = Promise()
        self._stalled: frozenset[MinionState] = frozenset()
        self._over = ""
        self._pause: asyncio.TimerHandle | None = None
        self.resources = FleetResources(tell, self._deadline)

    @property
    def handlers(self) -> dict[str, Callable[[Any], None]]:
        """What reads the coordinator's messages, by kind."""
        own: dict[str, Callable[[Any], None]] = {
            BEGIN: self._on_begin,
            RETURNED: self._on_returned,
            OVER: self._on_over,
            RESUMED: lambda _: None,
            **self.resources.handlers,
        }
        return {kind: partial(self._on_any, handler) for kind, handler in own.items()} | {
            PAUSED: self._on_paused
        }

    async def begin(self, plan: Plan, masker: Masker, enforced: EnforcedStates, *, ordered: bool) -> None:
        """Tell the coordinator what this minion has and needs; return when its states may run.

        Args:
            plan: the states of this minion.
            masker: learns the secrets in the returns of other minions.
            enforced: what earlier applies enforced on this minion.
            ordered: whether the states run one after the other.

        Raises:
            CompileError: its states and those of other minions wait for each other, or the run has ended.
        """
        self._masker, self._enforced = masker, enforced
        needs = _needs(plan, ordered=ordered)
        self._promises |= {need.state: Promise() for need in needs}
        self._tell(MinionCompiled(tuple(_names(plan)), tuple(needs)))
        if not needs:
            return
        try:
            async with asyncio.timeout_at(self._deadline):
                begin = await self._may_begin.wait()
        except TimeoutError:
            return  # The coordinator has ended the run, and every wait ends at once.
        if self._over:
            raise CompileError([_ended(plan, self._over)])
        if begin.cycle:
            raise CompileError([_cycle(plan, begin.cycle)])

    async def returned(self, state: MinionState) -> MinionReturn:
        """Return what a state of another minion has returned, once it has; see `OtherMinions`."""
        if state not in self._promises:
            if self._over:
                return MinionReturn(result=False, comment=self._over)
            self._promises[state] = Promise()
            self._tell(Asked((state,)))
        try:
            async with asyncio.timeout_at(self._deadline):
                return await self._promises[state].wait()
        except TimeoutError:
            return MinionReturn(result=False, comment="it had not returned at the deadline of the run")

    def stalled(self) -> None:
        """Tell the coordinator that nothing goes on here until one of the needed states has returned."""
        waiting = frozenset(state for state, promise in self._promises.items() if not promise.done)
        if waiting and waiting != self._stalled:
            self._stalled = waiting
            self._tell(Stalled(tuple(waiting)))

    def happened(self, event: RunEvent, line: bytes) -> None:
        """Hold what a state has returned, if its event does not have all of it.

        It is called before the event is sent.

        Args:
            event: an event of the run.
            line: the event as it is sent.
        """
        if not isinstance(event, NodeFinished):
            return
        returned = event.returned
        if not is_of_top_scope(returned):
            return
        held = self._held(returned, line)
        if held is not None:
            name = held_name(self._run_id, self._minion, returned.tag)
            content = msgspec.json.encode(held, enc_hook=str)
            self._tell(HeldReturn(returned.tag, seal(self._key, content, name)))

    def _held(self, returned: Return, line: bytes) -> MinionReturn | None:
        """Return what other minions get of a return; None if its event has all of it."""
        state, sensitive = returned.new_state, returned.sensitive
        earlier = None if self._enforced is None else enforced_of_skipped(returned, self._enforced.of_state)
        if earlier is not None:
            state, sensitive = earlier.new_state, earlier.sensitive
        may_differ = sensitive or self._masker.knows_secrets or len(line) > _LONGEST_LINE_BYTES
        if state is None or (earlier is None and not may_differ):
            return None
        event = journal_form.decode(line)
        if isinstance(event, NodeFinished) and event.returned.new_state == state:
            return None
        texts = [leaf for _, leaf in leaf_places(state) if isinstance(leaf, str)]
        secrets = {secret for text in texts for secret in self._masker.secrets_in(text)}
        return MinionReturn(
            result=returned.result, new_state=state, sensitive=sensitive, secrets=tuple(sorted(secrets))
        )

    def _on_any(self, handler: Callable[[Any], None], content: Any) -> None:
        """Take a message of a coordinator that goes on, or goes on again."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        handler(content)

    def _on_paused(self, content: Any) -> None:
        wait_s = msgspec.convert(content, RunPaused).wait_s
        if self._pause is None:
            why = f"the coordinator was interrupted, and the run was not resumed within {wait_s:g} s"
            loop = asyncio.get_running_loop()
            self._pause = loop.call_later(wait_s, self._give_up, why)

    def _on_begin(self, content: Any) -> None:
        begin = msgspec.convert(content, Begin)
        if not self._may_begin.done:
            self._may_begin.resolve(begin)

    def _on_over(self, content: Any) -> None:
        self._give_up(msgspec.convert(content, RunOver).why or "the run has ended")

    def _give_up(self, why: str) -> None:
        self._over = why
        if not self._may_begin.done:
            self._may_begin.resolve(Begin())
        for promise in self._promises.values():
            if not promise.done:
                promise.resolve(MinionReturn(result=False, comment=self._over))
        self.resources.end(self._over)

    def _on_returned(self, content: Any) -> None:
        given = msgspec.convert(content, Given)
        promise = self._promises.get(given.state)
        if promise is None or promise.done:
            return
        for part in (given.returned, *given.returned.parts.values()):
            self._masker.add(*values_at(part.new_state, part.sensitive), *part.secrets)
        promise.resolve(given.returned)


def _names(plan: Plan) -> list[StateName]:
    return [
        StateName(
            chunk.tag,
            chunk.module,
            chunk.id,
            chunk.name,
            str(chunk.arguments.get("resource_name", "")),
            is_fanned=chunk.options.fan_out is not None,
        )
        for chunk in plan.chunks
        if _is_own(chunk, plan)
    ]


def _is_own(chunk: Chunk, plan: Plan) -> bool:
    """Return whether a chunk is a state of this minion, which others may refer to."""
    options = chunk.options
    if options.minion_state is not None:
        return False
    return options.fan_out is not None or chunk.target in (None, plan.target)


def _needs(plan: Plan, *, ordered: bool) -> list[Need]:
    """Return the states of other minions that a plan names, each with what comes after it."""
    chunks = plan.chunks
    foreign = [(index, state) for index, chunk in enumerate(chunks) if (state := chunk.options.minion_state)]
    if not foreign:
        return []
    rules = LoweringRules(ordered=ordered, awaits=lambda _: None, promises=lambda _: ())
    dependents = lower(plan, rules).dependents
    own = [index for index, chunk in enumerate(chunks) if _is_own(chunk, plan)]
    place_of = {index: place for place, index in enumerate(own)}
    return [
        Need(
            state=state,
            by=tuple(_named_by(plan, index)),
            after=tuple(
                sorted(
                    place_of[dependent] for dependent in _reached(index, dependents) if dependent in place_of
                )
            ),
        )
        for index, state in foreign
    ]


def _named_by(plan: Plan, index: int) -> list[str]:
    chunks = (
        chunk for chunk in plan.chunks if any(index in requisite.chunks for requisite in chunk.requisites)
    )
    return list(dict.fromkeys(f"{chunk.id} ({chunk.span()})" for chunk in chunks))


def _reached(start: int, dependents: Sequence[Sequence[int]]) -> set[int]:
    reached: set[int] = set()
    waiting = [start]
    while waiting:
        for other in dependents[waiting.pop()]:
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def _first_place(plan: Plan) -> Span:
    return next(chunk.span() for chunk in plan.chunks if chunk.options.minion_state is not None)


def _ended(plan: Plan, why: str) -> Diagnostic:
    return Diagnostic(
        code="E0882",
        summary="nothing was run here, because the run has ended",
        span=_first_place(plan),
        detail=f"{why}, while states here waited for those of other minions to compile",
        help="run the command again",
    )


def _cycle(plan: Plan, steps: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="E0881",
        summary="states of several minions wait for each other",
        span=_first_place(plan),
        detail="; ".join(steps),
        help="remove one of these references or requisites; with `state_auto_order`, a state also waits for "
        "those before it",
    )
