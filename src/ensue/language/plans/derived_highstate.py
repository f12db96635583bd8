"""`derived_highstate`: resources that appear during a highstate get their own highstate in the same run.

Each resource gets it once per run, however often it is registered, so resources that register each other come
to an end. A chain of resources that register ever new ones is stopped at a limit.

Source: derived-resources document, "Ordering inside a single apply".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic
from ensue.engine.plans.joining import Newcomer
from ensue.language.plans.resource_plans import empty_plan, failed_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.foreseen import ForeseenSls
    from ensue.core.model.srn import Srn
    from ensue.language.plans.resource_plans import ResourcePlans

_DEEPEST: Final = 10


class DerivedHighstate:
    """The highstates of the resources that are registered during one run.

    Args:
        plans: compiles them.
        known: resources that have their highstate already.
    """

    def __init__(self, plans: ResourcePlans, known: Iterable[Srn]) -> None:
        self._plans = plans
        self._known = set(known)
        self._registered_by: dict[Srn, Srn | None] = {}
        self._admit: Callable[[Newcomer], None] | None = None

    def begin(self, admit: Callable[[Newcomer], None]) -> None:
        """Let resources that are registered from now on join the run."""
        self._admit = admit

    def registered(self, srn: Srn, by: Srn | None) -> None:
        """Record that a state has registered a resource.

        Args:
            srn: the resource.
            by: the resource on which the state ran.
        """
        if srn in self._known or self._admit is None:
            return
        self._known.add(srn)
        self._registered_by[srn] = by
        self._admit(Newcomer(srn.id, partial(self._plan, srn), str(srn)))

    async def foreseen(self, srn: Srn) -> ForeseenSls | None:
        """Return what the highstate of a resource would apply if it were registered; None if it gets none."""
        return None if srn in self._known else await self._plans.foreseen(srn)

    async def _plan(self, srn: Srn) -> Plan:
        chain = self._chain(srn)
        if len(chain) > _DEEPEST:
            return failed_plan(srn, _endless(chain))
        if not await self._plans.is_meant(srn):
            return empty_plan(srn)
        return await self._plans.late_plan(srn)

    def _chain(self, srn: Srn) -> list[Srn]:
        """Return the chain of resources that registered one another in this run, the first one first."""
        chain = [srn]
        while (by := self._registered_by.get(chain[-1])) is not None and by in self._registered_by:
            chain.append(by)
        return chain[::-1]


def _endless(chain: list[Srn]) -> str:
    return Diagnostic(
        code="E0606",
        summary="derived_highstate goes on without end",
        detail=f"{' -> '.join(map(str, chain))}: each is registered by the highstate of the one before it;"
        f" {_DEEPEST} in a row get theirs in one run",
        help="let the top file give no resource a state that registers another one with the same states",
    ).message
