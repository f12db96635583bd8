"""What a run begins with: the plan of this machine, or those of the resources that a target matches."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.contracts.growth import Plan
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.foreseen import ForeseenSls
    from ensue.core.model.srn import Srn
    from ensue.engine.plans.joining import Newcomer


class Derived(Protocol):
    """Gives resources that appear during a run their highstate."""

    def begin(self, admit: Callable[[Newcomer], None]) -> None:
        """Let resources that are registered from now on join the run."""
        ...

    def registered(self, srn: Srn, by: Srn | None) -> None:
        """Record that a state which ran on one resource has registered another."""
        ...

    async def foreseen(self, srn: Srn) -> ForeseenSls | None:
        """Return what the highstate of a resource would apply if it were registered; None if it gets none."""
        ...


class FirstPlans(msgspec.Struct, frozen=True, kw_only=True):
    """What a run begins with.

    Args:
        own: the plan of this machine; empty if it has nothing to do itself.
        beside: the plans of resources.
        late: resources whose plans do not exist yet.
        warnings: the compiler's warnings.
        nothing: why there is nothing to do, if a target matches nothing.
        unassigned: resources of the target of a highstate to which the top file assigns nothing.
        matched: how many resources the target of the run matches; 0: it has no target.
        derived: gives resources that appear during the run their highstate; None if they get none.
    """

    own: Plan
    beside: tuple[Plan, ...] = ()
    late: Mapping[Srn, Newcomer] = MappingProxyType({})
    warnings: tuple[Diagnostic, ...] = ()
    nothing: str = ""
    unassigned: tuple[Srn, ...] = ()
    matched: int = 0
    derived: Derived | None = None

    @property
    def all(self) -> tuple[Plan, ...]:
        """All plans that exist."""
        return (self.own, *self.beside)

    @property
    def total(self) -> int:
        """How many chunks are known."""
        return sum(chunk.options.minion_state is None for plan in self.all for chunk in plan.chunks)
