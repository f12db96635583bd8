"""The chosen part of a run: its plans without what `--only`, `--exclude` and `--start-at` leave out.

The words of a part name states that are known before the run. What a state causes (delayed blocks, SLS that
it applies elsewhere) runs with it, or is left out with it; but a state that `--exclude` names runs nowhere.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import CompileError, UnknownResourceError
from ensue.core.model.events import StateExcluded
from ensue.core.model.run_part import RunPart
from ensue.core.model.state_identity import StateIdentity
from ensue.engine.graph.transforms.part import PartChoice, PartRules, part_of
from ensue.language.part_words import StatesByWord, word_problems
from ensue.language.plans.declared_secrets import DeclaredSecrets
from ensue.language.targets.foreseen_registrations import ForeseenRegistrations
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ensue.core.contracts.growth import Excluded, GrowthRequest, Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.srn import Srn
    from ensue.engine.plans.first_plans import FirstPlans
    from ensue.language.part_words import Named
    from ensue.language.targets.targets import Targets

_EXCLUDE = "--exclude leaves it out"


class ChosenPart:
    """The chosen part of one run.

    Args:
        services: the project.
        part: the words.
        on_event: receives an event for each state that is left out.
    """

    def __init__(self, services: Targets, part: RunPart, on_event: Callable[[StateExcluded], None]) -> None:
        self._services = services
        self._part = part
        self._on_event = on_event
        self._matcher = ProjectMatcher(services)
        self._secrets = DeclaredSecrets(services.compilation.states, services.stores.enforced)
        foreseen = ForeseenRegistrations(services.compilation.states, self._matcher.exact)
        self._rules = PartRules(
            awaits=foreseen.awaits,
            promises=foreseen.promises,
            may_await=self._may_await,
            is_registered=self._is_registered,
            enforced=self._enforced,
        )
        self._excluded: dict[tuple[str, str], StateExcluded] = {}

    @property
    def part(self) -> RunPart:
        """The words."""
        return self._part

    @property
    def excluded(self) -> tuple[StateExcluded, ...]:
        """The states that are left out, as far as their plans are known."""
        return tuple(self._excluded.values())

    async def first(self, first: FirstPlans) -> FirstPlans:
        """Return what a run begins with, without what is left out.

        Raises:
            CompileError: a word names no state, or is ambiguous, or no state is left.
        """
        if not first.total and not first.late:
            return first  # Why there are no states is said as without a part.
        problems = word_problems(first.all, self._part, joining=bool(first.late))
        if errors := [diagnostic for diagnostic in problems if diagnostic.severity is Severity.ERROR]:
            raise CompileError(errors)
        own, *beside = await asyncio.to_thread(self._restricted, first.all, self._part)
        if not any(plan.chunks for plan in (own, *beside)) and not first.late:
            raise CompileError([self._nothing_left([own, *beside])])
        return msgspec.structs.replace(
            first, own=own, beside=tuple(beside), warnings=(*first.warnings, *problems)
        )

    async def late(self, plan: Plan) -> Plan:
        """Return the plan of a resource that joins the run, without what is left out."""
        return (await asyncio.to_thread(self._restricted, [plan], self._part))[0]

    async def grown(self, plan: Plan, request: GrowthRequest) -> Plan:
        """Return the plan of growth without the states that `--exclude` names."""
        if request.source is not None or not self._part.exclude:
            return plan
        plan = msgspec.structs.replace(plan, identity=request.identity)
        part = RunPart(exclude=self._part.exclude)
        return (await asyncio.to_thread(self._restricted, [plan], part))[0]

    def note(self, plan: Plan, cause: GrowthRequest | None = None) -> None:  # noqa: ARG002 -- a listener's signature
        """Report the states that a plan leaves out."""
        for state in plan.excluded:
            event = _event(plan, state)
            # A scope is opened again when its state is tried again.
            if self._excluded.setdefault((event.scope, event.tag_), event) is event:
                self._on_event(event)

    def _restricted(self, plans: Sequence[Plan], part: RunPart) -> list[Plan]:
        rest = " and ".join([option for option in ("--only", "--start-at") if option in dict(part.words)])
        leaves = "leave" if " and " in rest else "leaves"
        return [self._part_of(plan, part, f"{rest} {leaves} it out") for plan in plans]

    def _part_of(self, plan: Plan, part: RunPart, rest: str) -> Plan:
        named = StatesByWord(plan).named(part)
        choice = PartChoice(
            chosen=_chosen(named, len(plan.chunks)),
            excluded=dict.fromkeys(sorted(named.exclude), _EXCLUDE),
            rest=rest,
        )
        return part_of(plan, choice, self._rules)

    def _nothing_left(self, plans: Sequence[Plan]) -> Diagnostic:
        named = {
            f"{state.chunk.id}: {state.comment}"
            for plan in plans
            for state in plan.excluded
            if state.is_dependent
        }
        return Diagnostic(
            code="E0871",
            summary=f"`{self._part}` leaves no state to run",
            detail="; ".join(sorted(named)),
            help="name states that do not require what is excluded",
        )

    def _may_await(self, chunk: Chunk, srn: Srn) -> bool:
        fan_out = chunk.options.fan_out
        if fan_out is None or self._rules.awaits(chunk) is not None:
            return False
        return self._matcher.may_match(fan_out.expression, srn)

    def _is_registered(self, srn: Srn) -> bool:
        try:
            self._services.directory.resolve(srn)
        except UnknownResourceError:
            return False
        return True

    def _enforced(self, plan: Plan, chunk: Chunk) -> EnforcedState | None:
        identity = StateIdentity(str(chunk.target or plan.target), plan.identity, chunk.tag)
        self._secrets.conceal(chunk, identity)
        return self._services.stores.enforced.of_state(identity)


def _chosen(named: Named, count: int) -> Collection[int] | None:
    if named.start is None:
        return named.only
    return [index for index in range(named.start, count) if named.only is None or index in named.only]


def _event(plan: Plan, excluded: Excluded) -> StateExcluded:
    chunk = excluded.chunk
    return StateExcluded(
        scope=plan.scope,
        tag_=chunk.tag,
        id=chunk.id,
        name=chunk.name,
        function=chunk.full_function,
        sls=chunk.sls,
        target=str(chunk.target or plan.target),
        comment=excluded.comment,
        is_dependent=excluded.is_dependent,
    )
