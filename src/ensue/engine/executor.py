"""Run one node: conditions, the call, `mod_watch`, `check_cmd`, retries, and registrations.

Requisites were evaluated before, and growth follows; this module knows neither. The function itself is
called in `function_calls`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.target_questions import questions_of_plan
from ensue.core.errors import RemoteError, UnreachableError
from ensue.core.model.chunk import NO_OPTIONS
from ensue.core.model.returns import SkippedReturn, StateReturn, UnknownReturn
from ensue.engine.call_faults import CallFaults
from ensue.engine.callees import Callees
from ensue.engine.conditions import (
    MET,
    check_afterwards,
    has_conditions,
    look_at_conditions,
    paths_in_conditions,
)
from ensue.engine.decision import unless_watched
from ensue.engine.function_calls import FunctionCalls
from ensue.engine.node import Role
from ensue.engine.pending import PendingStates
from ensue.engine.reactions import Reactions, owed_remark
from ensue.engine.requisites import Verdict
from ensue.engine.returns import failure, known_later

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.chunk import Retry, StateOptions
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.engine.callees import Callee
    from ensue.engine.conditions import ConditionsResult
    from ensue.engine.node import Node
    from ensue.engine.plans.asked_growth import AskedGrowth
    from ensue.engine.services import EngineOptions, EngineServices


_STATE: Final = Role.STATE
_LISTENER: Final = Role.LISTENER
_CHECK: Final = Role.CHECK
_CALL: Final = Verdict.CALL
_CALL_AND_WATCH: Final = Verdict.CALL_AND_WATCH


class AttemptResult(msgspec.Struct, frozen=True, gc=False):
    """The result of one attempt.

    Args:
        function_return: the return.
        skipped: whether a condition prevented the call; then `mod_watch` is not called, either.
    """

    function_return: StateReturn
    skipped: bool = False


class Executor:
    """Carries out the nodes of one run.

    Args:
        services: functions, contexts, hooks, masker and random are used.
        options: `ordered` is used.
        apply: growth on behalf of a node's function.
        pause: waits so many seconds on behalf of a node, which lends its lease meanwhile; False if the
            run was interrupted and there is no further attempt.
        stop: stops the run, with the reason.
    """

    def __init__(
        self,
        services: EngineServices,
        options: EngineOptions,
        *,
        apply: Callable[[Node, AskedGrowth], Awaitable[ScopeReturn]],
        pause: Callable[[Node, float], Awaitable[bool]],
        stop: Callable[[str], None],
    ) -> None:
        self._hooks = services.hooks
        self._pending = PendingStates(ordered=options.ordered)
        self._random = services.random
        self._masker = services.masker
        self._callees = Callees(services.functions)
        self._faults = CallFaults(
            services.hooks.promises,
            stop,
            services.hooks.described,
            services.hooks.reach,
            self._pending,
        )
        self._calls = FunctionCalls(services, apply=apply, is_superseded=self._faults.is_superseded)
        self._pause = pause
        self.reactions = Reactions(services.hooks.owed, self.can_watch)

    def can_watch(self, node: Node) -> bool:
        """Return whether a node's module has a `mod_watch`; False if its target is unknown."""
        try:
            return self._callees.mod_watch(node.target, node.chunk.module) is not None
        except Exception:  # noqa: BLE001 - it is a failed state when it is called
            return False

    def lone_callee(self, node: Node) -> Callee | None:
        """Return the function of a node that calls nothing else; None if it calls more, or nothing."""
        chunk = node.chunk
        if node.role is not _STATE or node.verdict is not _CALL or chunk.has_slots:
            return None
        is_alone = chunk.options is NO_OPTIONS or not _calls_more(chunk.options)
        return self._callee(node) if is_alone else None

    def _callee(self, node: Node) -> Callee | None:
        """Return the function that a node names; None if there is none."""
        try:
            return self._callees.state(node.target, node.chunk.module, node.chunk.function)
        except Exception:  # noqa: BLE001 - it is a failed state when it is called
            return None

    def call(self, node: Node) -> Awaitable[StateReturn]:
        """Return a call of a node's function with its conditions and retries; it raises no exception."""
        call = self._called
        if node.is_test:
            call = self._planned if node.scope.test else self._foreseen
        return _remarked(call(node), owed_remark(node)) if node.owed_since else call(node)

    async def _planned(self, node: Node) -> StateReturn:
        """Call a function in a plan, and judge its return by what earlier states would change."""
        if node.scope.coming.is_renewed(node, node.target):
            # The host that the state finds now is not the one on which it will run.
            comment = f"{node.target} would be registered again before this state (known after apply)"
            function_return: StateReturn = UnknownReturn(node.chunk.name, result=None, comment=comment)
        else:
            function_return = await self._foreseen(node)
        if node.verdict is Verdict.CALL_AND_MAY_WATCH:
            function_return = unless_watched(node, function_return)
        callee = node.callee or self._callee(node)
        if function_return.result is None and node.role is not _CHECK:
            function_return = self._pending.judged(node, function_return)
        elif function_return.result is False:
            function_return = self._pending.reread(node, function_return)
        if callee is not None:
            function_return = self._pending.foreseen(node, function_return, callee)
        self.leave_pending(node, function_return)
        return function_return

    def leave_pending(self, node: Node, function_return: StateReturn) -> None:
        """Note a state of a plan, called or not, if it is for an apply to carry out."""
        if function_return.result is not None or not node.scope.test or node.role is _CHECK:
            return
        self._pending.add(node, function_return, node.callee or self._callee(node))
        self._faults.would_change(node)

    def leave_renderings(self, node: Node, returned: Return) -> None:
        """Note a state of a plan if a delayed rendering of it is for an apply to carry out."""
        if any(entry.status == "deferred" for entry in returned.delayed):
            self._pending.add_rendering(node)

    async def _foreseen(self, node: Node) -> StateReturn:
        """Call a function in test mode; what it makes of targets may be known after an apply only."""
        with questions_of_plan(partial(node.scope.coming.of, node)) as questions:
            function_return = await self._called(node)
        if not questions.waits_for:
            return function_return
        comment = f"{questions.waits_for} (known after apply)"
        return UnknownReturn(name=node.chunk.name, result=None, comment=comment)

    async def _called(self, node: Node) -> StateReturn:
        try:
            if node.chunk.fault:
                return failure(node.chunk.name, node.chunk.fault)
            if node.role is _LISTENER:
                return await self._call_listener(node)
            return await self._call_state(node)
        except Exception as error:  # noqa: BLE001 - finding a function loads a plug-in
            return await self._faults.as_return(node, error)

    async def _call_listener(self, node: Node) -> StateReturn:
        chunk = node.chunk
        watch = self._callees.mod_watch(node.target, chunk.module)
        if watch is None:
            return failure(chunk.name, f"State '{chunk.full_function}' was not found in SLS '{chunk.sls}'")
        return (await self._attempts(node, watch)).function_return

    async def _call_state(self, node: Node) -> StateReturn:
        chunk = node.chunk
        callee = node.callee or self._callees.state(node.target, chunk.module, chunk.function)
        reply = await self._attempts(node, callee)
        if node.verdict is _CALL_AND_WATCH and not reply.function_return.changes and not reply.skipped:
            watch = self._callees.mod_watch(node.target, chunk.module)
            if watch is not None:
                watch_result = await self._attempts(node, watch)
                reply = AttemptResult(
                    _with_state_of(reply.function_return, watch_result.function_return), watch_result.skipped
                )
        if reply.skipped:
            return await self._registered_before(node, callee, reply.function_return)
        function_return = reply.function_return
        if chunk.options.registers:
            function_return = await self._registered(node, callee, function_return)
        hooks = self._hooks
        if hooks.prune is None or hooks.has_registered is None:
            return function_return
        if not hooks.has_registered(node.scope.path, chunk.tag):
            return function_return
        return await hooks.prune(self._calls.site(node, callee), function_return)

    async def _registered_before(self, node: Node, callee: Callee, skipped: StateReturn) -> StateReturn:
        """Register what a skipped state enforced in an earlier run; nothing if it never ran."""
        if not node.chunk.options.registers:
            return skipped
        enforced = self._hooks.enforced(node.identity)
        if enforced is None:
            return skipped
        made = msgspec.structs.replace(skipped, new_state=enforced.whole)
        function_return = await self._registered(node, callee, made)
        return msgspec.structs.replace(function_return, new_state=skipped.new_state)

    async def register_again(self, node: Node, returned: Return) -> None:
        """Register again what a state of an earlier run registered, from its return."""
        callee = self._callees.state(node.target, node.chunk.module, node.chunk.function)
        function_return = StateReturn(name=returned.name, result=True, new_state=returned.new_state)
        await self._registered(node, callee, function_return)

    async def _registered(self, node: Node, callee: Callee, function_return: StateReturn) -> StateReturn:
        hook = self._hooks.registered
        if hook is None or function_return.result is not True:
            return function_return
        return await hook(self._calls.site(node, callee), function_return)

    def _attempts(self, node: Node, callee: Callee) -> Awaitable[AttemptResult]:
        retry = node.chunk.options.retry
        if retry is None or node.role is _CHECK:
            return self._attempt(node, callee)
        return self._retried(node, callee, retry)

    async def _retried(self, node: Node, callee: Callee, retry: Retry) -> AttemptResult:
        from ensue.engine.retry import attempt_comment, seconds_until_next, would_retry_comment

        reply = await self._attempt(node, callee)
        if node.is_test:
            return _commented(reply, would_retry_comment(reply.function_return.comment, retry))
        earlier: list[str] = []
        while reply.function_return.result is not retry.until and len(earlier) + 1 < retry.attempts:
            if not await self._pause(node, seconds_until_next(retry, self._random)):
                break
            earlier.append(attempt_comment(len(earlier) + 1, reply.function_return))
            self._hooks.reach.all_again()
            reply = await self._attempt(node, callee)
        if not earlier:
            return reply
        node.attempts = len(earlier) + 1
        return _commented(reply, "\n".join([*earlier, reply.function_return.comment]))

    async def _attempt(self, node: Node, callee: Callee) -> AttemptResult:
        with self._hooks.reach.of_state() as given_up:
            reply = await self._tried(node, callee)
        if not given_up or not (reply.function_return.result is False or reply.skipped):
            return reply
        target = str(node.target)
        if target not in given_up:
            return reply
        # A condition that has run out of time on such a host does not hold, but says nothing about the host.
        if self._hooks.reach.reports(target) and not reply.skipped:
            return _commented(reply, f"{reply.function_return.comment}\n{target} has not answered")
        error = UnreachableError(f"not run: {target} has not answered", target=target)
        return AttemptResult(await self._faults.as_return(node, error))

    async def _tried(self, node: Node, callee: Callee) -> AttemptResult:
        chunk = node.chunk
        node.opened = None
        try:
            self._need_reach(node)
            context = self._calls.context(node, callee)
            elsewhere = self._hooks.elsewhere
            if elsewhere is not None and elsewhere.manages(node.target):
                returned = await self._calls.call_elsewhere(node, callee, context, elsewhere)
                return AttemptResult(returned, skipped=isinstance(returned, SkippedReturn))
            if chunk.options is NO_OPTIONS:
                return AttemptResult(await self._calls.call(node, callee, context))
            return await self._attempt_with_conditions(node, callee, context)
        except RemoteError as error:
            return AttemptResult(
                await self._faults.as_return(node, self._hooks.reach.once(str(node.target), error))
            )
        except Exception as error:  # noqa: BLE001 - conditions and functions are plug-ins
            return AttemptResult(await self._faults.as_return(node, error))

    def _need_reach(self, node: Node) -> None:
        """Do not try a host again that cannot be reached, unless the state asks for that with `retry`.

        Raises:
            RemoteError: it cannot be reached.
        """
        reach = self._hooks.reach
        if reach.all_answer or (known := reach.fault(target := str(node.target))) is None:
            return
        if node.chunk.options.retry is None:
            raise known
        reach.again(target)

    async def _attempt_with_conditions(
        self, node: Node, callee: Callee, context: StateContext
    ) -> AttemptResult:
        chunk = node.chunk
        condition = MET
        if has_conditions(chunk):
            condition = await look_at_conditions(context, chunk, self._masker.text)
        makers = self._makers(node, condition) if node.is_test and condition is not MET else ()
        if makers:
            now = "runs" if condition.met else condition.comment
            reply = AttemptResult(known_later(chunk.name, now, makers), skipped=True)
        elif condition.met:
            reply = AttemptResult(await self._calls.call(node, callee, context))
        else:
            skipped = SkippedReturn(name=chunk.name, result=True, comment=condition.comment)
            reply = AttemptResult(skipped, skipped=True)
        if condition.warnings and not makers:
            reply = AttemptResult(_warned(reply.function_return, condition.warnings), reply.skipped)
        if chunk.options.check_cmd and "check_cmd" not in callee.takes:
            after = await check_afterwards(context, chunk)
            function_return = msgspec.structs.replace(
                reply.function_return, result=after.met, comment=after.comment
            )
            reply = AttemptResult(function_return, reply.skipped)
        return reply

    def _makers(self, node: Node, condition: ConditionsResult) -> tuple[str, ...]:
        """Return the states that in a plan come before a node and may change what its conditions find.

        What `onlyif` or `unless` asks for and does not find, a required state may be about to make. Of
        others, only states count that make what a condition names, so that a command that `unless` skips is
        not unknown whenever anything changes.
        """
        paths, options = paths_in_conditions(node.chunk), node.chunk.options
        if condition.met:
            named = {*paths, *options.creates}
            return self._pending.changers_of(node, named, with_required=bool(options.unless))
        if "creates" in condition.not_met:
            return self._pending.removers_of(node, options.creates)
        return self._pending.changers(node, paths, with_required="onlyif" in condition.not_met)


def _calls_more(options: StateOptions) -> bool:
    """Return whether options add commands or hooks to a state's function, or limit its time."""
    added = (options.unless, options.onlyif, options.creates, options.check_cmd, options.registers)
    return any(added) or options.retry is not None or options.timeout_s is not None


def _with_state_of(first: StateReturn, watched: StateReturn) -> StateReturn:
    """Return the return of `mod_watch`, with the `new_state` of the function if it has none."""
    if watched.new_state is not None or watched.result is not True:
        return watched
    return msgspec.structs.replace(
        watched, new_state=first.new_state, old_state=first.old_state, sensitive=first.sensitive
    )


async def _remarked(call: Awaitable[StateReturn], warning: str) -> StateReturn:
    return _warned(await call, (warning,))


def _warned(function_return: StateReturn, warnings: tuple[str, ...]) -> StateReturn:
    return msgspec.structs.replace(function_return, warnings=(*warnings, *function_return.warnings))


def _commented(reply: AttemptResult, comment: str) -> AttemptResult:
    return AttemptResult(msgspec.structs.replace(reply.function_return, comment=comment), reply.skipped)
