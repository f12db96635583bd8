"""The state of a run: nodes and their scopes. The plans themselves are never changed."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from ensue.core.errors import InternalError
from ensue.core.model.state_identity import StateIdentity
from ensue.engine.promise import Promise
from ensue.engine.status import WAITING, NodeStatus

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.core.model.srn import Srn
    from ensue.engine.answer import DecidedReturn
    from ensue.engine.callees import Callee
    from ensue.engine.coming_members import ComingMembers
    from ensue.engine.graph.transforms.lower import Lowered
    from ensue.engine.leases import Lease
    from ensue.engine.reacting import Reaction
    from ensue.engine.requisites import Verdict


class Role(enum.Enum):
    """What a node does with its chunk."""

    STATE = "state"
    """Calls its function."""
    CHECK = "check"
    """Calls it in test mode, for those that have it as `prereq`."""
    LISTENER = "listener"
    """Calls the module's `mod_watch` at the end of the scope, because something it listens to changed."""
    COMPLAINT = "complaint"
    """Reports an error at the end of the scope; nothing is called."""


_STATE: Final = Role.STATE
_CHECK: Final = Role.CHECK


class Node:
    """One call of one chunk in one scope.

    Args:
        scope: its scope.
        index: its chunk's place in the plan.
        chunk: the chunk; for a listener a copy with a different ID, for a complaint the one that tags it.
        role: what the node does with it.
        waits_for: how many edges lead to it.
        dependents: nodes of the same scope that wait for it, once per edge.
        refused: why it fails without being called; empty: it may be called.

    `target` is its resource; `attempts` counts its attempts, if `retry` has it tried again; `growing` is
    its return while its delayed renderings run; `is_test` whether nothing may be changed: in a plan, and
    in the check of a `prereq`. `returned` is its return once it has ended; None before, and if it never
    ran. `bound` has the arguments of its call with references resolved, `reads` what the call has read in
    addition to its arguments; `instead` is an answer that replaces the call; `callee` is its function if
    nothing else is called, and `lease` what it needs meanwhile; `opened` counts the scopes that its
    present attempt has opened, by kind, name and target; `is_news` marks a node that is called in a
    resumed run because the run before had not finished it, or had called it with other arguments or
    readings; `after` is the scope of its target's own SLS, if it is in another one and comes after that
    (see `own_states`); `owed_since` is the run that owes its reaction (see `reactions`), empty if none
    does.
    """

    __slots__ = (
        "_told",
        "after",
        "applied",
        "attempts",
        "awaited",
        "bound",
        "callee",
        "chunk",
        "dependents",
        "growing",
        "index",
        "instead",
        "is_news",
        "is_over",
        "is_test",
        "lease",
        "opened",
        "owed_since",
        "reads",
        "refused",
        "returned",
        "role",
        "scope",
        "status",
        "target",
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
        self.target: Srn = chunk.target or scope.plan.target
        self.is_test = scope.test or role is _CHECK
        self.status: NodeStatus = WAITING
        self.returned: Return | None = None
        self.growing: Return | None = None
        self.is_over = False
        self.verdict: Verdict | None = None
        self.callee: Callee | None = None
        self.lease: Lease | None = None
        self.opened: dict[tuple[str, str, Srn], int] | None = None
        self.instead: DecidedReturn | None = None
        self.after: Scope | None = None
        self.owed_since = ""
        self.attempts = 0
        self.applied: tuple[ScopeReturn, ...] = ()
        self.awaited: tuple[Node, ...] = ()
        self.refused = refused
        self.bound: DataMap | None = None
        self.reads: list[object] | None = None
        self.is_news = False
        self._told: list[Callable[[], None]] | None = None

    def end(self, returned: Return | None) -> None:
        """Set its return, None if it never runs, and call the functions given to `on_end`.

        Raises:
            InternalError: it has ended already.
        """
        if self.is_over:
            raise InternalError("a node ended twice")
        self.returned = returned
        self.is_over = True
        if self._told is not None:
            for tell in self._told:
                tell()

    def on_end(self, tell: Callable[[], None]) -> None:
        """Call a function when it ends."""
        if self._told is None:
            self._told = []
        self._told.append(tell)

    @property
    def identity(self) -> StateIdentity:
        """The identity of its state."""
        return StateIdentity(str(self.target), self.scope.identity, self.chunk.tag)

    @property
    def label(self) -> str:
        """Its name in messages: `scope: ID (module.function)`."""
        where = f"{self.scope.path}: " if self.scope.path else ""
        return f"{where}{self.chunk.id} ({self.chunk.full_function})"


class Scope:
    """One plan while it runs.

    Args:
        serial: its number in order of opening; 0 is the top.
        plan: the plan.
        lowered: the plan's graph.
        coming: what targets may match once a plan is applied.
        caller: the node that caused it; None at the top.
        test: whether nothing may be changed in it.
        quiet: whether it belongs to a check: nothing of it is reported.

    `path` is the scope's path and `identity` its identity, both empty at the top. `fanned` has the nodes of
    each fan-out by the number of the node that was fanned out. `aborted` is why nothing more of it starts,
    empty while something may; `reactions` has the reactions to changes of each chunk, None until needed;
    `has_begun` is False for the plan of a host that was left out before it began.
    """

    __slots__ = (
        "aborted",
        "caller",
        "check_of",
        "coming",
        "depth",
        "fanned",
        "finished",
        "has_begun",
        "identity",
        "listeners",
        "nodes",
        "order",
        "path",
        "plan",
        "prerequired_by",
        "quiet",
        "reactions",
        "serial",
        "tasks",
        "test",
        "unsettled",
    )

    def __init__(
        self,
        serial: int,
        plan: Plan,
        lowered: Lowered,
        *,
        coming: ComingMembers,
        caller: Node | None,
        test: bool,
        quiet: bool,
    ) -> None:
        self.serial = serial
        self.plan = plan
        self.path = plan.scope
        self.identity = plan.identity
        self.coming = coming
        self.caller = caller
        self.test = test
        self.quiet = quiet
        self.depth: int = caller.scope.depth + 1 if caller else 0
        self.order = lowered.order
        self.check_of = lowered.check_of
        self.prerequired_by: Mapping[int, list[int]] = {}
        self.nodes = _nodes(self, lowered)
        self.listeners: list[Node] | None = None
        self.fanned: dict[int, list[Node]] = {}
        self.reactions: Mapping[int, Sequence[Reaction]] | None = None
        self.unsettled = len(self.nodes)
        self.finished: Promise[None] = Promise()
        self.tasks: set[asyncio.Task[None]] = set()
        self.aborted = ""
        self.has_begun = True

    @property
    def top(self) -> Scope:
        """The outermost scope around it: the plan of its host."""
        scope = self
        while scope.caller is not None:
            scope = scope.caller.scope
        return scope

    def result_of(self, index: int) -> Return | None:
        """Return a chunk's return, None while it has none."""
        return self.nodes[index].returned

    def check_result_of(self, index: int) -> Return | None:
        """Return the return of a chunk's check, None if it has none."""
        check = self.check_of.get(index)
        return None if check is None else self.nodes[check].returned

    def reported_nodes(self) -> list[Node]:
        """Return the nodes whose returns are reported: own states, then listeners and complaints."""
        states = self.nodes[: len(self.plan.chunks)]
        if self.fanned:
            states = [
                reported
                for number, node in enumerate(states)
                for reported in self.fanned.get(number, (node,))
            ]
        own = [node for node in states if node.chunk.options.minion_state is None]
        return own + (self.listeners or [])

    def returns(self) -> dict[str, Return]:
        """Return the returns by tag, in order of start."""
        state_returns = [returned for node in self.reported_nodes() if (returned := node.returned)]
        return {returned.tag: returned for returned in sorted(state_returns, key=_run_num)}


def _run_num(returned: Return) -> int:
    return returned.run_num


def _nodes(scope: Scope, lowered: Lowered) -> list[Node]:
    chunks = scope.plan.chunks
    roles = [(index, _STATE) for index in range(len(chunks))]
    roles += [(index, _CHECK) for index in lowered.check_of]
    return [
        Node(scope, index, chunks[index], role, waits_for=waits_for, dependents=dependents)
        for (index, role), waits_for, dependents in zip(
            roles, lowered.waits_for, lowered.dependents, strict=True
        )
    ]
