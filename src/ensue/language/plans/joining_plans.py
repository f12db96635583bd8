"""The plans of resources that join a run while it goes on, recorded before any of their states runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.growth import Plan
    from ensue.core.diagnostics import Diagnostic
    from ensue.engine.plans.first_plans import FirstPlans
    from ensue.engine.plans.joining import Newcomer, Newcomers
    from ensue.language.plans.chosen_part import ChosenPart


class JoiningPlans:
    """The plans of the resources that join a run.

    Args:
        note: called with each plan.
        chosen: the part of the run that was chosen; None: all of it.
    """

    def __init__(self, note: Callable[[Plan], Awaitable[None]], chosen: ChosenPart | None = None) -> None:
        self._note = note
        self._chosen = chosen
        self.remarks: dict[Diagnostic, None] = {}
        """The compiler's warnings about them."""

    def newcomers(self, first: FirstPlans) -> Newcomers:
        """Return the source of resources that join while the run goes on."""

        def named(admit: Callable[[Newcomer], None]) -> None:
            for newcomer in first.late.values():
                admit(newcomer.with_plan(self._noted))
            if first.derived:
                first.derived.begin(lambda plan: admit(plan.with_plan(self._noted)))

        return named

    async def _noted(self, plan: Plan) -> Plan:
        if self._chosen is not None:
            plan = await self._chosen.late(plan)
        await self._note(plan)
        self.remarks.update(dict.fromkeys(plan.warnings))
        return plan
