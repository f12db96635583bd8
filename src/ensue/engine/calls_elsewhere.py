"""Calls of states on resources that other minions manage: the call as data, and its return.

The managing minion evaluates the conditions of the state, too. Retries, registrations and growth stay with
the run that has the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import leaf_places
from ensue.core.model.fan_out import declared_id
from ensue.core.model.resource_call import ResourceCall, ResourceReturn
from ensue.core.model.returns import SkippedReturn, StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.masking import Masker
    from ensue.core.model.data import DataMap
    from ensue.engine.callees import Callee
    from ensue.engine.node import Node

CARRIED_OUT_THERE: Final = ("unless", "onlyif", "creates", "check_cmd", "timeout_s", "runas", "other")
"""The fields of `StateOptions` that the managing minion carries out."""

MOD_WATCH: Final = "mod_watch"


def check_call_elsewhere(node: Node) -> None:
    """Refuse a state of which a part would have to be done here, where the resource is not.

    Args:
        node: the state; another minion manages its target.

    Raises:
        StateFailedError: it has a slot, or calls a delayed block.
    """
    lead = f"E0723: another minion manages {node.target}, so that"
    if node.chunk.options.delayed_render:
        msg = f"{lead} `delayed_render` cannot be rendered for it here"
        advice = (
            "move it to a state of this minion that requires this one, or assign this state to that minion"
        )
        raise StateFailedError(f"{msg} ({advice})")
    if node.chunk.has_slots:
        msg = f"{lead} a slot cannot call a function on it here"
        raise StateFailedError(f"{msg} (use a reference to a state, or assign this state to that minion)")


def resource_call(
    node: Node, callee: Callee, name: Any, keywords: DataMap, *, context: StateContext, masker: Masker
) -> ResourceCall:
    """Return the call of a node's function as data.

    Args:
        node: the node; its target is managed by another minion.
        callee: the function.
        name: the name that it is called with.
        keywords: its other arguments.
        context: what this run knows of the state.
        masker: knows the secrets that may occur in the call.
    """
    chunk, declaration = node.chunk, context.declaration
    options = {name: as_lists(getattr(chunk.options, name)) for name in CARRIED_OUT_THERE}
    enforced = context.enforced.whole if context.enforced is not None else None
    return ResourceCall(
        srn=str(node.target),
        id=declared_id(chunk),
        name=name,
        module=chunk.module,
        function=MOD_WATCH if callee.is_mod_watch else chunk.function,
        arguments=dict(keywords),
        sls=chunk.sls,
        saltenv=chunk.saltenv,
        test=node.is_test,
        options={name: value for name, value in options.items() if value},
        requires=(*declaration.requires, *declaration.declared_below),
        changed_watches=declaration.changed_watches,
        pending=context.pending_states,
        enforced=enforced,
        secrets=_secrets_in(masker, name, keywords, options, enforced),
    )


def returned_elsewhere(name: str, answer: ResourceReturn, masker: Masker) -> StateReturn:
    """Return what another minion reports as a return of this run; its secrets are masked from now on."""
    masker.add(*answer.secrets)
    kind = SkippedReturn if answer.skipped else StateReturn
    return kind(
        name=name,
        result=answer.result,
        changes=answer.changes,
        comment=answer.comment,
        new_state=answer.new_state,
        old_state=answer.old_state,
        sensitive=answer.sensitive,
        warnings=answer.warnings,
        preview=answer.preview,
    )


def as_lists(value: Any) -> Any:
    """Return an option with lists in place of tuples."""
    return [as_lists(item) for item in value] if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType]


def _secrets_in(masker: Masker, *data: Any) -> tuple[str, ...]:
    texts = [leaf for item in data for _, leaf in leaf_places(item) if isinstance(leaf, str)]
    return tuple(sorted({secret for text in texts for secret in masker.secrets_in(text)}))
