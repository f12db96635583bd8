"""The plans of a run that no state caused, handed to all that must know them before anything of them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.app.first_plans import FirstPlans
    from ensue.contracts.growth import Plan
    from ensue.diagnostics import Diagnostic
    from ensue.engine.joining import Newcomer, Newcomers


class Notes(Protocol):
    """What takes note of plans."""

    def note(self, plan: Plan) -> None:
        """Take note of a plan that no state caused."""
        ...


class NotedPlans:
    """Hands plans to all that take note of them.

    Args:
        listeners: these, in this order.
    """

    def __init__(self, listeners: Sequence[Notes]) -> None:
        self._listeners = listeners
        self.remarks: dict[Diagnostic, None] = {}
        """What the compiler remarked of resources that joined the run."""

    def note(self, plan: Plan) -> None:
        """Hand a plan on."""
        for one in self._listeners:
            one.note(plan)

    def newcomers(self, first: FirstPlans) -> Newcomers:
        """Return what names the resources that join while the run goes on."""

        def named(admit: Callable[[Newcomer], None]) -> None:
            for one in first.late.values():
                admit(one.with_plan(self._note_late))
            if first.derived:
                first.derived.begin(lambda one: admit(one.with_plan(self._note_late)))

        return named

    def _note_late(self, plan: Plan) -> None:
        self.note(plan)
        self.remarks.update(dict.fromkeys(plan.warnings))
