"""Choose the return that a reference to a fanned-out state reads: there is one per resource.

Source: Idem's argument binding, `[resource_name]`; the rule for states on the same resource is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.first_names import first_names
from ensue.core.model.property_grammar import quoted
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from ensue.core.model.fan_out import FannedReturn
    from ensue.core.model.reference import Reference
    from ensue.core.model.returns import Return

_MOST_SHOWN = 10


def instance(reference: Reference, returned: FannedReturn, target: Srn) -> Return:
    """Return the return that a reference to a fanned-out state means.

    With a selector, it is that of the chunk on the selected resource; without one, that on the resource that
    the call itself runs against, or the only one.

    Args:
        reference: the reference; its selector is an id, an SRN, or a prefixed name (`web-01 NAME`).
        returned: the return of the fanned-out state.
        target: the target of the call whose arguments are bound.

    Raises:
        StateFailedError: there is none, or there are several.
    """
    parts, selector = tuple(returned.parts.values()), reference.selector
    if selector is None or selector == returned.name:
        own = returned.on(target)
        state_returns = (own,) if own is not None and len(parts) > 1 else parts
    else:
        state_returns = tuple(part for part in parts if selector in _names(part, returned.name))
    if len(state_returns) == 1:
        return state_returns[0]
    there = first_names([repr(_id(part)) for part in parts], _MOST_SHOWN)
    if not state_returns and selector is not None:
        raise StateFailedError(f"{reference.id!r} was not run on {selector!r}, but on {there}")
    example = _example(reference, parts[0]) if parts else reference.id
    msg = f"{reference.id!r} was run on several resources, {there}: name one (`{example}`)"
    raise StateFailedError(msg)


def _example(reference: Reference, part: Return) -> str:
    """Return an example of a selector; one that is already present is one of the state's `names`."""
    id_ = _id(part)
    selector = id_ if reference.selector is None else f"{id_} {reference.selector}"
    return f"{quoted(reference.id)}[{quoted(selector)}]"


def _names(part: Return, name: str) -> tuple[str, ...]:
    id_ = _id(part)
    return (id_, part.target, f"{id_} {name}")


def _id(part: Return) -> str:
    return Srn.parse(part.target).id
