"""Calling the function of one node, with its conditions, arguments, `mod_watch`, `check_cmd` and retries.

Two ways lead through here. `call_inline` is the short one, for functions that do not wait and
states without conditions: no task, no suspension. `call` does everything. Requisites have been
looked at before; growth comes afterwards; neither is known here.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.contracts.callables import is_awaitable
from ensue.engine.calls import Callee, CallTable, Manner
from ensue.engine.conditions import check_afterwards, has_conditions, look_at_conditions
from ensue.engine.node import Role
from ensue.engine.node_arguments import NodeArguments
from ensue.engine.requisites import Verdict
from ensue.engine.retry import attempt_comment, seconds_until_next, would_retry_comment
from ensue.engine.returns import exception_return, failure, state_return
from ensue.engine.services import CallSite
from ensue.errors import NotOfferedError, RemoteError, UnknownResourceError
from ensue.model.chunk import NO_OPTIONS
from ensue.model.fan_out import FannedChunk
from ensue.model.requisite import RequisiteKind
from ensue.model.resource import with_sources
from ensue.model.returns import SkippedReturn, StateReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.contracts.context import StateContext
    from ensue.engine.growth import AskedGrowth
    from ensue.engine.node import Node
    from ensue.engine.services import EngineServices
    from ensue.model.data import DataMap
    from ensue.model.returns import Return, ScopeReturn
    from ensue.model.srn import Srn


_STATE: Final = Role.STATE
_LISTENER: Final = Role.LISTENER
_INLINE: Final = Manner.INLINE
_CALL_AND_WATCH: Final = Verdict.CALL_AND_WATCH


class Reply(msgspec.Struct, frozen=True):
    """What one attempt came to.

    Args:
        said: the return.
        skipped: whether a condition kept the function from being called; then `mod_watch` is not either.
    """

    said: StateReturn
    skipped: bool = False


class Started(msgspec.Struct, frozen=True):
    """An inline function turned out to need waiting for: the call has begun and goes on in a task."""

    awaitable: Awaitable[Any]


class Executor:
    """Calls functions for one run.

    Args:
        services: functions, contexts, hooks, clock and random are used.
        apply: growth on behalf of a node's function.
        pause: waits so many seconds on behalf of a node, which lends its hold meanwhile; False
            when the run was interrupted and there is to be no further attempt.
    """

    def __init__(
        self,
        services: EngineServices,
        *,
        apply: Callable[[Node, AskedGrowth], Awaitable[ScopeReturn]],
        pause: Callable[[Node, float], Awaitable[bool]],
    ) -> None:
        self._services = services
        self._context_for = services.context_for
        self._calls = CallTable(services.functions)
        self._arguments = NodeArguments(services.hooks.arguments)
        self._apply = apply
        self._pause = pause

    def can_watch(self, node: Node) -> bool:
        """Say whether a node's module has a `mod_watch`; False when its target is not known."""
        try:
            return self._calls.mod_watch(node.target, node.chunk.module) is not None
        except Exception:  # noqa: BLE001 - it is a failed state when it is called
            return False

    def inline_callee(self, node: Node) -> Callee | None:
        """Return the function of a node that can be called without a task; None when it cannot."""
        if not self._is_plain(node):
            return None
        chunk = node.chunk
        try:
            callee = self._calls.state(node.target, chunk.module, chunk.function)
            watch = self._due_watch(node) if node.verdict is _CALL_AND_WATCH else None
        except Exception:  # noqa: BLE001 - the long way makes a failed state of it
            return None
        waits = callee.manner is not _INLINE or (watch and watch.manner is not _INLINE)
        return None if waits else callee

    def _is_plain(self, node: Node) -> bool:
        """Say whether a node is a state without slots and options that are looked at around its call."""
        chunk = node.chunk
        if node.role is not _STATE or chunk.has_slots or chunk.fault or self._has_registered(node):
            return False
        options = chunk.options
        return options is NO_OPTIONS or not (
            options.unless
            or options.onlyif
            or options.creates
            or options.check_cmd
            or options.retry
            or options.timeout_s
            or options.registers
        )

    def _plain_callee(self, node: Node) -> Callee | None:
        """Return the function of a node that is just to be awaited; None when there is more to it."""
        if node.verdict is _CALL_AND_WATCH or not self._is_plain(node):
            return None
        chunk = node.chunk
        callee = self._calls.state(node.target, chunk.module, chunk.function)
        return callee if callee.manner is Manner.AWAITED else None

    def call_inline(self, node: Node, callee: Callee) -> StateReturn | Started:
        """Call a function that does not wait, and its `mod_watch` where that is due.

        Args:
            node: the node.
            callee: what `inline_callee` returned.

        Returns:
            The return, or the beginning of one when the function handed back something to await.
        """
        said = self._call_now(node, callee)
        if node.verdict is _CALL_AND_WATCH and isinstance(said, StateReturn) and not said.changes:
            watch = self._due_watch(node)
            told = self._call_now(node, watch) if watch else said
            return told if isinstance(told, Started) else _with_state_of(said, told)
        return said

    def _due_watch(self, node: Node) -> Callee | None:
        """The module's `mod_watch` when something the node watches changed, or it is a listener."""
        if node.verdict is _CALL_AND_WATCH or node.role is _LISTENER:
            return self._calls.mod_watch(node.target, node.chunk.module)
        return None

    async def call(self, node: Node, started: Started | None = None) -> StateReturn:
        """Call a node's function with everything that belongs to it.

        Args:
            node: the node.
            started: a call that `call_inline` has begun.
        """
        try:
            callee = self._plain_callee(node) if started is None else None
            if callee is None:
                return await self._call(node, started)
            said = self._call_now(node, callee)
            if isinstance(said, StateReturn):
                return said
            return state_return(await said.awaitable, name=node.chunk.name, function=callee.label)
        except Exception as error:  # noqa: BLE001 - finding a function loads a plug-in
            return self._fault(node, error)

    async def _call(self, node: Node, started: Started | None) -> StateReturn:
        chunk = node.chunk
        if chunk.fault:
            return failure(chunk.name, chunk.fault)
        watch = self._due_watch(node)
        if node.role is Role.LISTENER:
            if watch is None:
                return failure(
                    chunk.name, f"State '{chunk.full_function}' was not found in SLS '{chunk.sls}'"
                )
            return (await self._attempts(node, watch)).said
        callee = self._calls.state(node.target, chunk.module, chunk.function)
        reply = await self._attempts(node, callee, started)
        if watch is not None and not reply.said.changes and not reply.skipped:
            told = await self._attempts(node, watch)
            reply = Reply(_with_state_of(reply.said, told.said), told.skipped)
        if reply.skipped:
            return await self._registered_before(node, callee, reply.said)
        said = await self._registered(node, callee, reply.said)
        prune = self._services.hooks.prune
        if prune is None or not self._has_registered(node):
            return said
        return await prune(self._site(node, callee), said)

    async def _registered_before(self, node: Node, callee: Callee, skipped: StateReturn) -> StateReturn:
        """Register what a skipped state made true in an earlier run, and nothing when it never ran."""
        if not node.chunk.options.registers:
            return skipped
        enforced = self._services.hooks.enforced(node.target, node.scope.path, node.chunk.tag)
        if enforced is None:
            return skipped
        made = msgspec.structs.replace(skipped, new_state=enforced.new_state)
        said = await self._registered(node, callee, made)
        return msgspec.structs.replace(said, new_state=skipped.new_state)

    def _has_registered(self, node: Node) -> bool:
        """Say whether an earlier run registered something through a node's state."""
        has_registered = self._services.hooks.has_registered
        return has_registered is not None and has_registered(node.scope.path, node.chunk.tag)

    async def _attempts(self, node: Node, callee: Callee, started: Started | None = None) -> Reply:
        reply = await self._attempt(node, callee, started)
        retry = node.chunk.options.retry
        if retry is None or node.role is Role.CHECK:
            return reply
        if node.is_test:
            return _commented(reply, would_retry_comment(reply.said.comment, retry))
        earlier: list[str] = []
        while reply.said.result is not retry.until and len(earlier) + 1 < retry.attempts:
            if not await self._pause(node, seconds_until_next(retry, self._services.random)):
                break
            earlier.append(attempt_comment(len(earlier) + 1, reply.said))
            reply = await self._attempt(node, callee)
        return _commented(reply, "\n".join([*earlier, reply.said.comment])) if earlier else reply

    async def _attempt(self, node: Node, callee: Callee, started: Started | None = None) -> Reply:
        try:
            return await self._attempt_unguarded(node, callee, started)
        except Exception as error:  # noqa: BLE001 - conditions and functions are plug-ins
            return Reply(self._fault(node, error))

    async def _attempt_unguarded(self, node: Node, callee: Callee, started: Started | None) -> Reply:
        chunk = node.chunk
        context = self._services.context_for(self._site(node, callee))
        reply: Reply | None = None
        if has_conditions(chunk):
            condition = await look_at_conditions(context, chunk)
            if not condition.met:
                reply = Reply(
                    SkippedReturn(name=chunk.name, result=True, comment=condition.comment), skipped=True
                )
        if reply is None:
            reply = Reply(await self._invoke(node, callee, context, started))
        if chunk.options.check_cmd and "check_cmd" not in callee.takes:
            after = await check_afterwards(context, chunk)
            said = msgspec.structs.replace(reply.said, result=after.met, comment=after.comment)
            reply = Reply(said, reply.skipped)
        return reply

    async def _invoke(
        self, node: Node, callee: Callee, context: StateContext, started: Started | None
    ) -> StateReturn:
        timeout_s = node.chunk.options.timeout_s
        if timeout_s is None:
            return await self._invoke_unlimited(node, callee, context, started)
        limit = asyncio.timeout(timeout_s)
        try:
            async with limit:
                return await self._invoke_unlimited(node, callee, context, started)
        except TimeoutError:
            if not limit.expired():
                raise
            return failure(node.chunk.name, f"Timed out after {timeout_s:g} seconds")

    async def _invoke_unlimited(
        self, node: Node, callee: Callee, context: StateContext, started: Started | None
    ) -> StateReturn:
        arguments = await self._arguments.resolved(node, context)
        if isinstance(arguments, StateReturn):
            return arguments
        raw = await (started.awaitable if started else _begin(node, callee, context, arguments))
        return state_return(raw, name=node.chunk.name, function=callee.label)

    def _call_now(self, node: Node, callee: Callee) -> StateReturn | Started:
        chunk = node.chunk
        try:
            context = self._context_for(self._site(node, callee))
            arguments = chunk.arguments if chunk.bindings is None else self._arguments.resolved_now(node)
            if isinstance(arguments, StateReturn):
                return arguments
            name, keywords = _call_arguments(node, callee, arguments)
            raw = callee.function(context, name, **keywords)
        except Exception as error:  # noqa: BLE001 - a plug-in call
            return self._fault(node, error)
        if not isinstance(raw, StateReturn) and is_awaitable(raw):
            callee.manner = Manner.AWAITED
            return Started(raw)
        return state_return(raw, name=chunk.name, function=callee.label)

    async def register_again(self, node: Node, returned: Return) -> None:
        """Register what a state of an earlier run did, out of its return."""
        callee = self._calls.state(node.target, node.chunk.module, node.chunk.function)
        said = StateReturn(name=returned.name, result=True, new_state=returned.new_state)
        await self._registered(node, callee, said)

    async def _registered(self, node: Node, callee: Callee, said: StateReturn) -> StateReturn:
        hook = self._services.hooks.registered
        if hook is None or not node.chunk.options.registers or said.result is not True:
            return said
        return await hook(self._site(node, callee), said)

    def _fault(self, node: Node, error: Exception) -> StateReturn:
        """Make a return of an exception; in a plan a target that the plan will register is no fault."""
        later = (isinstance(error, UnknownResourceError) and self._comes_later(node)) or (
            isinstance(error, RemoteError) and self._is_superseded(node, node.target)
        )
        if later:
            return StateReturn(name=node.chunk.name, result=None, comment=f"known after apply: {error}")
        if isinstance(error, NotOfferedError):
            error = error.needed_by(node.chunk.full_function)
        said = exception_return(error, name=node.chunk.name)
        if isinstance(error, RemoteError) and isinstance(node.chunk, FannedChunk):
            comment = with_sources(said.comment, node.target, node.chunk.sources)
            return msgspec.structs.replace(said, comment=comment)
        return said

    def _comes_later(self, node: Node) -> bool:
        """Say whether, in a plan, a node's target is one that the plan itself will register."""
        if not node.is_test:
            return False
        promises = self._services.hooks.promises
        return any(node.target in promises(chunk) for chunk in node.scope.plan.chunks)

    def _is_superseded(self, node: Node, target: Srn) -> bool:
        """Say whether, in a plan, an earlier state would change what it registers a resource from.

        What is known of the resource then holds no longer once the plan is applied.
        """
        promises, scope = self._services.hooks.promises, node.scope
        while node.is_test:
            for index, chunk in enumerate(scope.plan.chunks):
                said = scope.result_of(index)
                if said is not None and said.result is None and target in promises(chunk):
                    return True
            if scope.caller is None:
                return False
            scope = scope.caller.scope
        return False

    def _site(self, node: Node, callee: Callee) -> CallSite:
        # By place: one is made for every call.
        return CallSite(
            node.chunk,
            node.scope.plan,
            node.target,
            node.is_test,
            partial(self._apply, node),
            partial(self._is_superseded, node),
            _changed_watches(node) if callee.is_mod_watch else (),
            node,
        )


