"""Which states of a run had a resource for their `tgt` that the run has orphaned: the next run lacks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.fan_out import all_returns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn


class LostTargets:
    """The states with `tgt` of a run, by the resources that they ran on.

    Args:
        returns: the returns of the run.
        fan_outs: the scope and tag of each chunk that a state with `tgt` became, a list per state.
    """

    def __init__(self, returns: Iterable[Return], fan_outs: Sequence[Sequence[tuple[str, str]]]) -> None:
        by_tag = (
            {(state_return.scope, state_return.tag): state_return for state_return in all_returns(returns)}
            if fan_outs
            else {}
        )
        fanned = ([by_tag[place] for place in places if place in by_tag] for places in fan_outs)
        self._states = [{state_return.target: state_return for state_return in parts} for parts in fanned]

    def detail(self, srn: Srn, orphaned: Collection[Srn]) -> str:
        """Return what the next run will lack, as the end of a sentence; empty: no state targets the resource.

        Args:
            srn: the orphaned resource.
            orphaned: everything that the run has orphaned.
        """
        gone = {str(text_) for text_ in orphaned}
        using = [state for state in self._states if str(srn) in state]
        alone = [
            _named(state_returns[str(srn)], srn) for state_returns in using if state_returns.keys() <= gone
        ]
        others = [
            _named(state_returns[str(srn)], srn)
            for state_returns in using
            if not state_returns.keys() <= gone
        ]
        text = ""
        if alone:
            fails = "fails" if len(alone) == 1 else "fail"
            text += f"; still targeted by {', '.join(alone)}, which {fails} in the next apply"
        if others:
            text += (
                f"; also targeted by {', '.join(others)}, which will run without it from the next apply on"
            )
        return text


def _named(returned: Return, srn: Srn) -> str:
    declared = returned.id.removeprefix(f"{srn.id} ")
    return f"{declared} ({returned.module}.{returned.function} in {returned.sls})"
