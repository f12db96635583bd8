"""Fan-out: a chunk with a `tgt` becomes one node per resource when it is about to run.

What the target matches is not known earlier, because resources are registered during the run. The new nodes
are added to those of the plan, with the requisites of the chunk; the chunk's own node ends when all of them
have ended, and represents them for others. The matcher decides which resources match.

Source: Salt Resources, "Targeting"; derived-resources document, "Ordering inside a single apply".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from ensue.core.errors import RemoteError, StateFailedError
from ensue.core.model.events import FannedOut
from ensue.core.model.fan_out import fanned_chunk, fanned_return, parts_of
from ensue.core.model.returns import StateReturn, UnknownReturn
from ensue.core.model.unknown import Unknown
from ensue.engine.answer import DecidedReturn
from ensue.engine.node import Node, Role
from ensue.engine.pending import MOST_NAMED
from ensue.engine.returns import exception_return, failure, known_later, unreachable
from ensue.engine.status import GROWING, RUNNING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.engine.scopes import Scopes
    from ensue.engine.services import EngineHooks, Matched, TargetMatcher


class NodeRunner(Protocol):
    """The part of the scheduler that a fan-out needs."""

    def make_ready(self, node: Node) -> None:
        """Let a node be carried out in its turn."""
        ...

    def settle(self, node: Node, returned: Return) -> None:
        """Record that a node has ended."""
        ...


class FanOuts:
    """All fan-outs of one run.

    Args:
        hooks: the matcher, and what resolves references in a target.
        scopes: receives the new nodes.
        runner: runs them.
        emit: receives an event with the tags of the new nodes.
    """

    def __init__(
        self, hooks: EngineHooks, scopes: Scopes, runner: NodeRunner, emit: Callable[[RunEvent], None]
    ) -> None:
        self._hooks = hooks
        self._emit = emit
        self._scopes = scopes
        self._runner = runner

    async def fan_out(self, node: Node) -> bool:
        """Determine what a node's target matches, and open a node for each resource.

        Returns:
            Whether there are such nodes; if not, `node.instead` is the node's answer.
        """
        node.status = RUNNING
        try:
            matched_ = await self._found(node)
        except Exception as error:  # noqa: BLE001 - grains are gathered by plug-ins
            _answer(node, exception_return(error, name=node.chunk.name))
            return False
        if isinstance(matched_, Unknown):
            comment = f"`tgt` waits for {matched_.reference} (known after apply)"
            _answer(node, UnknownReturn(name=node.chunk.name, result=None, comment=comment))
            return False
        matched, later = matched_
        fan_out = node.chunk.options.fan_out
        if matched.targets or later:
            if fan_out is not None and self._hooks.matched is not None:
                self._hooks.matched(fan_out, node.target, matched.targets)
            self._open(node, matched, later)
            return True
        if node.is_test and (makers := self._scopes.coming.makers_of_any(node)):
            _answer(node, known_later(node.chunk.name, _nothing_yet(node, matched), makers[:MOST_NAMED]))
        elif fan_out is not None and fan_out.optional:
            _leave_alone(node, matched)
        else:
            _answer(node, failure(node.chunk.name, matched.nothing))
        return False

    async def _found(self, node: Node) -> tuple[Matched, Mapping[Srn, str]] | Unknown:
        """Return what a node's target matches, and in a plan what it may match later."""
        expression = self._expression(node)
        if isinstance(expression, Unknown):
            return expression
        matched = await self._matcher.matched(expression)
        return matched, await self._registered_later(node, expression, matched) if node.is_test else {}

    @property
    def _matcher(self) -> TargetMatcher:
        if self._hooks.matcher is None:
            raise StateFailedError("nothing finds targets in this run")
        return self._hooks.matcher

    def _expression(self, node: Node) -> str | Unknown:
        """Return the target with its references resolved.

        Raises:
            EnsueError: a value is not available, or it is not text.
        """
        chunk, resolver = node.chunk, self._hooks.arguments
        fan_out = chunk.options.fan_out
        text = "" if fan_out is None else fan_out.expression
        if resolver is None or chunk.bindings is None or text not in chunk.bindings:
            return text
        asked = msgspec.structs.replace(
            chunk, name="", arguments={"tgt": text}, bindings={text: chunk.bindings[text]}
        )
        expression = resolver().resolve_now(asked, node.scope.result_of, node.target, test=node.is_test)[
            "tgt"
        ]
        if not isinstance(expression, str | Unknown):
            raise StateFailedError(f"`tgt` is bound to {expression!r}; a target is one text")
        return expression

    async def _registered_later(self, node: Node, expression: str, matched: Matched) -> dict[Srn, str]:
        """Return, in a plan, why resources that the target may match are not known yet."""
        return {
            srn: await self._why_later(srn, expression, is_unreachable=srn in matched.unreachable)
            for srn in self._scopes.coming.of(node, expression, matched.targets, matched.unreachable)
        }

    async def _why_later(self, srn: Srn, expression: str, *, is_unreachable: bool) -> str:
        if is_unreachable:
            return f"{srn} cannot be reached, and would be registered again (known after apply)"
        if await self._matcher.is_registered(srn):
            now = "would be registered again; the target {!r} does not match it now, and may do so then"
        else:
            now = "is not registered yet; the target {!r} may match it"
        return f"{srn} {now.format(expression)} (known after apply)"

    def _refusal(self, target: Srn, fault: str) -> str:
        """Return why a state cannot run on a target; only the first state of an unreachable one says why."""
        where = str(target)
        return str(self._hooks.reach.once(where, RemoteError(fault, target=where))) if fault else ""

    def _open(self, node: Node, matched: Matched, later: Mapping[Srn, str]) -> None:
        targets = sorted({*matched.targets, *later})
        nodes = [
            Node(
                node.scope,
                node.index,
                fanned_chunk(node.chunk, target),
                node.role,
                refused=self._refusal(target, "" if target in later else matched.faults.get(target, "")),
            )
            for target in targets
        ]
        self._scopes.fan_out(node, nodes)
        if node.role is Role.STATE and not node.scope.quiet:
            tags = tuple(fanned.chunk.tag for fanned in nodes)
            own = str(node.target)
            self._hooks.fanned_out(node.scope.path, node.chunk, tags)
            self._emit(
                FannedOut(
                    scope=node.scope.path,
                    tag_=node.chunk.tag,
                    target=own,
                    tags=tags,
                    targets=tuple(map(str, targets)),
                    scope_identity=node.scope.identity,
                )
            )
        node.status = GROWING
        open_nodes = len(nodes)

        def one_is_over() -> None:
            nonlocal open_nodes
            open_nodes -= 1
            if not open_nodes:
                self._end(node, nodes)

        for fanned in nodes:
            fanned.on_end(one_is_over)
        for fanned in nodes:
            if fanned.target in matched.unreachable and fanned.target not in later:
                function_return = unreachable(failure(fanned.chunk.name, fanned.refused))
                _answer(fanned, function_return, ran=False)
        for fanned in sorted(nodes, key=lambda fanned: fanned.target not in later):
            if fanned.target in later:
                _answer(
                    fanned, UnknownReturn(name=fanned.chunk.name, result=None, comment=later[fanned.target])
                )
            self._runner.make_ready(fanned)

    def _end(self, node: Node, nodes: list[Node]) -> None:
        returned = fanned_return(
            node.chunk, node.scope.path, str(node.target), [fanned.returned for fanned in nodes]
        )
        self._runner.settle(node, returned)


