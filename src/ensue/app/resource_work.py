"""Calls states on resources of this minion for other minions of a fleet: an engine run for each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.app.first_plans import FirstPlans
from ensue.app.guarded_context import GuardedContext
from ensue.app.run_options import RunOptions
from ensue.app.run_wiring import RunWiring
from ensue.core.contracts.growth import Plan
from ensue.core.errors import UnknownResourceError
from ensue.core.model.chunk import Chunk, StateOptions
from ensue.core.model.data import is_list, leaf_places
from ensue.core.model.resource_call import ResourceReturn
from ensue.core.model.source_document import NoDocument
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.derived import using_registry

if TYPE_CHECKING:
    from ensue.app.services import Services
    from ensue.core.masking import Masker
    from ensue.core.model.events import NodeStarted, RunEvent
    from ensue.core.model.resource_call import ResourceCall
    from ensue.core.model.returns import Return


class _GuardedWiring(RunWiring):
    """The engine of a run for another minion, whose states reach the resource alone."""

    call_context = GuardedContext


async def called_for_another(services: Services, call: ResourceCall) -> ResourceReturn:
    """Call a state on a derived resource of this minion.

    Args:
        services: the project of this minion.
        call: the call.

    Raises:
        EnsueError: there is no such resource here, or its pillar does not compile.
        ValueError: the call is malformed.
    """
    srn = Srn.parse(call.srn)
    if srn.type == MINION_TYPE:
        raise UnknownResourceError(f"{srn} is no derived resource, and no other minion may change it")
    services.directory.resolve(srn)
    services.masker.add(*call.secrets)
    await services.prepare(services.minion)
    await services.prepare(srn)
    await services.states_of(srn.type).get_ready(call.module)
    plan = Plan(chunks=(_chunk(call),), scope="", target=srn)
    wiring = _GuardedWiring(services, RunOptions(test=call.test), _ignored, _begun)
    wired = await wiring.wired(FirstPlans(own=plan), highstate=False)
    with using_registry(wired.registry):
        outcome = await wired.engine.run(plan)
    (returned,) = outcome.returns.values()
    return _answer(returned, services.masker)


def _chunk(call: ResourceCall) -> Chunk:
    name, arguments = call.name, dict(call.arguments)
    if not isinstance(name, str):
        # A list of words.
        arguments["name"], name = name, call.id
    options: dict[str, Any] = {
        option: _as_tuple(value) if is_list(value) else value for option, value in call.options.items()
    }
    return Chunk(
        id=call.id,
        name=name,
        module=call.module,
        function=call.function,
        arguments=arguments,
        sls=call.sls,
        order=0,
        document=NoDocument(),
        keys=(),
        saltenv=call.saltenv,
        options=StateOptions(**options),
    )


def _as_tuple(value: list[Any]) -> tuple[Any, ...]:
    """Return the entries of an option; pairs of a name and a value are tuples, too."""
    return tuple(tuple(one) if is_list(one) else one for one in value)


def _answer(returned: Return, masker: Masker) -> ResourceReturn:
    shown = (returned.changes, returned.comment, returned.new_state, returned.old_state)
    texts = [leaf for one in shown for _, leaf in leaf_places(one) if isinstance(leaf, str)]
    return ResourceReturn(
        result=returned.result,
        changes=returned.changes,
        comment=returned.comment,
        new_state=returned.new_state,
        old_state=returned.old_state,
        sensitive=returned.sensitive,
        warnings=returned.warnings,
        preview=returned.preview,
        skipped=returned.skipped,
        secrets=tuple(sorted({secret for text in texts for secret in masker.secrets_in(text)})),
    )


def _ignored(_: RunEvent) -> None:
    """The run that asked for the call records what happens."""


async def _begun(_: NodeStarted) -> None:
    """The run that asked for the call has recorded its beginning."""
