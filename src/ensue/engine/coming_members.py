"""What may be registered once a plan is applied: resources that states of the plan would register before.

A plan registers nothing. Whatever depends on the resources that a target matches (the nodes of a fan-out, a
list that a template reads from the mine, the resource that a function takes) is therefore not known while an
earlier state may register it. What no earlier state can register fails in the plan, as it will in the apply.

Most states say which resources they register. A delayed block that is yet to be rendered, and a function that
may make anything, may register any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ensue.core.model.data import is_list
from ensue.core.model.fan_out import FannedReturn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ensue.core.model.chunk import Chunk
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.engine.services import EngineHooks


class RunNode(Protocol):
    """A node of the run; of its attributes only what is needed here."""

    index: int
    chunk: Chunk
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
        hooks: finds what a target matches, and knows which functions may register any resource.
        registrars: for each resource the nodes that register it, or have done so.
    """

    def __init__(self, hooks: EngineHooks, registrars: Mapping[Srn, Sequence[RunNode]]) -> None:
        self._matcher = hooks.matcher
        self._may_register_any = hooks.may_register_any
        self._registrars = registrars
        self._may_add_any: list[RunNode] = []

    def note(self, node: RunNode) -> None:
        """Note a state of a plan that has ended, if what it leaves to the apply may register any resource."""
        returned = node.returned
        if returned is None or isinstance(returned, FannedReturn):
            return
        is_pending = returned.result is None and self._may_register_any(node.chunk)
        if is_pending or any(scope.status == "deferred" for scope in returned.delayed):
            self._may_add_any.append(node)

    def forget(self) -> None:
        """Release all nodes."""
        self._may_add_any.clear()

    def of(
        self,
        node: RunNode,
        target: str,
        matched: Collection[Srn],
        unreachable: Collection[Srn] = frozenset(),
    ) -> dict[Srn, bool]:
        """Return, in a plan, what a target may match that states would register before a node.

        Args:
            node: the node that the target is matched for.
            target: the target.
            matched: what it matches now.
            unreachable: what of that cannot be reached: it is to be registered again.

        Returns:
            Each with whether an apply orders a state that registers it before the node. Nothing orders the
            SLS of several hosts, so in an apply it may be registered too late.
        """
        matcher = self._matcher
        if matcher is None:
            return {}
        return {
            srn: any(_order(registrar, node) is not None for registrar in registrars)
            for srn, registrars in self._registrars.items()
            if (srn not in matched or srn in unreachable)
            and any(_may_register_before(registrar, node) for registrar in registrars)
            and matcher.may_match(target, srn)
        }

    def is_renewed(self, node: RunNode, srn: Srn) -> bool:
        """Return whether, in a plan, a state before a node would register a resource that is new, or differs.

        Args:
            node: the node.
            srn: the resource.
        """
        return any(
            _registers_anew(registrar, srn) and _may_register_before(registrar, node)
            for registrar in self._registrars.get(srn, ())
        )

    def makers_of(self, node: RunNode, name: str) -> tuple[str, ...]:
        """Return, in a plan, the IDs of the states that may register a resource before a node.

        Args:
            node: the node that needs the resource.
            name: the resource, by id or SRN.

        Returns:
            The IDs, sorted: of the states that say so, else of those that may register any.
        """
        named = {
            registrar.chunk.id
            for srn, registrars in self._registrars.items()
            if name in {srn.id, str(srn)}
            for registrar in registrars
            if _may_register_before(registrar, node)
        }
        return tuple(sorted(named)) or self.makers_of_any(node)

    def makers_of_any(self, node: RunNode) -> tuple[str, ...]:
        """Return, in a plan, the IDs of the states before a node that may register any resource, sorted."""
        return tuple(sorted({each.chunk.id for each in self._may_add_any if _order(each, node) is not None}))


def _may_register_before(registrar: RunNode, node: RunNode) -> bool:
    """Return whether a state of a plan would register its resources, unless it comes after a node."""
    if registrar.is_over:
        return registrar.returned is not None and registrar.returned.result is None
    order = _order(registrar, node)
    return order is None or order < 0


def _registers_anew(registrar: RunNode, srn: Srn) -> bool:
    """Return whether a state of a plan has said that it would register a resource that is new, or differs."""
    returned = registrar.returned
    if returned is None or isinstance(returned, FannedReturn):
        return False
    registered = returned.changes.get("registered")
    known = registered if is_list(registered) else ()
    return str(srn) in (*(returned.foreseen or {}).get("registers", ()), *known)


def _order(registrar: RunNode, node: RunNode) -> int | None:
    """Return the order of two nodes in the innermost scope that has both: negative, if the first comes first.

    None: nothing orders the states of several hosts, each of which has a scope of its own.
    """
    places = {below.scope: below.index for below in _with_callers(node)}
    above = (each for each in _with_callers(registrar) if each.scope in places)
    common = next(above, None)
    return None if common is None else common.index - places[common.scope]


def _with_callers(node: RunNode) -> Iterator[RunNode]:
    """Yield a node and the callers of the scopes that it is in, innermost first."""
    yield node
    while (caller := node.scope.caller) is not None:
        yield caller
        node = caller
