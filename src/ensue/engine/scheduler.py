"""The loop: starts nodes when nothing stands before them any more, and knows when all has ended.

One scheduler runs one plan and everything that grows from it. Nodes of all scopes share one queue;
a scope is data, not a task. What is done with a node is decided in `decision.py`, its function is
called by the executor, what it causes belongs to growth, and who may go on to the claims.
"""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final, TypeVar, assert_never

from ensue.engine.adoption import Adoptions
from ensue.engine.circles import break_circle
from ensue.engine.claims import Claim, Claims, Hold
from ensue.engine.decision import Adopt, Answer, Call, decide
from ensue.engine.executor import Executor, Started
from ensue.engine.fan_out import FanOuts
from ensue.engine.growth import Growth
from ensue.engine.joining import Joining
from ensue.engine.node import Node, Role, Scope
from ensue.engine.node_tasks import NodeCall, NodeTasks
from ensue.engine.recorder import Recorder
from ensue.engine.requisites import Verdict
from ensue.engine.returns import failure
from ensue.engine.scopes import Scopes
from ensue.engine.status import GROWING, READY, RUNNING, SETTLED, NotRun
from ensue.engine.turns import NODES_A_TURN, Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.contracts.growth import Plan
    from ensue.engine.calls import Callee
    from ensue.engine.growth import AskedGrowth
    from ensue.engine.joining import Newcomers
    from ensue.engine.promise import Promise
    from ensue.engine.recorder import Start
    from ensue.engine.services import EngineOptions, EngineServices
    from ensue.model.returns import Return, ScopeReturn

T = TypeVar("T")

_STATE: Final = Role.STATE
_CHECK: Final = Role.CHECK
_CALL_AND_WATCH: Final = Verdict.CALL_AND_WATCH

FAILHARD: Final = "failhard"
INTERRUPTED: Final = "interrupted"

_FANNED_OUT: Final = "Cancelled while its target was looked for"
_COMPARED: Final = "Cancelled while what it had read was compared with what is there now"


