"""The one place where the engine calls a state's function, with its context, arguments and time limit.

What surrounds a call (conditions, retries, `mod_watch`, `check_cmd`) is in the executor.
"""

from __future__ import annotations

import asyncio
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.argument_types import NOT_CHECKED
from ensue.core.model.chunk import NO_OPTIONS
from ensue.core.model.requisite import RequisiteKind
from ensue.core.model.returns import StateReturn, UnknownReturn
from ensue.core.model.unknown import unknowns_in
from ensue.engine.declared_below import declared_below
from ensue.engine.node import Role
from ensue.engine.pending import pending_states
from ensue.engine.returns import failure, state_return
from ensue.engine.services import CallSite

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ensue.core.contracts.argument_types import ArgumentProblem
    from ensue.core.contracts.context import StateContext
    from ensue.core.contracts.other_resources import CallsElsewhere
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import ScopeReturn
    from ensue.core.model.srn import Srn
    from ensue.engine.callees import Callee
    from ensue.engine.node import Node
    from ensue.engine.plans.asked_growth import AskedGrowth
    from ensue.engine.services import EngineServices


class FunctionCalls:
    """Calls the functions of one run.

    Args:
        services: contexts and the hook that resolves arguments are used.
        apply: growth on behalf of a node's function.
        is_superseded: returns whether, in a plan, an earlier state is about to register a resource again.
    """

    def __init__(
        self,
        services: EngineServices,
        *,
        apply: Callable[[Node, AskedGrowth], Awaitable[ScopeReturn]],
        is_superseded: Callable[[Node, Srn], bool],
    ) -> None:
        self._context_for = services.context_for
        self._resolver = services.hooks.arguments
        self._masker = services.masker
        self._apply = apply
        self._is_superseded = is_superseded

    def site(self, node: Node, callee: Callee) -> CallSite:
        """Return what a context is made from."""
        # Arguments by position: this is made for every call.
        return CallSite(
            node.chunk,
            node.scope.plan,
            node.target,
            node.is_test,
            partial(self._apply, node),
            partial(self._is_superseded, node),
            _changed_watches(node) if callee.is_mod_watch else (),
            node,
            not callee.touches_nothing,
            partial(pending_states, node),
            node.scope.test and node.role is not Role.CHECK,
            partial(declared_below, node),
        )

    def context(self, node: Node, callee: Callee) -> StateContext:
        """Return the context of one call."""
        return self._context_for(self.site(node, callee))

    def call(self, node: Node, callee: Callee, context: StateContext) -> Awaitable[StateReturn]:
        """Return a call of a function, which ends after its `timeout`; it raises what the function raises."""
        return _within_timeout(node, self._call(node, callee, context))

    async def _call(self, node: Node, callee: Callee, context: StateContext) -> StateReturn:
        arguments = node.chunk.arguments
        if node.chunk.bindings is not None or node.chunk.has_slots:
            resolved = await self._resolved(node, context)
            if isinstance(resolved, StateReturn):
                return resolved
            arguments = resolved
        name, keywords = _call_arguments(node, callee, arguments)
        if keywords and callee.types is not NOT_CHECKED:
            if problems := [*callee.types.problems(keywords)]:
                return failure(node.chunk.name, _refusal(node, problems))
            keywords = callee.types.converted(keywords)
        if callee.is_blocking:
            raw = await asyncio.to_thread(callee.function, context, name, **keywords)
        else:
            raw = callee.function(context, name, **keywords)
            # Most functions return a StateReturn, which cannot be awaited.
            if raw.__class__ is not StateReturn and inspect.isawaitable(raw):
                raw = await raw
        return state_return(raw, name=node.chunk.name, function=callee.label)

    def call_elsewhere(
        self, node: Node, callee: Callee, context: StateContext, elsewhere: CallsElsewhere
    ) -> Awaitable[StateReturn]:
        """Return a call of a function, with its state's conditions, by the minion that manages the target.

        It raises a `RemoteError` if that minion does not answer.
        """
        return _within_timeout(node, self._call_elsewhere(node, callee, context, elsewhere))

    async def _call_elsewhere(
        self, node: Node, callee: Callee, context: StateContext, elsewhere: CallsElsewhere
    ) -> StateReturn:
        from ensue.engine.calls_elsewhere import check_call_elsewhere, resource_call, returned_elsewhere

        check_call_elsewhere(node)
        arguments = await self._arguments(node, context)
        if isinstance(arguments, StateReturn):
            return arguments
        name, keywords = _call_arguments(node, callee, arguments)
        call = resource_call(node, callee, name, keywords, context=context, masker=self._masker)
        return returned_elsewhere(node.chunk.name, await elsewhere.called(call), self._masker)

    async def _arguments(self, node: Node, context: StateContext) -> DataMap | StateReturn:
        """Return the arguments of a call; in a plan the return of a state that cannot be called."""
        if node.chunk.bindings is None and not node.chunk.has_slots:
            return node.chunk.arguments
        return await self._resolved(node, context)

    async def _resolved(self, node: Node, context: StateContext) -> DataMap | StateReturn:
        """Resolve references and slots.

        Returns:
            The arguments; in a plan the return of a state that cannot be called before an apply.

        Raises:
            EnsueError: a value is not available.
        """
        resolver, chunk = self._resolver, node.chunk
        if resolver is None:
            return chunk.arguments
        if chunk.has_slots:
            arguments = await resolver().resolve(chunk, node.scope.result_of, context)
        else:
            arguments = resolver().resolve_now(chunk, node.scope.result_of, node.target, test=node.is_test)
            node.bound = arguments
        unknown = unknowns_in(arguments) if node.is_test else ()
        if not unknown:
            return arguments
        references = ", ".join(dict.fromkeys(each.reference for each in unknown))
        comment = f"waits for {references} (known after apply)"
        return UnknownReturn(name=chunk.name, result=None, comment=comment)


