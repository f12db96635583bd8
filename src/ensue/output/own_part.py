"""A state's own part in what it returned, apart from that of the states which it applied to another target.

A state such as `ssh_host.state_applied` returns the changes of the states that it applied, by tag, as its own
changes, because requisites (`onchanges`) look at them. A person reads them once, below the states that made
them, and such a state counts as these and not itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return


def own_changes(returned: Return) -> DataMap:
    """Return the changes of a state without those of the states that it applied.

    Args:
        returned: the return of the state; its changes have those of applied states under their tags.
    """
    if not returned.applied or not returned.changes:
        return returned.changes
    nested = {tag for scope in returned.applied for tag in scope.returns}
    return {key: value for key, value in returned.changes.items() if key not in nested}


def is_nested_only(returned: Return) -> bool:
    """Return whether a state did nothing but apply other states, so that only these count.

    A state that failed counts itself, unless one of the states that it applied has failed.
    """
    if not returned.applied:
        return False
    nested = [
        state_return for scope in returned.applied if scope.counts for state_return in scope.returns.values()
    ]
    if not nested or own_changes(returned):
        return False
    return returned.result is not False or any(state_return.result is False for state_return in nested)
