"""What templates of delayed renderings see as `prev_ret`: the return of the caller, or of several states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.contracts.enforced import enforced_of_skipped, why_without_value
from ensue.core.model.absent_value import ValuelessReturn
from ensue.core.model.data import copied
from ensue.engine.block_waits import producer_returns

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.model.enforced import EnforcedState, FormerState
    from ensue.core.model.returns import Return
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.node import Node


class PreviousReturn(NamedTuple):
    """What the templates of delayed renderings see as `prev_ret`.

    Args:
        data: the return of the caller, or the returns of several states by their IDs; None if
            nothing is rendered.
        missing: the beginning of a sentence for each skipped state that may lack what a template needs.
    """

    data: dict[str, Any] | None
    missing: str = ""


NOTHING: Final = PreviousReturn(None)
"""What nothing is rendered with."""


class PreviousReturns:
    """The returns that the delayed renderings of one run see.

    Args:
        enforced: returns what the last apply that ran a state enforced.
        former: returns what ran under the ID or the name of a state without a value.
    """

    def __init__(
        self,
        enforced: Callable[[StateIdentity], EnforcedState | None],
        former: Callable[[StateIdentity], FormerState | None],
    ) -> None:
        self._enforced = enforced
        self._former = former

    def of(self, node: Node, returned: Return) -> PreviousReturn:
        """Return what the templates of a node's entries see as `prev_ret`; several returns are by ID."""
        producers = node.chunk.options.producers
        if not producers:
            return self._shown_of(returned)
        shown = {
            id_: self._shown_of(state_return)
            for id_, state_return in producer_returns(node).items()
            if state_return is not None
        }
        if len(producers) == 1:
            return shown[producers[0]]
        data = {id_: previous.data for id_, previous in shown.items()}
        return PreviousReturn(data, "".join(previous.missing for previous in shown.values()))

    def _shown_of(self, returned: Return) -> PreviousReturn:
        enforced = enforced_of_skipped(returned, self._enforced)
        shown = _return_to_show(returned, enforced)
        if returned.skipped and returned.new_state is None and enforced is None:
            why = why_without_value(returned, self._former(returned.identity))
            return PreviousReturn(ValuelessReturn(shown, why, returned.causes), f"{why}; ")
        return PreviousReturn(shown, _cut(returned, enforced))


def _cut(returned: Return, enforced: EnforcedState | None) -> str:
    """Return what a template may have missed in what a skipped state enforced, before a semicolon."""
    if enforced is None or not enforced.cut:
        return ""
    paths = ", ".join(":".join(path) or "all" for path in enforced.cut)
    return f"{returned.id!r} was skipped, and {paths} of its new_state was cut (keep_output_bytes); "


def _return_to_show(returned: Return, enforced: EnforcedState | None) -> dict[str, object]:
    """Return what templates see; for a skipped state, what it last enforced."""
    shown = returned.as_data()
    if enforced is not None:
        shown["new_state"] = enforced.whole
    return shown | {name: copied(shown[name]) for name in ("changes", "new_state", "old_state")}