def _within_timeout(node: Node, calling: Awaitable[StateReturn]) -> Awaitable[StateReturn]:
    """Return a call that ends once the `timeout` of its state has passed; without one, the call as it is."""
    timeout_s = node.chunk.options.timeout_s
    return calling if timeout_s is None else _timed(node, calling, timeout_s)


async def _timed(node: Node, calling: Awaitable[StateReturn], timeout_s: float) -> StateReturn:
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            return await calling
    except TimeoutError:
        if not limit.expired():
            raise
        return failure(node.chunk.name, f"Timed out after {timeout_s:g} seconds")


def _call_arguments(node: Node, callee: Callee, arguments: DataMap) -> tuple[Any, dict[str, Any]]:
    """Return the name and the keyword arguments of a call."""
    keywords: dict[str, Any] = arguments
    chunk = node.chunk
    name: Any = keywords.get("name", chunk.name)
    if "name" in keywords:
        # It was resolved from a reference or slot, or it is a list of words.
        keywords = {word: value for word, value in keywords.items() if word != "name"}
    if chunk.options is NO_OPTIONS and not callee.is_mod_watch:
        return name, keywords
    if chunk.options.check_cmd and "check_cmd" in callee.takes:
        keywords = {**keywords, "check_cmd": list(chunk.options.check_cmd)}
    if callee.is_mod_watch:
        declared = node.scope.plan.chunks[node.index].function
        keywords = {**keywords, "sfun": declared}
    return name, keywords


def _refusal(node: Node, problems: Sequence[ArgumentProblem]) -> str:
    """Return the comment of a state whose arguments turn out to be of a wrong type when it runs."""
    chunk = node.chunk
    refused = [
        problem.diagnostic(chunk.id, chunk.full_function, chunk.document.locate((*chunk.keys, problem.name)))
        for problem in problems
    ]
    return "\n".join(f"{each.code}: {each.message}" for each in refused)


def _changed_watches(node: Node) -> tuple[str, ...]:
    """Return `module: ID` of everything under `watch` that changed, as Salt's `test.mod_watch` lists it."""
    watched = [
        index
        for requisite in node.chunk.requisites
        if requisite.kind is RequisiteKind.WATCH and not requisite.any
        for index in requisite.chunks
    ]
    returns = [returned for index in watched if (returned := node.scope.result_of(index))]
    return tuple(f"{returned.module}: {returned.id}" for returned in returns if returned.changes)
