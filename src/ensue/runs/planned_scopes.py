"""Every plan of a run, the first and what grows, is told with its requisites: the journal keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.runs.planned_requisites import planned_event

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.growth import Expander, GrowthRequest, Plan
    from ensue.model.events import RunEvent


class TellingExpander:
    """An `Expander` that tells of the plans another one compiles.

    Args:
        expander: compiles.
        on_event: told.
    """

    def __init__(self, expander: Expander, on_event: Callable[[RunEvent], None]) -> None:
        self._expander = expander
        self._on_event = on_event

    async def expand(self, request: GrowthRequest) -> Plan:
        """Return the compiled scope.

        Raises:
            CompileError: it does not render or compile.
        """
        plan = await self._expander.expand(request)
        self.note(plan)
        return plan

    def note(self, plan: Plan) -> None:
        """Tell of a plan that no state caused."""
        event = planned_event(plan)
        if event is not None:
            self._on_event(event)
