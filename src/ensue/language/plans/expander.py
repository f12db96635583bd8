"""Growth: compiling what the engine requests during a run."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from ensue.language.compiler import SlsRequest, Within
from ensue.language.targets.target_compiler import compiler_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.growth import GrowthRequest, Plan, PlanListener
    from ensue.core.diagnostics import Diagnostic
    from ensue.language.plans.chosen_part import ChosenPart
    from ensue.language.plans.late_rendering import LateRendering
    from ensue.language.plans.planned_resources import PlannedResources
    from ensue.language.targets.targets import Targets


class SlsExpander:
    """Compiles SLS for whatever target the engine names, and delayed blocks and SLS for their callers.

    Args:
        services: the project.
        listeners: called with every plan before anything of it runs, in this order.
        test: whether the run is a plan.
        chosen: the part of the run that was chosen; None: all of it.
        planned: in a plan, learns of the resources that states would register.
    """

    def __init__(
        self,
        services: Targets,
        listeners: Sequence[PlanListener],
        *,
        test: bool,
        chosen: ChosenPart | None = None,
        planned: PlannedResources | None = None,
    ) -> None:
        self._planned = planned
        self._chosen = chosen
        self._services = services
        self._listeners = listeners
        self._test = test

    async def note(self, plan: Plan, cause: GrowthRequest | None = None) -> None:
        """Record a plan and notify the listeners.

        Args:
            plan: what a state requested, or what the run begins with.
            cause: the request for it; None for what the run begins with, and for a resource that joins it.
        """
        if cause is not None or _has_blocks(plan):
            self._late.note(plan)
        for listener in self._listeners:
            listener(plan, cause)
        if self._planned is not None:
            await self._planned.note(plan)

    @cached_property
    def _late(self) -> LateRendering:
        from ensue.language.plans.late_rendering import LateRendering

        return LateRendering(self._services, test=self._test)

    async def expand(self, request: GrowthRequest) -> Plan:
        """Return the compiled scope.

        Raises:
            CompileError: it does not render or compile, or a limit is exceeded.
        """
        if request.source is not None:
            await self._services.preparation.prepare(request.target)
            plan = await request.source.plan(request)
        elif request.kind == "apply":
            plan = await self._applied(request)
        else:
            plan = await self._late.plan(request)
        self._services.stores.exposed.see_plan(plan)
        if request.plan.resource is not None:
            plan = msgspec.structs.replace(plan, resource=request.plan.resource)
        if self._chosen is not None:
            plan = await self._chosen.grown(plan, request)
        await self.note(plan, request)
        return plan

    def end(self) -> tuple[Diagnostic, ...]:
        """Log which blocks no state called; return the warnings of the compilations of growth."""
        if "_late" not in self.__dict__:
            return ()
        self._late.tell_dropped()
        return tuple(self._late.warnings)

    async def _applied(self, request: GrowthRequest) -> Plan:
        await self._services.preparation.prepare(request.target)
        compiler = compiler_of(self._services, request.target, test=self._test)
        requests = [SlsRequest(name=name, saltenv=request.caller.saltenv) for name in request.names]
        within = Within(scope=request.scope, identity=request.identity)
        compiled = await asyncio.to_thread(compiler.compile, requests, within)
        return compiled.plan


def _has_blocks(plan: Plan) -> bool:
    """Return whether the texts that a plan was compiled from have delayed blocks."""
    return plan.tree is not None and bool(plan.tree.delayed_blocks())
