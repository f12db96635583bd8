"""What targets may match once a plan is applied: resources that states of the plan would register before.

A plan registers nothing. Whatever depends on the resources that a target matches (the nodes of a fan-out, a
list that a template reads from the mine) is therefore not known while the target may match such a resource.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.engine.services import TargetMatcher


class RunNode(Protocol):
    """A node of the run; of its attributes only what is needed here."""

    index: int
    is_over: bool
    returned: Return | None

    @property
    def scope(self) -> RunScope:
        """The scope that it is in."""
        ...


class RunScope(Protocol):
    """A scope of the run."""

    @property
    def caller(self) -> RunNode | None:
        """The node that caused it; None at the top."""
        ...


class ComingMembers:
    """The resources that the states of one run register.

    Args:
        matcher: finds what a target matches; None: this run has no targets.
        registrars: for each resource the nodes that register it, or have done so.
    """

    def __init__(self, matcher: TargetMatcher | None, registrars: Mapping[Srn, Sequence[RunNode]]) -> None:
        self._matcher = matcher
        self._registrars = registrars

    def of(
        self,
        node: RunNode,
        target: str,
        matched: Collection[Srn],
        unreachable: Collection[Srn] = frozenset(),
    ) -> list[Srn]:
        """Return, in a plan, what a target may match that states would register before a node.

        Args:
            node: the node that the target is matched for.
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
            and any(_may_register_before(registrar, node) for registrar in registrars)
            and matcher.may_match(target, srn)
        ]


def _may_register_before(registrar: RunNode, node: RunNode) -> bool:
    """Return whether a state of a plan would register its resources, unless it comes after a node."""
    if registrar.is_over:
        return registrar.returned is not None and registrar.returned.result is None
    return not _comes_after(registrar, node)


def _comes_after(registrar: RunNode, node: RunNode) -> bool:
    """Return whether a node comes after another one in the innermost scope that has both.

    Nothing orders the states of several hosts, each of which has a scope of its own.
    """
    places = {below.scope: below.index for below in _with_callers(node)}
    above = (each for each in _with_callers(registrar) if each.scope in places)
    common = next(above, None)
    return common is not None and common.index >= places[common.scope]


def _with_callers(node: RunNode) -> Iterator[RunNode]:
    """Yield a node and the callers of the scopes that it is in, innermost first."""
    yield node
    while (caller := node.scope.caller) is not None:
        yield caller
        node = caller