async def _begin(node: Node, callee: Callee, context: StateContext, arguments: DataMap) -> Any:
    name, keywords = _call_arguments(node, callee, arguments)
    if callee.manner is Manner.THREAD:
        return await asyncio.to_thread(callee.function, context, name, **keywords)
    raw = callee.function(context, name, **keywords)
    return await raw if is_awaitable(raw) else raw


def _call_arguments(node: Node, callee: Callee, arguments: DataMap) -> tuple[Any, dict[str, Any]]:
    """Return the name and the keywords that a function is called with."""
    keywords: dict[str, Any] = arguments
    chunk = node.chunk
    name: Any = keywords.get("name", chunk.name)
    if "name" in keywords:
        # A resolver made it of a reference or slot, or it is a list of words.
        keywords = {word: value for word, value in keywords.items() if word != "name"}
    if chunk.options is NO_OPTIONS and not callee.is_mod_watch:
        return name, keywords
    if chunk.options.check_cmd and "check_cmd" in callee.takes:
        keywords = {**keywords, "check_cmd": list(chunk.options.check_cmd)}
    if callee.is_mod_watch:
        declared = node.scope.plan.chunks[node.index].function
        keywords = {**keywords, "sfun": declared}
    return name, keywords


def _changed_watches(node: Node) -> tuple[str, ...]:
    """`module: ID` of everything under `watch` that changed, as Salt's `test.mod_watch` lists it."""
    watched = [
        index
        for requisite in node.chunk.requisites
        if requisite.kind is RequisiteKind.WATCH and not requisite.any
        for index in requisite.chunks
    ]
    returns = [returned for index in watched if (returned := node.scope.result_of(index))]
    return tuple(f"{returned.module}: {returned.id}" for returned in returns if returned.changes)


def _with_state_of(first: StateReturn, watched: StateReturn) -> StateReturn:
    """Return what `mod_watch` said; where it says nothing of the state itself, the function's word holds."""
    if watched.new_state is not None or watched.result is not True:
        return watched
    return msgspec.structs.replace(
        watched, new_state=first.new_state, old_state=first.old_state, sensitive=first.sensitive
    )


def _commented(reply: Reply, comment: str) -> Reply:
    return Reply(msgspec.structs.replace(reply.said, comment=comment), reply.skipped)
