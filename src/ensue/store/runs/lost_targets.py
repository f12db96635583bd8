"""What the next run lacks of a resource that a run has orphaned: the target of states, and what is on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.fan_out import every_part
from ensue.core.model.left_things import left_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn


class FannedOutState(msgspec.Struct, frozen=True, kw_only=True):
    """A state with `tgt`.

    Args:
        scope: the path of its scope.
        tags: those of the chunks that it became.
        is_optional: whether its target may match nothing.
    """

    scope: str
    tags: tuple[str, ...]
    is_optional: bool


class _TargetingState(msgspec.Struct, frozen=True):
    returns: dict[str, Return]
    is_optional: bool


class LostTargets:
    """The states with `tgt` of a run, by the resources that they ran on.

    Args:
        returns: the returns of the run.
        fan_outs: what its states with `tgt` became.
        left_on: returns how many things that states made are still on a target.
    """

    def __init__(
        self, returns: Iterable[Return], fan_outs: Sequence[FannedOutState], left_on: Callable[[str], int]
    ) -> None:
        by_tag = (
            {(state_return.scope, state_return.tag): state_return for state_return in every_part(returns)}
            if fan_outs
            else {}
        )
        self._left_on = left_on
        self._states = [
            _TargetingState(
                {
                    state_return.target: state_return
                    for tag in state.tags
                    if (state_return := by_tag.get((state.scope, tag))) is not None
                },
                state.is_optional,
            )
            for state in fan_outs
        ]

    def stays_on(self, srn: Srn) -> str:
        """Return what states made on a resource and stays there, as the end of a sentence; empty: nothing."""
        left = left_words(self._left_on(str(srn)), str(srn))
        return f"; {left}" if left else ""

    def targeting(self, srn: Srn, orphaned: Collection[Srn]) -> str:
        """Return which states target a resource, as the end of a sentence; empty: none does.

        Args:
            srn: the orphaned resource.
            orphaned: everything that the run has orphaned.
        """
        gone = {str(each) for each in orphaned}
        failing: list[str] = []
        others: list[str] = []
        for state in self._states:
            if (state_return := state.returns.get(str(srn))) is not None:
                fails = not state.is_optional and state.returns.keys() <= gone
                (failing if fails else others).append(_named(state_return, srn))
        text = ""
        if failing:
            fail = "fails" if len(failing) == 1 else "fail"
            text += f"; still targeted by {', '.join(failing)}, which {fail} in the next apply"
        if others:
            text += (
                f"; {'also ' if failing else ''}targeted by {', '.join(others)}, which will run without it "
                "from the next apply on"
            )
        return text


def _named(returned: Return, srn: Srn) -> str:
    declared = returned.id.removeprefix(f"{srn.id} ")
    return f"{declared} ({returned.module}.{returned.function} in {returned.sls})"