class Scheduler:
    """One run.

    Args:
        services: everything that is called.
        options: switches.
        done: what is known of states that an interrupted run finished, by (scope, tag); see `adoption`.
    """

    def __init__(
        self, services: EngineServices, options: EngineOptions, done: Mapping[tuple[str, str], Return | None]
    ) -> None:
        self._options = options
        self._clock = services.clock
        self._claims = Claims(options.concurrency)
        self._takes_slot = services.hooks.takes_slot
        self._executor = Executor(services, apply=self._apply, pause=self._pause)
        self._adoptions = Adoptions(done, services.hooks, self._executor)
        self._recorder = Recorder(services, first_number=self._adoptions.first_free_number)
        self._growth = Growth(services, options, self._recorder, self)
        self.scopes = Scopes(services.hooks, ordered=options.ordered, make_ready=self.make_ready)
        self._fan_outs = FanOuts(services.hooks, self.scopes, self, self._recorder.emit)
        self._turns = Turns(self._take)
        self._tasks = NodeTasks(cut=self._cut, ended=self._turns.wake)
        self._joining = Joining(
            self._open_top,
            lambda label: self.scopes.leave_out_resource(label, self.stop_reason),
            self._turns.wake,
        )
        self._may_pass_on = False
        self._passed_on: NodeCall | None = None
        self._sleepers: set[asyncio.Future[None]] = set()
        self._suspended = 0
        self._broken = False
        self._fault: Exception | None = None
        self.stop_reason: str = ""

    async def run(self, plans: Sequence[Plan], newcomers: Newcomers | None) -> None:
        """Run plans as the top scopes, and those of newcomers, to their end.

        Raises:
            CycleError: a plan's requisites go round in circles; nothing was run.
        """
        for plan in plans:
            self._open_top(plan)
        async with asyncio.TaskGroup() as group:
            self._tasks.group = group
            try:
                self._joining.begin(group, newcomers)
                await self._loop()
            except BaseException:
                self._broken = True
                self.scopes.give_up()
                raise

    def stop(self, reason: str) -> None:
        """Start nothing new; what is running goes on to its end, without further retries when interrupted."""
        self.stop_reason = self.stop_reason or reason
        self._joining.stop()
        if reason == INTERRUPTED:
            self.stop_reason = reason
            for sleeper in self._sleepers:
                sleeper.cancel()
        self._turns.wake()

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
        """Stop the run where a failed rendering does that; see `growth.ScopeRunner`."""
        if self._stops_the_run(node):
            self.stop(FAILHARD)

    async def end_of(self, scope: Scope) -> None:
        """Return when a scope has ended; see `growth.ScopeRunner`."""
        try:
            await self._wait(scope.finished)
        except asyncio.CancelledError:
            await self._abort(scope)
            raise

    async def _abort(self, scope: Scope) -> None:
        """Who waited for a scope was ended: end what runs in it, start nothing more of it."""
        scope.aborted = True
        for task in scope.tasks:
            task.cancel()
        if not self._broken:
            await self._wait(scope.finished)

    def _open_top(self, plan: Plan) -> None:
        self.scopes.open(plan, caller=None, test=self._options.test, quiet=False)

    async def _loop(self) -> None:
        turns = self._turns
        while self._joining.is_going_on or not self.scopes.all_closed:
            if self._fault is not None:
                raise self._fault
            if not turns.is_empty:
                turns.take_some()
                if not turns.is_empty:
                    await asyncio.sleep(0)
            elif self._joining.is_going_on or self._tasks.count > self._suspended:
                await turns.sleep()
            else:
                self.make_ready(break_circle(self.scopes.still_open(), self.scopes.can_do_without))

    def make_ready(self, node: Node) -> None:
        """Have a node carried out in its turn; see `fan_out.NodeRunner`."""
        node.status = READY
        self._turns.add(node)

    def _take(self, node: Node) -> None:
        """Go on with a node that nothing stands before any more, or that was granted what it claimed."""
        if (node.scope.aborted or self.stop_reason) and not self._is_still_due(node):
            self._leave_out(node)
        elif node.hold is not None:
            self._start(node)
        elif node.refused or not self.scopes.waits_elsewhere(node):
            self._carry_out(node)

    def _is_still_due(self, node: Node) -> bool:
        """Listeners and complaints come after failhard too; what a check decided is a return in any case."""
        if node.role is _STATE:
            check = node.scope.check_result_of(node.index)
            return check is not None and not check.ran
        closing = node.role is Role.LISTENER or node.role is Role.COMPLAINT
        return closing and self.stop_reason == FAILHARD and not node.scope.aborted

    def _carry_out(self, node: Node, instead: Answer | None = None) -> None:
        """Do what is decided about a node; where that is a call, this answer instead, if there is one."""
        if instead is None and node.chunk.options.fan_out is not None and not node.refused:
            cut = partial(self._cut_early, node, _FANNED_OUT)
            self._tasks.start(node, self._fan_outs.fan_out(node), cut)
            return
        before = self._adoptions.find(node)
        if before is not None and self._adoptions.must_compare(node, before):
            self._tasks.start(node, self._compare(node, before), partial(self._cut_early, node, _COMPARED))
            return
        decision = decide(node, before, self._executor.can_watch)
        if instead is not None and isinstance(decision, Call):
            decision = instead
        match decision:
            case Call():
                node.verdict = decision.verdict
                self._claim(node)
            case Answer(said, ran):
                # What a check's requisites say is the state's own return; what it found is nobody's.
                reported = not node.scope.quiet and (node.role is not _CHECK or not ran)
                start = self._recorder.start(node, reported=reported)
                self._finish(node, self._recorder.finish(node, start, said, ran=ran))
            case Adopt(returned, earlier):
                if earlier:
                    self._recorder.adopt(returned)
                self._finish(node, returned)
            case _ as never:
                assert_never(never)

    def _cut_early(self, node: Node, comment: str) -> Return:
        start = self._recorder.start(node, reported=node.role is not _CHECK and not node.scope.quiet)
        return self._recorder.finish(node, start, failure(node.chunk.name, comment))

    async def _compare(self, node: Node, before: Return) -> None:
        await self._adoptions.compare(node, before)
        self.make_ready(node)

    def answer(self, node: Node, answer: Answer) -> None:
        """Carry a node out without a call; see `fan_out.NodeRunner`."""
        self._carry_out(node, answer)

    def _claim(self, node: Node) -> None:
        alone = node.target if self._options.ordered and not node.chunk.options.parallel else None
        callee = self._executor.inline_callee(node)
        if callee is not None and (alone is None or self._claims.is_free(alone)):
            self._call_inline(node, callee)
            return
        slot = callee is None and self._takes_slot(node.target)
        claim = Claim(target=alone, slot=slot, grant=lambda: self._granted(node, claim))
        self._claims.request(claim)

    def _granted(self, node: Node, claim: Claim) -> None:
        """Whoever waited longest goes first, so that states start in the order in which they stand."""
        node.hold = Hold(self._claims, claim)
        self._turns.add_first(node)

    def _start(self, node: Node) -> None:
        callee = self._executor.inline_callee(node)
        if callee is not None:
            self._call_inline(node, callee)
        else:
            start = self._begin(node)
            self._recorder.announce(node, start)
            self._call_in_task(node, start, None)

    def _begin(self, node: Node) -> Start:
        node.status = RUNNING
        return self._recorder.start(node, reported=node.role is not _CHECK and not node.scope.quiet)

    def _call_inline(self, node: Node, callee: Callee) -> None:
        start = self._begin(node)
        if not callee.touches_nothing or node.verdict is _CALL_AND_WATCH:
            self._recorder.announce(node, start)
        said = self._executor.call_inline(node, callee)
        if isinstance(said, Started):
            self._call_in_task(node, start, said)
            return
        if node.hold is not None:
            self._give_back(node)
        self._finish(node, self._recorder.finish(node, start, said))

    def _call_in_task(self, node: Node, start: Start, started: Started | None) -> None:
        call = NodeCall(node, start, started)
        if self._may_pass_on and self._tasks.may_pass_on():
            self._may_pass_on = False
            self._passed_on = call
            self._tasks.pass_on(node, partial(self._cut_call, node, start))
        else:
            self._tasks.start(node, self._call_all(call), partial(self._cut_call, node, start))

    def _cut_call(self, node: Node, start: Start) -> Return:
        comment = "Cancelled while it was running; what it had done by then is not known"
        return self._recorder.finish(node, start, failure(node.chunk.name, comment))

    async def _call_all(self, call: NodeCall | None) -> None:
        """Call the function of a node, then of the one that this made ready, and so on."""
        for turn in count(1):
            if call is None:
                return
            said = await self._executor.call(call.node, call.started)
            self._turns.attend()
            self._give_back(call.node)
            self._finish(call.node, self._recorder.finish(call.node, call.start, said))
            call = self._go_on()
            if call is not None and turn % NODES_A_TURN == 0:
                await asyncio.sleep(0)  # None of them may have waited for anything.

    def _go_on(self) -> NodeCall | None:
        """Go on with what a call's end made ready; return what the task that made it is to call next."""
        if self._broken or self._fault is not None:
            return None
        self._may_pass_on = True
        try:
            self._turns.take_some()
        except Exception as error:  # noqa: BLE001 - the run ends by it, not this node
            self._fault = error
        finally:
            self._may_pass_on = False
        self._turns.leave()
        if self._fault is not None:
            self._turns.wake()
        call, self._passed_on = self._passed_on, None
        return call

    def _cut(self, node: Node, returned: Callable[[], Return]) -> None:
        """A node's task was cancelled."""
        if self._broken:
            return
        self._give_back(node)
        try:
            self.settle(node, returned())
        except Exception as error:  # noqa: BLE001 - nobody awaits a callback: the loop raises it
            self._fault = error

    def _give_back(self, node: Node) -> None:
        if node.hold is not None:
            node.hold.give_back()

    def _finish(self, node: Node, returned: Return) -> None:
        """A node has its return: stop the run where that is due, then grow, then settle."""
        if returned.result is False:
            counts = not node.scope.quiet and (node.role is not _CHECK or not returned.ran)
            if counts and self._stops_the_run(node):
                self.stop(FAILHARD)
        if node.chunk.options.delayed_render and node.role is _STATE and not node.scope.quiet:
            node.status = GROWING
            self._tasks.start(node, self._grow(node, returned), partial(self._cut_growth, node, returned))
        else:
            self.settle(node, returned)

    def _stops_the_run(self, node: Node) -> bool:
        own = node.chunk.options.failhard
        return not self._options.test and (self._options.failhard if own is None else own)

    async def _grow(self, node: Node, returned: Return) -> None:
        await self._growth.delayed(node, returned)
        self.settle(node, returned)

    def _cut_growth(self, node: Node, returned: Return) -> Return:
        self._growth.leave_out_rest(node, returned)
        return returned

    def settle(self, node: Node, returned: Return) -> None:
        """Note that a node is over; see `fan_out.NodeRunner`."""
        node.status = SETTLED
        node.end(returned)
        self.scopes.node_is_over(node)

    def _leave_out(self, node: Node) -> None:
        self._give_back(node)
        node.status = NotRun(self.stop_reason or "its scope was ended")
        node.end(None)
        self.scopes.node_is_over(node)

    async def _apply(self, node: Node, asked: AskedGrowth) -> ScopeReturn:
        """Growth while a function waits for it; the node lends its hold meanwhile."""
        if node.hold is not None:
            node.hold.lend()
        quiet = node.scope.quiet or node.role is Role.CHECK
        came = await self._growth.apply(node, asked, test=node.is_test, quiet=quiet)
        if node.hold is not None:
            await node.hold.take_again(self._wait)
        return came

    async def _pause(self, node: Node, seconds: float) -> bool:
        if self.stop_reason == INTERRUPTED:
            return False
        if node.hold is not None:
            node.hold.lend()
        sleeper = asyncio.ensure_future(self._clock.sleep(seconds))
        self._sleepers.add(sleeper)
        try:
            await asyncio.wait({sleeper})
        finally:
            self._sleepers.discard(sleeper)
            sleeper.cancel()
        if node.hold is not None:
            await node.hold.take_again(self._wait)
        return self.stop_reason != INTERRUPTED

    async def _wait(self, promise: Promise[T]) -> T:
        """Wait for another part of this run; a run in which everybody does that cannot go on."""
        if promise.done:
            return promise.value
        self._suspended += 1
        counted = [True]

        def resumed() -> None:
            if counted:
                counted.clear()
                self._suspended -= 1

        promise.on_resolve(resumed)
        try:
            return await promise.wait()
        finally:
            resumed()
