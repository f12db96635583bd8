"""Rule: a part of a plan is the chunks that were chosen, and all that these need.

A chunk needs the chunks that its requisites name: those it requires, watches, recovers from or is bound to.
What only triggers it, under `onchanges` or `listen`, it does not need: without that it does not react. A
`prereq` binds both ways: a chunk that is to run before another one changes something needs that one, and that
one is never run without it. A chunk whose target is registered in the same run needs the chunk that registers
it. Order alone is no need.

A chunk that needs an excluded one is excluded, too, and so is one of which everything under `onchanges` is
excluded. There are three exceptions, which behave as if the excluded chunk were not in the plan: a requisite
of which one chunk is enough, while another one is left; a reference to a value that an earlier apply has
enforced; and a target that an earlier apply has registered.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.growth import Excluded
from ensue.core.model.reference import Binding
from ensue.core.model.requisite import Requisite, RequisiteKind
from ensue.engine.graph.transforms.prereq import prerequired
from ensue.engine.graph.transforms.registration import possible_edges, registrars_of, registration_edges

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.reference import BoundText
    from ensue.core.model.srn import Srn

_ONE_IS_ENOUGH: Final = frozenset({RequisiteKind.ONCHANGES})
"""Kinds of which any chunk is enough, whether or not the requisite says so."""

_REACTING: Final = frozenset({RequisiteKind.WATCH, RequisiteKind.ONCHANGES, RequisiteKind.LISTEN})

_LISTENING: Final = frozenset({RequisiteKind.LISTEN, RequisiteKind.LISTEN_IN})

_TRIGGERS: Final = frozenset({RequisiteKind.ONCHANGES, RequisiteKind.LISTEN})
"""Kinds that say what triggers a chunk; without any chunk left they still say that nothing does."""

_TRIGGERED_BY_NOTHING: Final = Requisite(kind=RequisiteKind.LISTEN, chunks=())
"""What a chunk has that nothing left in the plan names as its listener: it may still owe a reaction."""


class PartChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What was chosen of a plan, as indices into its chunks.

    Args:
        chosen: the chunks to run, each with all that it needs; None: every chunk.
        excluded: the chunks that must not run, each with the reason.
        rest: why a chunk that is neither chosen nor needed does not run.
    """

    chosen: Collection[int] | None
    excluded: Mapping[int, str]
    rest: str = ""


class PartRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the needs of chunks depend on beside their requisites.

    Args:
        awaits: the resource that a chunk requires.
        promises: the resources that a chunk will register.
        may_await: whether the target of a chunk that is fanned out may match a resource.
        is_registered: whether a resource is registered before the run.
        enforced: the value that an earlier apply enforced for a chunk of a plan; None if there is none.
    """

    awaits: Callable[[Chunk], Srn | None]
    promises: Callable[[Chunk], Sequence[Srn]]
    may_await: Callable[[Chunk, Srn], bool]
    is_registered: Callable[[Srn], bool]
    enforced: Callable[[Plan, Chunk], EnforcedState | None]


def part_of(plan: Plan, choice: PartChoice, rules: PartRules) -> Plan:
    """Return a plan without the chunks that were not chosen; `excluded` names them.

    Args:
        plan: the plan.
        choice: what was chosen.
        rules: what the needs of chunks depend on beside their requisites.
    """
    needs = _Needs(plan, rules)
    left_out = needs.excluded(choice.excluded)
    dependent = left_out.keys() - choice.excluded.keys()
    if choice.chosen is not None:
        kept = needs.closure(choice.chosen, left_out)
        left_out |= {
            index: choice.rest
            for index in range(len(plan.chunks))
            if index not in kept and index not in left_out
        }
    if not left_out:
        return plan
    rest = _Rest(plan, left_out, needs.enforced_value)
    reactions = rest.reactions()
    others = {*range(len(plan.chunks))} - left_out.keys()
    others.update(choice.excluded, dependent)
    excluded = [
        Excluded(
            plan.chunks[index],
            left_out[index],
            is_dependent=index in dependent,
            is_named=index in choice.excluded,
            reactions=tuple(reactions.get(index, ())),
            brings=needs.brought_by(index, others) if index in reactions else (),
        )
        for index in sorted(left_out)
    ]
    return msgspec.structs.replace(rest.plan(), excluded=tuple(excluded))


class _Needs:
    """What each chunk of a plan needs, and which chunks need it."""

    def __init__(self, plan: Plan, rules: PartRules) -> None:
        self._plan = plan
        self._rules = rules
        self._of: list[list[int]] = [[] for _ in plan.chunks]
        self._needed_by: list[list[int]] = [[] for _ in plan.chunks]
        self._pulled_by: dict[int, list[int]] = {}
        self._registrars: dict[int, list[int]] = {}
        self._values: dict[int, EnforcedState | None] = {}
        for index, other in self._pairs():
            self._of[index].append(other)
            self._needed_by[other].append(index)
        for index, chunk in enumerate(plan.chunks):
            for requisite in chunk.requisites:
                if requisite.kind is RequisiteKind.ONCHANGES:
                    for other in requisite.chunks:
                        self._needed_by[other].append(index)

    def excluded(self, first: Mapping[int, str]) -> dict[int, str]:
        """Return some chunks, and those that cannot run without them, each with the reason."""
        left_out = dict(first)
        waiting = deque(first)
        while waiting:
            for index in self._needed_by[waiting.popleft()]:
                if index not in left_out and (missing := self._missing(index, left_out)) is not None:
                    left_out[index] = f"excluded, since it requires {self._plan.chunks[missing].id}"
                    waiting.append(index)
        return left_out

    def closure(self, chosen: Collection[int], left_out: Collection[int]) -> set[int]:
        """Return chunks with all that they need, without those that are left out."""
        kept = {index for index in chosen if index not in left_out}
        waiting = list(kept)
        while waiting:
            for other in self._of[waiting.pop()]:
                if other not in kept and other not in left_out:
                    kept.add(other)
                    waiting.append(other)
        return kept

    def brought_by(self, index: int, others: Collection[int]) -> tuple[Chunk, ...]:
        """Return the chunks that come along with a chunk, without others."""
        brought = self.closure((index,), others) - {index}
        return tuple(self._plan.chunks[other] for other in sorted(brought))

    def enforced_value(self, index: int) -> EnforcedState | None:
        """Return the value that an earlier apply enforced for a chunk."""
        if index not in self._values:
            self._values[index] = self._rules.enforced(self._plan, self._plan.chunks[index])
        return self._values[index]

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Yield each need as a chunk and the chunk that it needs."""
        for index, chunk in enumerate(self._plan.chunks):
            for requisite in chunk.requisites:
                if requisite.kind is not RequisiteKind.ONCHANGES and requisite.kind not in _LISTENING:
                    for other in requisite.chunks:
                        yield index, other
            for other in prerequired(chunk):
                self._pulled_by.setdefault(other, []).append(index)
                yield other, index
        rules = self._rules
        registrars = registrars_of(self._plan, rules.promises)
        for edge in registration_edges(self._plan, rules.awaits, registrars):
            self._registrars.setdefault(edge.after, []).append(edge.before)
            yield edge.after, edge.before
        for edge in possible_edges(self._plan, rules.may_await, registrars):
            yield edge.after, edge.before

    def _missing(self, index: int, left_out: Collection[int]) -> int | None:
        """Return an excluded chunk without which a chunk cannot run; None if there is none."""
        chunk = self._plan.chunks[index]
        for requisite in chunk.requisites:
            missing = [other for other in requisite.chunks if other in left_out]
            if requisite.kind is RequisiteKind.ARG_BIND:
                missing = [other for other in missing if not self._has_value(chunk, other)]
            elif requisite.kind in _LISTENING or (
                _is_any(requisite) and len(missing) < len(requisite.chunks)
            ):
                continue
            if missing:
                return missing[0]
        needed: list[int] = self._pulled_by.get(index, [])
        if (registrars := self._registrars.get(index)) and not self._is_registered(chunk):
            needed = [*needed, *registrars]
        return next((other for other in needed if other in left_out), None)

    def _has_value(self, chunk: Chunk, producer: int) -> bool:
        """Return whether an earlier apply enforced all that a chunk reads of another one."""
        value = self.enforced_value(producer)
        return value is not None and not any(
            value.cut_at(binding.reference.steps) for binding in _bindings_to(chunk, producer)
        )

    def _is_registered(self, chunk: Chunk) -> bool:
        awaited = self._rules.awaits(chunk)
        return awaited is not None and self._rules.is_registered(awaited)


