"""What earlier applies made or owe and a run declares or reaches no more: looked for at its end."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from ensue.core.errors import StoreError
from ensue.core.model.srn import Srn
from ensue.language.functions.made_things import MadeThings
from ensue.store.registry.enforced_views import with_declaration
from ensue.store.runs.departed_hosts import departed_hosts
from ensue.store.runs.replaced_states import replaced_states
from ensue.store.runs.undeclared_reactions import undeclared_reactions
from ensue.store.runs.undeclared_states import KnownTargets, reached_targets, undeclared_states

if TYPE_CHECKING:
    from ensue.core.diagnostics import Diagnostic
    from ensue.engine.outcome import EngineOutcome
    from ensue.language.targets.targets import Targets
    from ensue.store.registry.enforced import EnforcedStore
    from ensue.store.registry.store_thread import StoreThread
    from ensue.store.runs.declarations import RunDeclarations
    from ensue.store.runs.departed_hosts import DepartedHost
    from ensue.store.runs.undeclared_things import Undeclared


async def left_behind(
    services: Targets,
    enforced: EnforcedStore,
    thread: StoreThread,
    declarations: RunDeclarations,
    outcome: EngineOutcome,
    *,
    test: bool,
) -> list[Diagnostic]:
    """Return warnings about what earlier applies made or owe, and nothing declares or reaches now.

    An apply records which entries its own states have replaced, and what it reports.

    Args:
        services: the project.
        enforced: what applies enforced, this one included.
        thread: runs what blocks.
        declarations: those of the run.
        outcome: how it ended.
        test: whether it is a plan.
    """
    targets = _known_targets(services)

    def look() -> tuple[Undeclared | None, Diagnostic | None]:
        if not test:
            masked = services.stores.masker.name
            enforced.rewrite(replaced_states(enforced.known, declarations, outcome.returns, masked))
        unclaimed = enforced.reactions.unclaimed()
        return (
            undeclared_states(enforced.known, declarations, outcome, targets, test=test),
            undeclared_reactions(unclaimed, enforced.known, declarations, outcome, targets),
        )

    def look_for_hosts() -> list[DepartedHost]:
        own, is_known = services.minion, services.directory.index.is_known
        rows = enforced.known_on(lambda name: (srn := Srn.parse(name)) != own and not is_known(srn))
        return departed_hosts(rows, declarations, outcome, minion=own.id, test=test)

    try:
        departed = await thread.run(look_for_hosts)
        left, owed = await thread.run(look)
        if left is not None:
            from ensue.language.plans.things_gone import things_gone

            named = {thing: thing.place for thing in left.things}
            gone = await things_gone(services, [*named.values()], reached_targets(outcome))
            left = left.without([thing for thing, place in named.items() if place in gone])
        reported = [row for host in departed for row in host.rows]
        if left is not None:
            reported += left.entries
        if reported and not test:
            with suppress(StoreError):  # The next apply reports it again.
                rows = [with_declaration(row, is_reported=True) for row in reported]
                await thread.run(partial(enforced.rewrite, rows))
    except StoreError:
        return []  # A plan needs no store; states that do need it have failed with this error.
    warnings = (*(host.warning for host in departed), left and left.warning, owed)
    return [warning for warning in warnings if warning]


def _known_targets(services: Targets) -> KnownTargets:
    states_of, directory = services.compilation.states_of, services.directory
    return KnownTargets(
        own=services.minion,
        is_kept=lambda target: directory.shown_config(target) is not None,
        is_gone=lambda target: (
            (record := directory.index.record(target)) is None or record.status == "orphaned"
        ),
        removal=lambda target, module, function: states_of(target.type).removal(module, function),
        is_kept_by_name=lambda target, module: bool(states_of(target.type).attribute(module, "KEPT_BY_NAME")),
        made_by=MadeThings(states_of).of,
        opens_scopes=services.compilation.states.opens_scopes,
    )
