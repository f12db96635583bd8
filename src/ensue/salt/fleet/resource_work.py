"""Calls of states on resources of this minion for other minions of a fleet, as plans and as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.growth import Plan
from ensue.core.errors import UnknownResourceError
from ensue.core.model.chunk import Chunk, StateOptions
from ensue.core.model.data import is_list, leaf_places
from ensue.core.model.resource_call import ResourceReturn
from ensue.core.model.source_document import NoDocument
from ensue.core.model.srn import MINION_TYPE, Srn

if TYPE_CHECKING:
    from ensue.core.masking import Masker
    from ensue.core.model.resource_call import ResourceCall
    from ensue.core.model.returns import Return


def plan_of(call: ResourceCall) -> Plan:
    """Return the plan of a call: one state on one derived resource of this minion.

    Raises:
        UnknownResourceError: the call is for no derived resource.
        ValueError: the call is malformed.
    """
    srn = Srn.parse(call.srn)
    if srn.type == MINION_TYPE:
        raise UnknownResourceError(f"{srn} is no derived resource, and no other minion may change it")
    return Plan(chunks=(_chunk(call),), scope="", target=srn)


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
    return tuple(tuple(item) if is_list(item) else item for item in value)


def answer_of(returned: Return, masker: Masker) -> ResourceReturn:
    """Return what another minion gets of the return of a call, with the secrets in it.

    Args:
        returned: the return.
        masker: knows the secrets of this minion.
    """
    shown = (returned.changes, returned.comment, returned.new_state, returned.old_state)
    texts = [leaf for answer in shown for _, leaf in leaf_places(answer) if isinstance(leaf, str)]
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
