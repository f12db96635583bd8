"""The engine of one run, wired to the project: contexts, growth, registrations, pruning, targets."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec

from ensue.core.contracts.accumulators import Accumulators
from ensue.core.contracts.origins import with_origins
from ensue.core.model.fan_out import every_part
from ensue.core.model.srn import Srn
from ensue.derived import current_registry
from ensue.engine.engine import Engine
from ensue.engine.services import EngineHooks, EngineOptions, EngineServices
from ensue.language.functions.functions import TargetFunctions
from ensue.language.functions.made_things import MadeThings
from ensue.language.plans.block_registrations import BlockRegistrations
from ensue.language.plans.declared_secrets import DeclaredSecrets
from ensue.language.plans.expander import SlsExpander
from ensue.language.plans.host_limits import host_limits
from ensue.language.plans.planned_resources import PlannedResources
from ensue.language.settings.environments import selected_environments
from ensue.language.targets.foreseen_registrations import ForeseenRegistrations
from ensue.language.targets.pillar_comparison import PillarComparison
from ensue.language.targets.target_matcher import ProjectMatcher
from ensue.store.registry.lazy_registry import LazyRegistry
from ensue.store.registry.registrations import Registrations
from ensue.store.registry.run_registry import RunRegistry
from ensue.store.registry.superseded import things_left
from ensue.store.runs.call_context import CallContext, CallsOfRun
from ensue.store.runs.call_inputs import ProjectCallInputs
from ensue.store.runs.declarations import RequestedRun, RunDeclarations
from ensue.store.runs.planned_requisites import planned_event
from ensue.store.runs.pruning import Pruning, earlier_declarations

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from ensue.app.services import Services
    from ensue.core.contracts.growth import GrowthRequest, Plan, PlanListener
    from ensue.core.model.events import NodeStarted, RunEvent
    from ensue.core.model.resource import DeclaredBy
    from ensue.core.model.returns import Return
    from ensue.engine.binding.arguments import RunTimeArguments
    from ensue.engine.plans.first_plans import FirstPlans
    from ensue.engine.services import CallSite
    from ensue.language.plans.chosen_part import ChosenPart
    from ensue.language.plans.run_options import RunOptions
    from ensue.language.targets.targets import Targets

_SLOTS_PER_CORE = 10


class WiredRun(msgspec.Struct, frozen=True, kw_only=True):
    """The engine of one run, and the parts that are needed when it ends.

    Args:
        engine: runs the plans.
        registry: the registry that the run's states see.
        expander: compiles what states cause; it has recorded the first plans.
        declarations: what its plans declare.
        pruning: orphans what the run's states no longer register.
        pillar_comparison: compares the pillar that templates print into states with that of their targets.
    """

    engine: Engine
    registry: RunRegistry
    expander: SlsExpander
    declarations: RunDeclarations
    pruning: Pruning
    pillar_comparison: PillarComparison


class RunWiring:
    """Connects the engine of one run to the project.

    Args:
        services: the project.
        options: how the run is done.
        on_event: receives every event of the run but the beginnings of calls, in order.
        begin: records and reports the beginning of a call.
        chosen: the part of the run that was chosen; None: all of it.
        call_context: makes the context of a call.
    """

    def __init__(
        self,
        services: Services,
        options: RunOptions,
        on_event: Callable[[RunEvent], None],
        begin: Callable[[NodeStarted], Awaitable[None]],
        chosen: ChosenPart | None = None,
        *,
        call_context: Callable[[Targets, CallSite, CallsOfRun], CallContext] = CallContext,
    ) -> None:
        self._call_context = call_context
        self._chosen = chosen
        self._services = services
        self._stores = services.stores
        self._options = options
        self._on_event = on_event
        self._begin = begin
        self._concurrency: int | None = options.concurrency or self._stores.settings.option("concurrency")
        self._takes_slots: dict[str, bool] = {}

    async def wired(self, first: FirstPlans, mods: Sequence[str], *, highstate: bool) -> WiredRun:
        """Return the engine of the run.

        Args:
            first: what the run begins with.
            mods: the SLS that it was called with.
            highstate: whether its plans are those of the whole top file.
        """
        services, test = self._services, self._options.test
        project = str(self._stores.settings.root) if self._stores.settings.option("store_url") else ""
        earlier = await asyncio.to_thread(earlier_declarations, self._stores.registry, project)
        known_orphans = partial(earlier_declarations, orphaned=True)
        orphaned = await asyncio.to_thread(known_orphans, self._stores.registry, project) if test else None
        registry = RunRegistry(
            self._own_registry(),
            services.targets.directory,
            self._on_event,
            self._stores.loop,
            joined=first.derived.registered if first.derived else None,
        )
        matcher = ProjectMatcher(services.targets)

        def declare(site: CallSite) -> DeclaredBy:
            return declarations.of(site)

        foreseen = ForeseenRegistrations(services.compilation.states, matcher.exact)
        registrations = Registrations(registry, self._stores.plugins, declare)
        declarations = RunDeclarations(
            foreseen.promises,
            self._stores.roots,
            project=project,
            unassigned=["" if srn == self._stores.minion else str(srn) for srn in first.unassigned],
            requested=RequestedRun(
                highstate=highstate,
                mods=tuple(mods),
                environment=selected_environments(self._stores.settings, highstate=not mods),
                pillar_keys=tuple(map(str, self._stores.pillars.override)),
            ),
            earlier=earlier or orphaned or {},
            declared_by_pillar_of=self._declared_by_pillar_of,
        )
        pruning = Pruning(
            earlier,
            declarations,
            registry,
            foreseen.foresees,
            services.compilation.states.opens_scopes,
            orphaned=orphaned,
            left_after=self._left_after,
        )
        self._stores.enforced.judged_by(declarations)
        listeners: list[PlanListener] = [declarations.note, self._report_planned]
        if self._chosen is not None:
            listeners.append(self._chosen.note)
        of_blocks = BlockRegistrations(earlier.values())
        planned = (
            PlannedResources(foreseen, first.derived, self._stores.registry.get, of_blocks) if test else None
        )
        expander = SlsExpander(services.targets, listeners, test=test, chosen=self._chosen, planned=planned)
        for plan in first.all:
            await expander.note(plan)
        comparison = PillarComparison(services.targets.compiled_pillar)
        engine_services = EngineServices(
            functions=lambda srn: TargetFunctions(services.compilation.states_of(srn.type), srn.type),
            context_for=self._contexts(declarations, registry),
            expander=expander,
            on_event=self._on_event,
            begin=self._begin,
            hooks=msgspec.structs.replace(
                self._hooks(foreseen, registrations, pruning, matcher, declarations),
                foreseen=planned.of if planned else None,
                matched=comparison.compare,
            ),
            masker=self._stores.masker,
        )
        engine = Engine(engine_services, self._engine_options(first.matched))
        return WiredRun(
            engine=engine,
            registry=registry,
            expander=expander,
            declarations=declarations,
            pruning=pruning,
            pillar_comparison=comparison,
        )

    def _declared_by_pillar_of(self, target: str) -> str:
        """Return this minion if its pillar declares a target, else an empty text."""
        record = self._services.targets.directory.index.record(Srn.parse(target))
        return self._stores.minion.id if record is not None and record.origin == "pillar" else ""

    def _left_after(self, returns: Iterable[Return]) -> Callable[[str], int]:
        """Return a function that counts what states made and is still on a target after these returns."""
        from ensue.store.runs.removed_things import removed_by

        made_by = MadeThings(self._services.compilation.states_of).of
        rows = self._stores.enforced.known()
        removed = removed_by((state_return, made_by(state_return)) for state_return in every_part(returns))
        return lambda target: things_left(rows, target, removed)

    def _own_registry(self) -> LazyRegistry:
        """Return the registry of this machine, which shares its changes in a run over minions."""
        stores = self._stores
        others = stores.other_minions
        if others is None or self._options.test:
            return stores.registry
        from ensue.salt.fleet.shared_registry import SharedRegistry

        shared = SharedRegistry(stores.registry, others.resources, stores.loop)
        return LazyRegistry(lambda: shared, shared.has_store)

    def _hooks(
        self,
        foreseen: ForeseenRegistrations,
        registrations: Registrations,
        pruning: Pruning,
        matcher: ProjectMatcher,
        declarations: RunDeclarations,
    ) -> EngineHooks:
        services = self._services
        return EngineHooks(
            awaits=foreseen.awaits,
            promises=foreseen.promises,
            may_register_any=foreseen.may_register_any,
            arguments=cache(partial(_run_time_arguments, services)),
            registered=registrations.register,
            has_registered=pruning.concerns if pruning.has_earlier else None,
            prune=pruning.prune,
            matcher=matcher,
            fanned_out=declarations.note_fan_out,
            enforced=self._stores.enforced.of_state,
            skipped=DeclaredSecrets(services.compilation.states, self._stores.enforced).conceal,
            former=self._stores.enforced.former,
            owed=self._stores.enforced.reactions,
            is_transient=foreseen.is_transient,
            takes_slot=self._takes_slot,
            inputs=ProjectCallInputs(services.targets),
            reach=services.targets.directory.reach,
            other_minions=self._stores.other_minions,
            elsewhere=self._stores.other_minions.resources if self._stores.other_minions else None,
            described=lambda error: with_origins(error, self._stores.registry),
        )

    def _contexts(
        self, declarations: RunDeclarations, registry: RunRegistry
    ) -> Callable[[CallSite], CallContext]:
        def declare(site: CallSite) -> DeclaredBy:
            return declarations.of(site, by_function=True)

        run = CallsOfRun(
            deploying=self._stores,
            registry_of=lambda site: registry.of_state(site, declare),
            gathered=defaultdict(Accumulators),
            notes=defaultdict(dict),
            on_event=self._on_event,
            follow=self._options.follow,
            lock_wait_s=self._options.lock_wait_s,
        )

        def context_for(site: CallSite) -> CallContext:
            context = self._call_context(self._services.targets, site, run)
            # Resources that the function registers through `ensue.derived` are registered by its state.
            current_registry.set(context.own_registry)
            return context

        return context_for

    def _engine_options(self, hosts: int) -> EngineOptions:
        options, settings = self._options, self._stores.settings
        failhard = settings.option("failhard") if options.failhard is None else options.failhard
        return EngineOptions(
            test=options.test,
            failhard=bool(failhard),
            concurrency=self._concurrency or _SLOTS_PER_CORE * (os.cpu_count() or 1),
            ordered=bool(settings.option("state_auto_order", default=True)),
            host_limits=host_limits(options, hosts),
        )

    def _takes_slot(self, srn: Srn) -> bool:
        """Return whether calls on a target count against the limit; a limit that the user sets counts all."""
        if srn.type not in self._takes_slots:
            is_remote = self._stores.plugins.resource_type(srn.type).IS_REMOTE
            self._takes_slots[srn.type] = bool(self._concurrency) or not is_remote
        return self._takes_slots[srn.type]

    def _report_planned(self, plan: Plan, _: GrowthRequest | None) -> None:
        """Report a plan with its requisites, for the journal."""
        event = planned_event(plan)
        if event is not None:
            self._on_event(event)


def _run_time_arguments(services: Services) -> RunTimeArguments:
    """Return what resolves references and slots; most runs have none and never load it."""
    from ensue.engine.binding.arguments import RunTimeArguments
    from ensue.engine.binding.bound_values import BoundValues

    values = BoundValues(services.stores.enforced, services.stores.masker)
    return RunTimeArguments(services.compilation.states.find, services.stores.insertions, values)
