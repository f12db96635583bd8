"""Carries out nodes when they are ready, and knows when everything has ended.

One scheduler runs one plan and everything that grows from it. Nodes of all scopes share one queue;
a scope is data, not a task. `ready_queue` has the tasks, `decision` decides what to do with a node, the
executor calls its function, growth runs what it causes, and leases limit how many functions run at once.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, assert_never

from ensue.core.errors import StoreError
from ensue.engine.adoption import Adoptions
from ensue.engine.answer import DecidedReturn
from ensue.engine.decision import Adopt, Call, decide
from ensue.engine.executor import Executor
from ensue.engine.fan_out import FanOuts
from ensue.engine.growth import Growth
from ensue.engine.leases import Lease, Leases
from ensue.engine.minion_waits import MinionWaits
from ensue.engine.node import Node, Role, Scope
from ensue.engine.own_states import OwnStates
from ensue.engine.places import FAIL_LIMIT, Places
from ensue.engine.plans.joining import PendingNewcomers
from ensue.engine.ready_queue import ReadyQueue
from ensue.engine.recorder import Recorder, Start
from ensue.engine.returns import failure
from ensue.engine.scopes import Scopes
from ensue.engine.status import GROWING, READY, RUNNING, SETTLED, NotRun
from ensue.engine.waits import Waits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.plans.asked_growth import AskedGrowth
    from ensue.engine.plans.joining import Newcomer, Newcomers
    from ensue.engine.services import EngineOptions, EngineServices

_STATE: Final = Role.STATE
_CHECK: Final = Role.CHECK

FAILHARD: Final = "failhard"
INTERRUPTED: Final = "interrupted"

_RUNNING: Final = "Cancelled while it was running; what it had done by then is not known"
_FANNED_OUT: Final = "Cancelled while its target was looked for"
_COMPARED: Final = "Cancelled while what it had read was compared with what is there now"


class Scheduler:
    """One run.

    Args:
        services: everything that is called.
        options: switches.
        done: returns of states that an interrupted run finished, by identity; see `adoption`.
    """

    def __init__(
        self, services: EngineServices, options: EngineOptions, done: Mapping[StateIdentity, Return | None]
    ) -> None:
        self._options = options
        self._clock = services.clock
        self._leases = Leases(options.concurrency)
        self._takes_slot = services.hooks.takes_slot
        self._executor = Executor(services, options, apply=self._apply, pause=self._pause, stop=self.stop)
        self._adoptions = Adoptions(done, services.hooks, self._executor)
        reactions = self._executor.reactions
        self._recorder = Recorder(services, reactions, first_number=self._adoptions.first_free_number)
        self._growth = Growth(services, options, self._recorder, self)
        self._wake = asyncio.Event()
        self._joining = PendingNewcomers(self._open_top, self._leave_out_newcomer, self._wake.set)
        own_states = OwnStates(self._joining.opening, self.make_ready) if options.ordered else None
        self.scopes = Scopes(services.hooks, own_states, self.make_ready, reactions)
        self._fan_outs = FanOuts(services.hooks, self.scopes, self, self._recorder.emit)
        self.places = self._places_of(options)
        carry_out = self.places.around(self._carry_out) if self.places else self._carry_out
        self._queue = ReadyQueue(carry_out, idle=self._wake.set)
        self._sleepers: set[asyncio.Future[None]] = set()
        self._waits = Waits(self.places, self._queue.look_soon)
        self._minion_waits = MinionWaits(services.hooks.other_minions, self._recorder, self._queue.look_soon)
        self.stop_reason = self.would_stop_at = ""

    def _places_of(self, options: EngineOptions) -> Places | None:
        """Return the places of the hosts; None: every host goes on at once."""
        if options.host_limits is None:
            return None
        return Places(
            options.host_limits,
            go_on=lambda node: self._queue.add(node),  # noqa: PLW0108 - the queue is made after this
            has_failed=self.scopes.has_failed,
            exceeded=self._begin_no_more,
        )

    async def run(self, plans: Sequence[Plan], newcomers: Newcomers | None) -> None:
        """Run plans as the top scopes, and those of newcomers, to their end.

        Raises:
            CycleError: a plan's requisites form a cycle; nothing was run.
        """
        for plan in plans:
            self._open_top(plan)
        async with asyncio.TaskGroup() as group:
            try:
                self._queue.begin(group)
                self._joining.begin(group, newcomers)
                await self._loop()
            except BaseException:
                self._queue.is_broken = True
                self.scopes.give_up()
                raise

    def stop(self, reason: str) -> None:
        """Start nothing new; what is running goes on to its end, without further retries if interrupted.

        Args:
            reason: `FAILHARD`, `INTERRUPTED`, or what stops the run from outside of its states, for the user.
        """
        if self.stop_reason in {"", FAILHARD} or reason == INTERRUPTED:
            self.stop_reason = reason
        self._begin_no_more(reason)
        if reason == INTERRUPTED:
            for sleeper in self._sleepers:
                sleeper.cancel()
        self._minion_waits.end()
        self._wake.set()

    def _begin_no_more(self, reason: str = FAIL_LIMIT) -> None:
        self._joining.stop()
        if self.places is not None:
            self.places.close(reason)

    @property
    def was_stopped(self) -> bool:
        """Whether something outside of the states has stopped the run, and nothing interrupted it."""
        return self.stop_reason not in {"", FAILHARD, INTERRUPTED}

    def end_running(self) -> None:
        """Start nothing new, and end what is running."""
        self.stop(INTERRUPTED)
        for scope in self.scopes.still_open():
            for task in scope.tasks:
                task.cancel()

    def open_scope(self, plan: Plan, caller: Node, *, test: bool, quiet: bool) -> Scope:
        """Open a plan as a scope under a node; see `growth.ScopeRunner`."""
        return self.scopes.open(plan, caller=caller, test=test, quiet=quiet)

    def entry_failed(self, node: Node) -> None:
        """Stop the run if failhard says so; a plan goes on, and notes it; see `growth.ScopeRunner`."""
        own = node.chunk.options.failhard
        stops = self._options.failhard if own is None else own
        if stops and not self._options.test:
            self.stop(FAILHARD)
        elif stops and not self.would_stop_at:
            self.would_stop_at = node.chunk.id

    async def end_of(self, scope: Scope) -> None:
        """Return when a scope has ended; see `growth.ScopeRunner`."""
        try:
            await self._waits.wait(scope.finished, scope.caller)
        except asyncio.CancelledError:
            await self._abort(scope)
            raise

    async def _abort(self, scope: Scope) -> None:
        """End what runs in a scope, and start nothing more of it: nothing waits for it any more."""
        scope.aborted = "its scope was ended"
        for task in scope.tasks:
            task.cancel()
        if not self._queue.is_broken:
            await self._waits.wait(scope.finished, scope.caller)

    def _open_top(self, plan: Plan) -> None:
        self.scopes.open(plan, caller=None, test=self._options.test, quiet=False)

    def _leave_out_newcomer(self, newcomer: Newcomer) -> None:
        self.scopes.leave_out_resource(newcomer, self.stop_reason or FAIL_LIMIT)

    async def _loop(self) -> None:
        """Wait until every scope has ended; if nodes wait for each other, let one of them fail."""
        while self._joining.is_going_on or not self.scopes.all_closed:
            if not self._joining.is_going_on and self._queue.is_idle:
                if not (at_work := self._queue.in_hand - self._waits.count):
                    self.scopes.break_deadlock()
                elif at_work == self._minion_waits.count:
                    self._minion_waits.stall()
            await self._wake.wait()
            self._wake.clear()

    def make_ready(self, node: Node) -> None:
        """Let a node be carried out; see `fan_out.NodeRunner`."""
        node.status = READY
        if self.places is None:
            self._queue.add(node)
        else:
            self.places.add(node)

    async def _carry_out(self, node: Node) -> None:
        """Continue with a node that is ready, or that was granted its lease."""
        returned: Return | None = None
        if (node.scope.aborted or self.stop_reason) and not self._is_still_due(node):
            self._leave_out(node)
        elif node.lease is not None:
            returned = await self._call(node)
        elif node.refused or not self.scopes.waits_elsewhere(node):
            returned = await self._decide(node)
        if returned is None:
            return
        counts = not node.scope.quiet and (node.role is not _CHECK or not returned.ran)
        if returned.result is False and counts:
            self.entry_failed(node)
        if node.chunk.options.delayed_render and node.role is _STATE and not node.scope.quiet:
            await self._grow(node, returned)
        self.settle(node, returned)

    def _is_still_due(self, node: Node) -> bool:
        """Return whether a node runs although the run stops: listeners, complaints, and answers of checks."""
        if node.role is _STATE:
            check = node.scope.check_result_of(node.index)
            return check is not None and not check.ran
        closing = node.role is Role.LISTENER or node.role is Role.COMPLAINT
        return closing and self.stop_reason == FAILHARD and not node.scope.aborted

    async def _decide(self, node: Node) -> Return | None:
        """Call a node's function or answer without a call; None: it continues later, or has ended."""
        if node.chunk.options.minion_state is not None:
            await self._wait_for_minion(node)
            return None
        fans_out = node.chunk.options.fan_out is not None and node.instead is None and not node.refused
        if fans_out and await self._fan_out(node):
            return None
        before = self._adoptions.find(node)
        if before is not None and self._adoptions.must_compare(node, before):
            if await self._compare(node, before):
                self.make_ready(node)
                return None
            before = None
        decision = decide(node, before, self.scopes.reactions)
        if node.instead is not None and isinstance(decision, Call):
            decision = node.instead
        match decision:
            case Call():
                node.verdict = decision.verdict
                node.callee = self._executor.lone_callee(node)
                return await self._call(node) if self._has_lease(node) else None
            case DecidedReturn(function_return, ran):
                # A check without a call stands for the state; what a check that ran returned is not reported.
                reported = not node.scope.quiet and (node.role is not _CHECK or not ran)
                start = self._recorder.start(node, reported=reported)
                self._executor.leave_pending(node, function_return)
                return self._recorder.finish(node, start, function_return, ran=ran)
            case Adopt(returned, earlier):
                if earlier:
                    self._recorder.adopt(returned)
                return returned
            case _ as never:
                assert_never(never)

    async def _wait_for_minion(self, node: Node) -> None:
        """Settle a node with the return of another minion's state, unless the run stops before."""
        returned: Return | None = None
        try:
            returned = await self._minion_waits.returned(node)
        except asyncio.CancelledError:
            if self._queue.is_broken:
                raise
        if returned is None:
            self._leave_out(node)
        else:
            self.settle(node, returned)

    def _has_lease(self, node: Node) -> bool:
        """Return whether a node may be called now; if not, it continues when it is granted its lease."""
        alone = node.target if self._options.ordered and not node.chunk.options.parallel else None
        may_wait = node.callee is None or node.callee.may_wait
        if not may_wait and (alone is None or self._leases.is_free(alone)):
            return True  # It ends before anything else can start.
        node.lease = Lease(self._leases, alone, needs_slot=may_wait and self._takes_slot(node.target))
        # The node that waited longest goes first, so that states start in plan order.
        return node.lease.request(lambda: self._queue.add_first(node))

    async def _fan_out(self, node: Node) -> bool:
        """Return whether other nodes replace a node; if not, `node.instead` is its answer."""
        try:
            return await self._fan_outs.fan_out(node)
        except asyncio.CancelledError:
            self._note_cut(node, _FANNED_OUT)
            return False

    async def _compare(self, node: Node, before: Return) -> bool:
        """Return whether the readings of a node were compared; if not, `node.instead` is its answer."""
        try:
            await self._adoptions.compare(node, before)
        except asyncio.CancelledError:
            self._note_cut(node, _COMPARED)
            return False
        return True

    def _note_cut(self, node: Node, comment: str) -> None:
        """Handle the cancellation of a node before its call.

        Raises:
            CancelledError: the run ends by an exception.
        """
        if self._queue.is_broken:
            raise asyncio.CancelledError
        node.instead = DecidedReturn(failure(node.chunk.name, comment), ran=True)

    async def _call(self, node: Node) -> Return | None:
        """Call a node's function; None: the call was cancelled, and the node has ended."""
        node.status = RUNNING
        start = self._recorder.start(node, reported=node.role is not _CHECK and not node.scope.quiet)
        if not await self._announce(node, start):
            self._leave_out(node)
            return None
        try:
            function_return = await self._executor.call(node)
        except asyncio.CancelledError:
            if self._queue.is_broken:
                raise
            self._give_back(node)
            self.settle(node, self._recorder.finish(node, start, failure(node.chunk.name, _RUNNING)))
            return None
        self._give_back(node)
        return self._recorder.finish(node, start, function_return)

    async def _announce(self, node: Node, start: Start) -> bool:
        """Record that a call is about to be made; return whether it may be made."""
        try:
            await self._recorder.announce(node, start)
        except StoreError as error:
            # What is not recorded does not start.
            self.stop(str(error))
            return False
        except asyncio.CancelledError:
            if self._queue.is_broken:
                raise
            return False
        return True

    def _give_back(self, node: Node) -> None:
        if node.lease is not None:
            node.lease.give_back()
            node.lease = None

    async def _grow(self, node: Node, returned: Return) -> None:
        node.status, node.growing = GROWING, returned
        try:
            await self._growth.delayed(node, returned)
            self._executor.leave_renderings(node, returned)
        except asyncio.CancelledError:
            if self._queue.is_broken:
                raise
            self._growth.leave_out_rest(node, returned)

    def settle(self, node: Node, returned: Return) -> None:
        """Record that a node has ended; see `fan_out.NodeRunner`."""
        node.status = SETTLED
        node.end(returned)
        self.scopes.node_is_over(node)

    def _leave_out(self, node: Node) -> None:
        self._give_back(node)
        node.status = NotRun(self.stop_reason or node.scope.aborted)
        node.end(None)
        self.scopes.node_is_over(node)

    async def _apply(self, node: Node, asked: AskedGrowth) -> ScopeReturn:
        """Run growth that a function waits for; the node lends its lease meanwhile."""
        if node.lease is not None:
            node.lease.lend()
        quiet = node.scope.quiet or node.role is Role.CHECK
        scope_return = await self._growth.apply(node, asked, test=node.is_test, quiet=quiet)
        if node.lease is not None:
            await node.lease.take_again(self._waits.wait)
        return scope_return

    async def _pause(self, node: Node, seconds: float) -> bool:
        if self.stop_reason == INTERRUPTED:
            return False
        if node.lease is not None:
            node.lease.lend()
        sleeper = asyncio.ensure_future(self._clock.sleep(seconds))
        self._sleepers.add(sleeper)
        try:
            await asyncio.wait({sleeper})
        finally:
            self._sleepers.discard(sleeper)
            sleeper.cancel()
        if node.lease is not None:
            await node.lease.take_again(self._waits.wait)
        if self.stop_reason == INTERRUPTED:
            return False
        self.scopes.set_aside(self._growth.set_aside(node))
        return True