def _answer(node: Node, function_return: StateReturn, *, ran: bool = True) -> None:
    node.instead = DecidedReturn(function_return, ran=ran or node.role is Role.CHECK)


def _leave_alone(node: Node, matched: Matched) -> None:
    """Answer that there is nothing to do; delayed renderings would belong to chunks that do not exist."""
    _strip_growth(node)
    comment = f"{matched.nothing}; nothing is to be done (tgt_optional)"
    _answer(node, StateReturn(name=node.chunk.name, result=True, comment=comment), ran=False)


def _nothing_yet(node: Node, matched: Matched) -> str:
    others = _foreseen_before(node)[:MOST_NAMED]
    verb = "does" if len(others) == 1 else "do"
    but = f"; {', '.join(others)}, which this run would register, {verb} not match" if others else ""
    return f"{matched.nothing}{but}"


def _foreseen_before(node: Node) -> list[str]:
    """Return what the earlier states of a plan are known to register; the target matches none of it."""
    parts = (part for sibling in node.scope.nodes if sibling.returned for part in parts_of(sibling.returned))
    registered: list[str] = [srn for part in parts for srn in (part.foreseen or {}).get("registers", ())]
    return list(dict.fromkeys(registered))


def _strip_growth(node: Node) -> None:
    options = msgspec.structs.replace(node.chunk.options, delayed_render=())
    node.chunk = msgspec.structs.replace(node.chunk, options=options)
