"""Which resources chunks need and register: through `registers:`, and as their modules declare.

Source: derived-resources document, "Ordering inside a single apply".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.fan_out import FannedChunk
from ensue.core.model.srn import MINION_TYPE
from ensue.language.targets.registers_check import registered_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.model.chunk import Chunk
    from ensue.core.model.srn import Srn
    from ensue.language.functions.functions import Functions


class ForeseenRegistrations:
    """What is known of registrations before the states run.

    Args:
        functions: state functions; their modules declare what they await and promise.
        exact: returns the resource that a target names by type and id; None for any other target.
    """

    def __init__(self, functions: Functions, exact: Callable[[str], Srn | None]) -> None:
        self._functions = functions
        self._exact = exact
        self._promising: dict[str, Any] = {}

    def awaits(self, chunk: Chunk) -> Srn | None:
        """Return the resource that a chunk requires."""
        fan_out = chunk.options.fan_out
        if fan_out is not None and (named := self._exact(fan_out.expression)) is not None:
            return named
        if chunk.target is not None and not isinstance(chunk, FannedChunk):
            return None if chunk.target.type == MINION_TYPE else chunk.target
        awaits = self._functions.attribute(chunk.module, "AWAITS")
        srn: Srn | None = awaits(chunk.function, chunk.name) if awaits else None
        return srn

    def promises(self, chunk: Chunk) -> Sequence[Srn]:
        """Return the resources that a chunk will register."""
        promised = self._promised_by_module(chunk)
        if not chunk.options.registers:
            return promised
        return [*(registered_name(text) for text, _ in chunk.options.registers), *promised]

    def _promised_by_module(self, chunk: Chunk) -> Sequence[Srn]:
        module = chunk.module
        if module not in self._promising:
            self._promising[module] = self._functions.attribute(module, "PROMISES")
        promises = self._promising[module]
        return promises(chunk.function, chunk.name, chunk.arguments) if promises else ()

    def applies(self, chunk: Chunk) -> Sequence[str] | None:
        """Return the SLS that a chunk applies to the resource that it requires; None if it applies none.

        What a reference decides is not known before the run.
        """
        if chunk.bindings is not None or chunk.has_slots:
            return None
        applies = self._functions.attribute(chunk.module, "APPLIES")
        names: Sequence[str] | None = applies(chunk.function, chunk.arguments) if applies else None
        return names

    def is_transient(self, chunk: Chunk) -> bool:
        """Return whether the effect of a chunk ends with its run, as its module declares.

        If the function itself registers resources, it is also called again; what `registers` names is
        registered from the recorded return.
        """
        transient = self._functions.attribute(chunk.module, "TRANSIENT") or ()
        return chunk.function in transient or bool(self._promised_by_module(chunk))

    def may_register_any(self, chunk: Chunk) -> bool:
        """Return whether a chunk may register resources that nobody knows before it runs.

        A function that may make anything may do so, unless its module declares what it registers.
        """
        return not self.foresees(chunk) and self._functions.makes(chunk.module, chunk.function) is None

    def foresees(self, chunk: Chunk) -> bool:
        """Return whether it is known before a chunk runs what its function registers."""
        return bool(self._functions.attribute(chunk.module, "PROMISES"))
