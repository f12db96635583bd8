"""What targets may match once a plan is applied: resources that earlier states of the plan would register.

A plan registers nothing. Whatever depends on the resources that a target matches (the nodes of a fan-out, a
list that a template reads from the mine) is therefore not known while the target may match such a resource.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.engine.services import TargetMatcher


class RegisteringNode(Protocol):
    """A node that registers a resource."""

    returned: Return | None
    """Its return; None while it has none."""


class ComingMembers:
    """The resources that the states of one run register.

    Args:
        matcher: finds what a target matches; None: this run has no targets.
        registrars: for each resource the nodes that register it, or have done so.
    """

    def __init__(
        self, matcher: TargetMatcher | None, registrars: Mapping[Srn, Sequence[RegisteringNode]]
    ) -> None:
        self._matcher = matcher
        self._registrars = registrars

    def of(
        self, target: str, matched: Collection[Srn], unreachable: Collection[Srn] = frozenset()
    ) -> list[Srn]:
        """Return, in a plan, what a target may match that earlier states would register.

        Args:
            target: the target.
            matched: what it matches now.
            unreachable: what of that cannot be reached: it is to be registered again.
        """
        matcher = self._matcher
        if matcher is None:
            return []
        return [
            srn
            for srn, registrars in self._registrars.items()
            if (srn not in matched or srn in unreachable)
            and any(node.returned is not None and node.returned.result is None for node in registrars)
            and matcher.may_match(target, srn)
        ]
