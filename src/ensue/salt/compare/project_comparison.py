"""A project compared with Salt: ensue's side of it, the request to Salt, and what ensue lacks.

Salt's process and ensue's compilation run at the same time; neither applies anything.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import CompileError, EnsueError
from ensue.core.model.own_grains import own_grains_path
from ensue.core.model.secret_values import secret_values
from ensue.language.plans.assigned_sls import AssignedSls
from ensue.language.plans.run_options import RunOptions
from ensue.language.renderers import load_stage
from ensue.salt.compare.comparison import Missing, TreeComparison, compared
from ensue.salt.compare.salt_program import SaltOrder, ask_salt
from ensue.salt.compare.salt_side import plain
from ensue.salt.compare.sides import PlannedState, SaltSide, Side, compiled_states, own_refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ensue.core.model.events import RunEvent
    from ensue.core.model.report import RunReport
    from ensue.language.functions.functions import Functions
    from ensue.language.targets.targets import Targets

    Apply = Callable[..., Awaitable[RunReport]]

NO_RENDERER: Final = "E0206"

NOT_FOR_SALT: Final = frozenset(
    {
        *(
            "cachedir",
            "root_dir",
            "conf_file",
            "extension_modules",
            "pki_dir",
            "sock_dir",
            "pidfile",
        ),
        *(
            "log_file",
            "log_level",
            "log_level_logfile",
            "user",
            "test",
            "__cli",
            "grains_file",
            "minion_root",
        ),
        *(
            "definitions",
            "secret_stores",
            "store_url",
            "key_source",
            "keep_runs",
            "keep_runs_bytes",
            "keep_output_bytes",
            "concurrency",
        ),
        *("audit_max_size", "audit_keep_files", "grains_cache_expiration", "derived_highstate"),
        *("beacons", "engines", "event_return", "returner", "schedule", "startup_states", "state_events"),
    }
)
"""Options that are ensue's own, or that would make Salt write, listen or report elsewhere."""


class CompareOrder(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison.

    Args:
        mods: SLS names; none: the highstate.
        python: the interpreter of Salt's environment.
        folder: an empty folder for what Salt writes.
        plan: whether plans are compared as well.
    """

    mods: tuple[str, ...]
    python: Path
    folder: Path
    plan: bool


class ProjectComparison:
    """Compares one project.

    Args:
        services: the project.
        pillar: pillar of the command line.
        order: what is compared.
    """

    def __init__(self, services: Targets, pillar: Mapping[str, Any], order: CompareOrder) -> None:
        self._services = services
        self._settings = services.stores.settings
        self._pillar = pillar
        self._order = order
        self._plans = order.plan and not self._settings.option("minion_root")
        self._warnings: tuple[Diagnostic, ...] = ()

    async def go(self, apply: Apply, on_progress: Callable[[int, int], None]) -> TreeComparison:
        """Compare, and return the result.

        Args:
            apply: plans the project.
            on_progress: called with how many states Salt has planned, and their total.

        Raises:
            ConfigurationError: Salt gives no answer.
            CompileError: neither program finds a state.
        """
        async with asyncio.TaskGroup() as tasks:
            asked = tasks.create_task(ask_salt(self._order.python, self._salt_order(), on_progress))
            own = tasks.create_task(self._own_side(apply))
        salt, ours = asked.result(), own.result()
        self._services.stores.masker.add_guessed(*secret_values(salt.pillar))
        if not (salt.states or salt.refusals or ours.states or ours.refusals):
            raise CompileError([self._no_states(), *self._warnings])
        missing = await asyncio.to_thread(self._missing, salt, ours)
        return compared(self._services.minion.id, salt, ours, missing)

    def _salt_order(self) -> SaltOrder:
        folder = self._order.folder
        own_grains = Path(own_grains_path(self._settings.values))
        if own_grains.is_file():
            (folder / "grains").symlink_to(own_grains)
        options = {name: value for name, value in self._settings.values.items() if name not in NOT_FOR_SALT}
        options |= {"log_level": "quiet", "log_level_logfile": "quiet", "enable_fqdns_grains": False}
        return SaltOrder(
            folder=str(folder), options=options, mods=self._order.mods, pillar=self._pillar, plan=self._plans
        )

    async def _own_side(self, apply: Apply) -> Side:
        from ensue.language.plans.high_low_data import low_data

        services, mods = self._services, self._order.mods
        try:
            await services.preparation.prepare(services.minion)
            assigned = AssignedSls(services, test=True)
            compiled, self._warnings = await asyncio.to_thread(assigned.compiled, services.minion, mods)
        except CompileError as error:
            faults = [diagnostic for diagnostic in error.diagnostics if diagnostic.severity is Severity.ERROR]
            return Side(refusals=tuple(map(own_refusal, faults or error.diagnostics)))
        states = compiled_states(plain(low_data(compiled.tree, compiled.plan)))
        if not self._plans or not states:
            return Side(states=states)
        try:
            report = await apply(mods, RunOptions(test=True), on_event=_ignore)
        except EnsueError as error:
            return Side(states=states, plan_failed=str(error))
        return Side(states=states, plan=_planned(report))

    def _missing(self, salt: SaltSide, ours: Side) -> Missing:
        services = self._services
        # A project may have its own renderers: only one that a file was refused for is missing.
        lacks_one = any(refusal.code == NO_RENDERER for refusal in ours.refusals)
        used = {state.function for state in salt.states} - salt.unknown
        return Missing(
            state_functions=frozenset(name for name in used if not _has(services.compilation.states, name)),
            execution_functions=frozenset(
                name for name in salt.functions if not _has(services.compilation.modules, name)
            ),
            renderers=frozenset(name for name in salt.renderers if lacks_one and load_stage(name) is None),
        )

    def _no_states(self) -> Diagnostic:
        return Diagnostic(
            code="E0844",
            summary="there is nothing to compare",
            detail=f"{', '.join(self._order.mods) or 'the highstate'} has no state in either program",
            help="name SLS that have states, or give grains and pillar that lead to some",
        )


def _has(functions: Functions, name: str) -> bool:
    module, _, function = name.rpartition(".")
    return functions.find(module, function) is not None


def _ignore(event: RunEvent) -> None:
    """Show no progress of ensue's plan, because Salt's takes longer."""


def _planned(report: RunReport) -> dict[str, PlannedState]:
    return {
        tag: PlannedState(
            result=state_return.result,
            changes=plain(state_return.changes),
            comment=str(state_return.comment),
            ran=state_return.ran and not state_return.skipped,
            is_open=state_return.unknown,
        )
        for tag, state_return in report.returns.items()
    }
