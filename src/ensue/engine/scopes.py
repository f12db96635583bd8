"""Opens scopes, makes the next nodes ready, and closes scopes.

A scope ends when all its nodes have ended, its listeners have run and its complaints are reported. What the
end of the run needs of it (whether anything failed, what never started) is kept here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.engine.block_waits import awaited_producers
from ensue.engine.coming_members import ComingMembers
from ensue.engine.graph.transforms.lower import LoweringRules, lower
from ensue.engine.graph.transforms.prereq import prerequired
from ensue.engine.handled_failures import handled_failures
from ensue.engine.listeners import closing_nodes
from ensue.engine.node import Node, Role, Scope
from ensue.engine.outcome import NotRunChunk, Overtaken
from ensue.engine.status import NotRun, Ready, Running, has_acted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.core.contracts.growth import Awaited, Event, Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.engine.own_states import OwnStates
    from ensue.engine.plans.joining import Newcomer
    from ensue.engine.reactions import Reactions
    from ensue.engine.services import EngineHooks


class Scopes:
    """All scopes of one run that have not ended, and the results of the others.

    `coming` knows what targets may match once a plan is applied.

    Args:
        hooks: knows which chunks await and register which resources.
        own_states: what states on another host wait for; None: the states of one target have no order.
        make_ready: called for every node that has become ready.
        reactions: the reactions of the run.
    """

    def __init__(
        self,
        hooks: EngineHooks,
        own_states: OwnStates | None,
        make_ready: Callable[[Node], None],
        reactions: Reactions,
    ) -> None:
        self._hooks = hooks
        self.reactions = reactions
        self._rules = LoweringRules(
            ordered=own_states is not None,
            awaits=hooks.awaits,
            promises=hooks.promises,
            may_await=self._may_await,
        )
        self._make_ready = make_ready
        self._open: dict[int, Scope] = {}
        self._by_path: dict[str, Scope] = {}
        self._next_serial = 0
        self._registrars: dict[Srn, list[Node]] = {}
        self.coming = ComingMembers(hooks, self._registrars)
        self._left_out: list[tuple[int, int, NotRunChunk]] = []
        self._own_states = own_states
        self._tops: list[Scope] = []
        self._failed: set[tuple[Scope, str]] = set()

    @property
    def failed(self) -> bool:
        """Whether anything has failed that counts."""
        return bool(self._failed)

    def set_aside(self, paths: Sequence[str]) -> None:
        """Do not count what failed in scopes, or in what grew there: their state is tried again."""
        for path in paths:
            self._failed = {key for key in self._failed if not f"{key[1]}/".startswith(f"{path}/")}

    def has_failed(self, top: Scope) -> bool:
        """Return whether anything has failed that counts, in a scope of a host or in what grew from it."""
        return any(failed is top for failed, _ in self._failed)

    def open(self, plan: Plan, *, caller: Node | None, test: bool, quiet: bool) -> Scope:
        """Open a plan as a scope; its first nodes become ready.

        Raises:
            CycleError: the plan's requisites form a cycle.
        """
        lowered = lower(plan, self._rules)
        scope = Scope(
            self._next_serial, plan, lowered, coming=self.coming, caller=caller, test=test, quiet=quiet
        )
        self._next_serial += 1
        self._open[scope.serial] = self._by_path[scope.path] = scope
        if caller is None:
            self._tops.append(scope)
            if self._own_states is not None:
                self._own_states.note(scope)
        for index, cycle in lowered.self_waiting.items():
            from ensue.engine.deadlock import cycle_text

            node = scope.nodes[index]
            node.refused = cycle_text(node, [scope.nodes[number] for number in cycle])
        if lowered.check_of:
            scope.prerequired_by = _prerequired_by(plan)
        for srn, indices in lowered.registrars.items():
            self._registrars.setdefault(srn, []).extend(scope.nodes[index] for index in indices)
        for number in lowered.order:
            if not lowered.waits_for[number]:
                self._make_ready(scope.nodes[number])
        if not scope.nodes:
            self._next_listener(scope)
        return scope

    @property
    def all_closed(self) -> bool:
        """Whether every scope has ended."""
        return not self._open

    def returns(self) -> dict[str, Return]:
        """Return the returns of the top scopes by tag, in order of start."""
        if len(self._tops) == 1:
            return self._tops[0].returns()
        state_returns = [returned for top in self._tops for returned in top.returns().values()]
        return {
            returned.tag: returned
            for returned in sorted(state_returns, key=lambda state_return: state_return.run_num)
        }

    def overtaken(self) -> tuple[Overtaken, ...]:
        """Return the states that did not wait for what own states of their targets changed later."""
        return () if self._own_states is None else tuple(self._own_states.overtaken())

    def release(self) -> dict[str, Return]:
        """Return what `returns` does, and release all nodes.

        A node and its scope refer to each other, so only the garbage collector would free them.
        """
        returns = self.returns()
        for top in self._tops:
            top.nodes, top.listeners = [], None
        self._tops.clear()
        if self._own_states is not None:
            self._own_states.forget()
        self._registrars.clear()
        self.coming.forget()
        return returns

    def still_open(self) -> list[Scope]:
        """Return the scopes that have not ended, in order of opening."""
        return list(self._open.values())

    def node_is_over(self, node: Node) -> None:
        """Record that a node has settled or will not run; nodes that waited for it may become ready."""
        scope = node.scope
        if isinstance(node.status, NotRun):
            self._note_left_out(node, node.status.reason)
        if scope.test:
            self.coming.note(node)
        else:
            self.reactions.note(node)
        nodes = scope.nodes
        for number in node.dependents:
            dependent = nodes[number]
            dependent.waits_for -= 1
            if not dependent.waits_for:
                self._make_ready(dependent)
        scope.unsettled -= 1
        if not scope.unsettled:
            self._next_listener(scope)

    def waits_elsewhere(self, node: Node) -> bool:
        """Let a node wait for what its plan awaits, what registers its resource, and its target's own SLS.

        Returns:
            Whether it waits; the node becomes ready again when that has ended.
        """
        if node.scope.plan.awaits is not None and self._waits_for_awaited(node, node.scope.plan.awaits):
            return True
        if node.chunk.options.producers:
            self._wait_for(node, dict.fromkeys(awaited_producers(node)))
            return bool(node.awaited)
        return self._waits_for_registrars(node) or (
            self._own_states is not None and self._own_states.wait(node, self._registrars)
        )

    def _waits_for_registrars(self, node: Node) -> bool:
        """Let a node wait for what registers its resource.

        A growing node has registered already; what it causes uses that first, and must not wait for its end.
        """
        if not self._registrars or node.awaited:
            return False
        registrars: Sequence[Node] = ()
        if (needed := self._hooks.awaits(node.chunk) or self._own_resource(node)) is not None:
            registrars = self._registrars.get(needed, ())
        elif node.chunk.options.fan_out is not None:
            registrars = self._at_work(node)
        others = (
            registrar
            for registrar in registrars
            if registrar.scope is not node.scope and not has_acted(registrar.status)
        )
        self._wait_for(node, dict.fromkeys(others))
        return bool(node.awaited)

    def _waits_for_awaited(self, node: Node, awaits: Callable[[Chunk], Iterable[Awaited]]) -> bool:
        """Let a node wait for the states that its plan awaits.

        The plan is asked again when these have ended, because the graph may have grown meanwhile.
        """
        awaited: dict[Node, Event | None] = {}
        for path, index, until in awaits(node.chunk):
            scope = self._by_path.get(path)
            if scope is not None and not (scope.nodes[index].is_over or (until is not None and until.done)):
                awaited[scope.nodes[index]] = until
        self._wait_for(node, awaited)
        return bool(node.awaited)

    def _wait_for(self, node: Node, awaited: Mapping[Node, Event | None]) -> None:
        node.awaited = tuple(awaited)
        node.waits_for = len(node.awaited)
        for key, until in awaited.items():
            less = _once(lambda: self._one_less(node))
            key.on_end(less)
            if until is not None:
                until.on_resolve(less)

    def fan_out(self, node: Node, nodes: list[Node]) -> None:
        """Add the nodes of a fan-out; they register what the fanned-out node would have registered."""
        scope = node.scope
        number = scope.check_of[node.index] if node.role is Role.CHECK else node.index
        scope.fanned[number] = nodes
        scope.unsettled += len(nodes)
        if node.role is Role.STATE:
            for srn in self._hooks.promises(node.chunk):
                self._registrars.setdefault(srn, []).extend(nodes)

    def break_deadlock(self) -> None:
        """Let a node go on when each waits for another."""
        from ensue.engine import deadlock

        scopes = self.still_open()
        if self._own_states is not None and self._own_states.release(deadlock.open_nodes(scopes)):
            return
        self._make_ready(deadlock.break_deadlock(scopes, self._can_do_without))

    def _can_do_without(self, node: Node) -> bool:
        """Return whether a node waits only for what may register, or registers again, its target."""
        may_match = node.chunk.options.fan_out is not None or self._own_resource(node) is not None
        return may_match and self._hooks.awaits(node.chunk) is None

    def _own_resource(self, node: Node) -> Srn | None:
        """Return the resource that a state runs on because the target of the run matches that."""
        scope = node.scope
        return None if scope.caller is not None or node.chunk.options.fan_out else scope.plan.resource

    def _may_await(self, chunk: Chunk, srn: Srn) -> bool:
        fan_out, matcher = chunk.options.fan_out, self._hooks.matcher
        if fan_out is None or matcher is None or self._hooks.awaits(chunk) is not None:
            return False
        return matcher.may_match(fan_out.expression, srn)

    def _at_work(self, node: Node) -> list[Node]:
        """Return the nodes that are about to register what a target may match, except callers of its scopes.

        Nodes that have not begun may wait for the scope that contains the node.
        """
        callers: set[Node] = set()
        scope = node.scope
        while scope.caller is not None:
            callers.add(scope.caller)
            scope = scope.caller.scope
        return [
            registrar
            for srn, registrars in self._registrars.items()
            if self._may_await(node.chunk, srn)
            for registrar in registrars
            if isinstance(registrar.status, Ready | Running) and registrar not in callers
        ]

    def give_up(self) -> None:
        """Wake all that wait for a scope: an exception ends the run."""
        for scope in self.still_open():
            scope.finished.resolve(None)

    def left_out(self) -> tuple[NotRunChunk, ...]:
        """Return what never started: scopes in order of opening, chunks in plan order."""
        return tuple(chunk for _, _, chunk in sorted(self._left_out, key=lambda each: each[:2]))

    def leave_out_resource(self, newcomer: Newcomer, reason: str) -> None:
        """Record a resource whose plan was not ready when the run was stopped.

        Args:
            newcomer: the resource.
            reason: why the run was stopped.
        """
        left_out = NotRunChunk(
            scope="",
            tag="",
            id=newcomer.label,
            function="state.apply",
            reason=reason,
            host=newcomer.host,
            target=newcomer.host,
        )
        self._left_out.append((self._next_serial, 0, left_out))

    def _one_less(self, node: Node) -> None:
        node.waits_for -= 1
        if not node.waits_for:
            self._make_ready(node)

    def _note_left_out(self, node: Node, reason: str) -> None:
        if node.role is Role.CHECK or node.scope.quiet or node.chunk.options.minion_state is not None:
            return
        chunk = node.chunk
        left_out = NotRunChunk(
            scope=node.scope.path,
            tag=chunk.tag,
            id=chunk.id,
            function=chunk.full_function,
            reason=reason,
            host="" if node.scope.has_begun else str(node.scope.plan.target),
            target=str(node.target),
            owed=self.reactions.owes(node),
        )
        self._left_out.append((node.scope.serial, node.index, left_out))

    def _next_listener(self, scope: Scope) -> None:
        """Let the next listener or complaint follow when all nodes of a scope have ended."""
        if scope.listeners is None:
            self.reactions.note_excluded(scope)
            scope.listeners = closing_nodes(scope, self.reactions.is_owed)
        following = next((node for node in scope.listeners if not node.is_over), None)
        if following is None:
            self._close(scope)
        else:
            scope.unsettled = 1
            self._make_ready(following)

    def _close(self, scope: Scope) -> None:
        if not scope.test:
            self.reactions.settle_fan_outs(scope)
        del self._open[scope.serial]
        if self._by_path.get(scope.path) is scope:
            del self._by_path[scope.path]
        if not scope.quiet and _has_failed(scope):
            self._failed.add((scope.top, scope.path))
        scope.finished.resolve(None)


def _once(call: Callable[[], None]) -> Callable[[], None]:
    """Return a function that calls another one only the first time."""
    calls = [call]

    def first() -> None:
        if calls:
            calls.pop()()

    return first


def _prerequired_by(plan: Plan) -> dict[int, list[int]]:
    requirers: dict[int, list[int]] = {}
    for index, chunk in enumerate(plan.chunks):
        for target in prerequired(chunk):
            requirers.setdefault(target, []).append(index)
    return requirers


def _has_failed(scope: Scope) -> bool:
    """Return whether a scope makes the run fail: by a state, or by growth that did not compile."""
    failed = [node for node in scope.reported_nodes() if (back := node.returned) and back.result is False]
    if failed:
        handled = handled_failures(scope.nodes)
        return any(node.role is not Role.STATE or node.index not in handled for node in failed)
    return any(
        entry.status == "failed"
        for node in scope.reported_nodes()
        if node.chunk.options.delayed_render and (back := node.returned)
        for entry in back.delayed
    )
