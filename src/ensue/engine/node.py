"""What a run changes: nodes and the scopes they stand in. The plans themselves are never changed."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from ensue.engine.promise import Promise
from ensue.engine.status import WAITING, NodeStatus

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from ensue.contracts.growth import Plan
    from ensue.engine.claims import Hold
    from ensue.engine.requisites import Verdict
    from ensue.graph.transforms.lower import Lowered
    from ensue.model.chunk import Chunk
    from ensue.model.returns import Return, ScopeReturn
    from ensue.model.srn import Srn


class Role(enum.Enum):
    """What a node does with its chunk."""

    STATE = "state"
    """Brings it about."""
    CHECK = "check"
    """Calls it in test mode, for those that have it as `prereq`."""
    LISTENER = "listener"
    """Calls the module's `mod_watch` at the end of the scope, because something it listens to changed."""
    COMPLAINT = "complaint"
    """Says at the end of the scope what is wrong with it; nothing is called."""


class Node:
    """One call of one chunk in one scope.

    Args:
        scope: where it stands.
        index: its chunk's place in the plan.
        chunk: what is called; for a listener a copy with its own ID, for a complaint what it is tagged as.
        role: what is done with it.
        waits_for: how many edges lead to it.
        dependents: nodes of the same scope that wait for it, once an edge.
        refused: why it fails without being called; empty when nothing stands against it.
    """

    __slots__ = (
        "applied",
        "awaited",
        "chunk",
        "dependents",
        "hold",
        "index",
        "refused",
        "role",
        "scope",
        "status",
        "value",
        "verdict",
        "waits_for",
    )

    def __init__(
        self,
        scope: Scope,
        index: int,
        chunk: Chunk,
        role: Role,
        *,
        waits_for: int = 0,
        dependents: tuple[int, ...] = (),
        refused: str = "",
    ) -> None:
        self.scope = scope
        self.index = index
        self.chunk = chunk
        self.role = role
        self.waits_for = waits_for
        self.dependents = dependents
        self.status: NodeStatus = WAITING
        self.value: Promise[Return | None] = Promise()
        self.verdict: Verdict | None = None
        self.hold: Hold | None = None
        self.applied: list[ScopeReturn] | None = None
        self.awaited: tuple[Node, ...] = ()
        self.refused = refused

    @property
    def target(self) -> Srn:
        """The resource it runs against."""
        return self.chunk.target or self.scope.plan.target

    @property
    def is_test(self) -> bool:
        """Whether nothing may be changed: in a plan, and in the check of a `prereq`."""
        return self.scope.test or self.role is Role.CHECK

    @property
    def returned(self) -> Return | None:
        """Its return once it has settled; None before, and for good when it was never run."""
        return self.value.value if self.value.done else None

    @property
    def label(self) -> str:
        """What it is called in messages: `scope: ID (module.function)`."""
        where = f"{self.scope.path}: " if self.scope.path else ""
        return f"{where}{self.chunk.id} ({self.chunk.full_function})"


class Scope:
    """One plan while it runs.

    Args:
        serial: its number in order of opening; 0 is the top.
        plan: the plan.
        lowered: the plan's graph.
        caller: the node that caused it; None at the top.
        test: whether nothing may be changed in it.
        quiet: whether it belongs to a check: nothing of it is reported.
    """

    __slots__ = (
        "aborted",
        "caller",
        "check_of",
        "depth",
        "finished",
        "listeners",
        "nodes",
        "order",
        "plan",
        "prerequired_by",
        "quiet",
        "serial",
        "tasks",
        "test",
        "unsettled",
    )

    def __init__(
        self, serial: int, plan: Plan, lowered: Lowered, *, caller: Node | None, test: bool, quiet: bool
    ) -> None:
        self.serial = serial
        self.plan = plan
        self.caller = caller
        self.test = test
        self.quiet = quiet
        self.depth: int = caller.scope.depth + 1 if caller else 0
        self.order = lowered.order
        self.check_of = lowered.check_of
        self.prerequired_by: Mapping[int, list[int]] = {}
        self.nodes = _nodes(self, lowered)
        self.listeners: list[Node] | None = None
        self.unsettled = len(self.nodes)
        self.finished: Promise[None] = Promise()
        self.tasks: set[asyncio.Task[None]] = set()
        self.aborted = False

    @property
    def path(self) -> str:
        """The scope's path, empty at the top."""
        return self.plan.scope

    def result_of(self, index: int) -> Return | None:
        """Return a chunk's return, None while it has none."""
        return self.nodes[index].returned

    def check_result_of(self, index: int) -> Return | None:
        """Return what a chunk's check returned, None where it has none."""
        check = self.check_of.get(index)
        return None if check is None else self.nodes[check].returned

    def reported_nodes(self) -> list[Node]:
        """Return the nodes that have a return of their own: states, then listeners and complaints."""
        return self.nodes[: len(self.plan.chunks)] + (self.listeners or [])

    def returns(self) -> dict[str, Return]:
        """Return the returns by tag, in order of start."""
        found = [returned for node in self.reported_nodes() if (returned := node.returned)]
        return {returned.tag: returned for returned in sorted(found, key=_run_num)}


def _run_num(returned: Return) -> int:
    return returned.run_num


def _nodes(scope: Scope, lowered: Lowered) -> list[Node]:
    chunks = scope.plan.chunks
    roles = [(index, Role.STATE) for index in range(len(chunks))]
    roles += [(index, Role.CHECK) for index in lowered.check_of]
    return [
        Node(scope, index, chunks[index], role, waits_for=waits_for, dependents=dependents)
        for (index, role), waits_for, dependents in zip(
            roles, lowered.waits_for, lowered.dependents, strict=True
        )
    ]