def _is_any(requisite: Requisite) -> bool:
    return requisite.any or requisite.kind in _ONE_IS_ENOUGH


def _bindings_to(chunk: Chunk, producer: int) -> Iterator[Binding]:
    for bound in (chunk.bindings or {}).values():
        for piece in bound.pieces:
            if isinstance(piece, Binding) and piece.producer == producer:
                yield piece


class _Rest:
    """Makes a plan of the chunks that are left.

    Args:
        plan: the whole plan.
        left_out: the chunks to leave out.
        enforced: returns the value that an earlier apply enforced for a chunk.
    """

    def __init__(
        self, plan: Plan, left_out: Collection[int], enforced: Callable[[int], EnforcedState | None]
    ) -> None:
        self._plan = plan
        self._left_out = left_out
        self._enforced = enforced
        self._requisites: dict[int, tuple[Requisite, ...]] = {}
        self._place = self._places()
        self._without_trigger = {
            listener
            for index in left_out
            for requisite in plan.chunks[index].requisites
            if requisite.kind is RequisiteKind.LISTEN_IN
            for listener in requisite.chunks
        }
        """The chunks that one that is left out names as its listeners."""

    def plan(self) -> Plan:
        """Return the plan."""
        plan, left_out = self._plan, self._left_out
        return msgspec.structs.replace(
            plan,
            chunks=tuple([self._chunk(index) for index in range(len(plan.chunks)) if index not in left_out]),
            checks={
                self._place[checked]: self._place[before]
                for checked, before in plan.checks.items()
                if checked not in left_out
            },
        )

    def reactions(self) -> dict[int, list[Requisite]]:
        """Return the chunks left out that react to changes of those in the plan, each with how it does."""
        reactions: dict[int, list[Requisite]] = {}
        for index, chunk in enumerate(self._plan.chunks):
            if index in self._left_out:
                rest = self._of_rest(chunk.requisites)
                if reacting := [part for part in rest if part.kind in _REACTING and part.chunks]:
                    reactions.setdefault(index, []).extend(reacting)
                continue
            for requisite in chunk.requisites:
                if requisite.kind is RequisiteKind.LISTEN_IN:
                    listen = Requisite(kind=RequisiteKind.LISTEN, chunks=(self._place[index],))
                    for listener in requisite.chunks:
                        if listener in self._left_out:
                            reactions.setdefault(listener, []).append(listen)
        return reactions

    def _places(self) -> list[int]:
        """Return the new place of each chunk; of one that is left out, that of the next one that is not."""
        places: list[int] = []
        place = 0
        for index in range(len(self._plan.chunks)):
            places.append(place)
            place += index not in self._left_out
        return places

    def _chunk(self, index: int) -> Chunk:
        chunk, has_no_trigger = self._plan.chunks[index], index in self._without_trigger
        if not chunk.requisites and chunk.bindings is None and not has_no_trigger:
            return chunk
        bindings = chunk.bindings
        requisites = self._of_rest(chunk.requisites)
        return msgspec.structs.replace(
            chunk,
            requisites=(*requisites, _TRIGGERED_BY_NOTHING) if has_no_trigger else requisites,
            bindings=None
            if bindings is None
            else {text: self._bound(binding) for text, binding in bindings.items()},
        )

    def _of_rest(self, requisites: tuple[Requisite, ...]) -> tuple[Requisite, ...]:
        # Chunks with equal requisites share one object, before and after.
        if id(requisites) not in self._requisites:
            self._requisites[id(requisites)] = tuple(
                [
                    msgspec.structs.replace(requisite, chunks=chunks)
                    for requisite in requisites
                    if (
                        chunks := tuple([self._place[c] for c in requisite.chunks if c not in self._left_out])
                    )
                    or requisite.kind in _TRIGGERS
                ]
            )
        return self._requisites[id(requisites)]

    def _bound(self, text: BoundText) -> BoundText:
        pieces = [self._binding(piece) if isinstance(piece, Binding) else piece for piece in text.pieces]
        return msgspec.structs.replace(text, pieces=tuple(pieces))

    def _binding(self, binding: Binding) -> Binding:
        producer = binding.producer
        if producer is None:
            return binding
        if producer in self._left_out:
            return msgspec.structs.replace(binding, producer=None, enforced=self._enforced(producer))
        return msgspec.structs.replace(binding, producer=self._place[producer])
