"""Recording what happens: numbers, times, returns and events.

Every return of a run is made here, so none lacks its tag, scope, target or number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.call_fingerprint import NO_FINGERPRINT, fingerprint
from ensue.core.model.events import NodeFinished, NodeStarted
from ensue.core.model.returns import (
    PreventedReturn,
    Return,
    SkippedReturn,
    StateReturn,
    UnknownReturn,
    UnreachableReturn,
)
from ensue.core.model.sensitive_paths import values_at
from ensue.engine.handled_failures import handles_failures, mark_handled

if TYPE_CHECKING:
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.engine.node import Node
    from ensue.engine.reactions import Reactions
    from ensue.engine.services import EngineServices

UNNUMBERED = -1
"""The number of a return that is not reported (a check's)."""


class Start(msgspec.Struct, frozen=True, gc=False):
    """The start of a node.

    Args:
        tag: the chunk's tag.
        run_num: its number in the run.
        at: the local time, as text.
        monotonic: the same on the clock that never jumps, in seconds.
    """

    tag: str
    run_num: int
    at: str
    monotonic: float


class Recorder:
    """The records of one run.

    Args:
        services: clock, masker and the sink of events are used.
        reactions: tells which failures leave a reaction owed.
        first_number: the first free number.
    """

    def __init__(self, services: EngineServices, reactions: Reactions, *, first_number: int) -> None:
        self._time_of_day, self._monotonic = services.clock.time_of_day, services.clock.monotonic
        self._masker = services.masker
        self._inputs = services.hooks.inputs
        self._foreseen = services.hooks.foreseen
        self._skipped = services.hooks.skipped
        self._reactions = reactions
        self.emit = services.on_event
        self._begin = services.begin
        self._next_number = first_number
        self._target_texts: dict[Srn, str] = {}
        self._last_target: Srn | None = None
        self._last_text = ""

    def start(self, node: Node, *, reported: bool) -> Start:
        """Record when a node starts, and number it if its return will be reported."""
        number = UNNUMBERED
        if reported:
            number = self._next_number
            self._next_number += 1
        return Start(node.chunk.tag, number, self._time_of_day(), self._monotonic())

    async def announce(self, node: Node, start: Start) -> None:
        """Report that a node's function is about to be called, if that has an effect that will be reported.

        Raises:
            StoreError: that cannot be recorded, so the function must not be called.
        """
        self.owe_reactions(node)
        callee = node.callee
        if start.run_num == UNNUMBERED or (callee is not None and callee.touches_nothing):
            return
        chunk = node.chunk
        event = NodeStarted(
            tag_=start.tag,
            id=chunk.id,
            function=chunk.full_function,
            scope=node.scope.path,
            target=self._target_of(node),
            run_num=start.run_num,
            scope_identity=node.scope.identity,
        )
        if self._begin is None or (callee is not None and callee.keeps_intent):
            self.emit(event)
        else:
            await self._begin(event)

    def owe_reactions(self, node: Node) -> None:
        """Report that a node may change something, so that those that react to it owe that."""
        if (event := self._reactions.to_changes_of(node)) is not None:
            self.emit(event)

    def finish(self, node: Node, start: Start, function_return: StateReturn, *, ran: bool = True) -> Return:
        """Make a node's return and, if it has a number, report it.

        Args:
            node: the node.
            start: what `start` returned.
            function_return: the return of the function.
            ran: False if the function was not called because of a requisite.
        """
        self._masker.add_from_urls(
            function_return.name,
            function_return.comment,
            function_return.changes,
            function_return.new_state,
            function_return.old_state,
        )
        if function_return.sensitive or self._masker.knows_secrets or node.chunk.bindings is not None:
            function_return = self._guarded(node, function_return)
        returned = self._return(node, start, function_return, ran=ran)
        if returned.skipped and self._skipped is not None:
            self._skipped(node.chunk, node.identity)
        if handles_failures(node, returned):
            mark_handled(node, returned)
        if start.run_num != UNNUMBERED:
            self.emit(NodeFinished(returned))
        return returned

    def adopt(self, returned: Return) -> None:
        """Report a return that is taken over from an earlier run, so that this run's journal is complete."""
        self.emit(NodeFinished(returned=returned))

    def _guarded(self, node: Node, function_return: StateReturn) -> StateReturn:
        """Add a return's secrets to the masker; bound secrets count as its own from now on."""
        if node.chunk.bindings is not None:
            from ensue.engine.inherited_secrets import with_inherited_secrets

            function_return = with_inherited_secrets(node, function_return, self._masker)
        if function_return.sensitive:
            self._masker.add(*values_at(function_return.new_state, function_return.sensitive))
        return function_return

    def target_text(self, target: Srn) -> str:
        """Return a target as text; each text is made once."""
        text = self._target_texts.get(target)
        if text is None:
            text = self._target_texts[target] = str(target)
        return text

    def _target_of(self, node: Node) -> str:
        """Return the target as text; that of a plan's own target is looked up once per plan."""
        if node.chunk.target is not None:
            return self.target_text(node.chunk.target)
        target = node.scope.plan.target
        if target is not self._last_target:
            self._last_target, self._last_text = target, self.target_text(target)
        return self._last_text

    def _note_call(self, node: Node, returned: Return) -> None:
        """Add to a return what identifies this call, for a journal that contains no secret."""
        arguments = node.chunk.arguments if node.bound is None else node.bound
        is_open = not self._masker.knows_secrets or self._masker.data(arguments) == arguments
        returned.fingerprint = fingerprint(arguments) if is_open else NO_FINGERPRINT
        if node.callee is not None and node.callee.placed_by:
            returned.placed = tuple(
                self._masker.text(f"{name}={arguments[name]!s}")
                for name, default in node.callee.placed_by
                if arguments.get(name) not in (None, default)
            )
        if self._inputs is not None and returned.result is True and (node.reads or not is_open):
            returned.read, returned.read_mark = self._inputs.mark(
                node.reads or (), None if is_open else arguments
            )
        node.bound = node.reads = None

    def _return(self, node: Node, start: Start, function_return: StateReturn, *, ran: bool) -> Return:
        chunk = node.chunk
        duration_s = self._monotonic() - start.monotonic
        # By position, and the rest only if it is set: by name, this takes as long as many functions do.
        returned = Return(
            start.tag,
            chunk.id,
            function_return.name,
            chunk.sls,
            chunk.module,
            chunk.function,
            node.scope.path,
            self._target_of(node),
            function_return.result,
            function_return.changes,
            function_return.comment,
            function_return.new_state,
            None,
            (),
            (),
            start.run_num,
            start.at,
            int(duration_s * 1e6 + 0.5) / 1000,
        )
        if chunk.arguments or node.bound is not None or node.reads:
            self._note_call(node, returned)
        if function_return.__class__ is not StateReturn or not ran:
            _mark_kind(returned, function_return, ran=ran)
        if function_return.old_state is not None:
            returned.old_state = function_return.old_state
        if function_return.sensitive or function_return.warnings:
            returned.sensitive, returned.warnings = function_return.sensitive, function_return.warnings
        if function_return.preview:
            returned.preview = function_return.preview
        if function_return.result is False:
            returned.place = str(chunk.span())
            returned.owed = self._reactions.owes(node)
            returned.attempts = node.attempts
        if node.applied:
            returned.applied = node.applied
        elif self._foreseen is not None and function_return.result is None:
            returned.foreseen = self._foreseen(chunk, node.scope.path) | _checks(chunk)
        if node.scope.identity:
            returned.scope_identity = node.scope.identity
        return returned


def _mark_kind(returned: Return, function_return: StateReturn, *, ran: bool) -> None:
    """Set the fields of a return that the kind of the function's return decides."""
    returned.ran = ran and not isinstance(function_return, PreventedReturn)
    returned.skipped = isinstance(function_return, SkippedReturn) or (
        not ran and function_return.result is True
    )
    returned.unknown = isinstance(function_return, UnknownReturn)
    returned.unreachable = isinstance(function_return, UnreachableReturn)
    if isinstance(function_return, PreventedReturn):
        returned.causes = function_return.causes


def _checks(chunk: Chunk) -> DataMap:
    """Return the command of a function's own `check_cmd`, which checks what only an apply writes."""
    command = chunk.arguments.get("check_cmd")
    return {"checks": [command]} if command and isinstance(command, str) else {}
