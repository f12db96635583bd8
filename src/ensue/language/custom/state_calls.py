"""What Salt provides to a project's state functions besides arguments: `mod_init` and `__states__`.

Source: Salt's `State._mod_init`, which calls `mod_init` before the first state of a module, and again before
each later one until it returns a true value.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.from_thread import from_thread
from ensue.core.errors import NotAvailableError
from ensue.engine.returns import state_return
from ensue.language.custom.modules import IN_THREAD

if TYPE_CHECKING:
    import asyncio

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.srn import Srn
    from ensue.language.custom.modules import CustomCall
    from ensue.language.functions.functions import Functions


class ModInit:
    """Calls the `mod_init` of a module before its first state on each target."""

    def __init__(self) -> None:
        self._done: set[tuple[Srn, str]] = set()

    def __call__(self, call: CustomCall) -> None:
        """Call `mod_init`, unless there is none or it has returned a true value already."""
        begin = vars(call.loaded.module).get("mod_init")
        key = (call.ctx.srn, call.name[0])
        if not isinstance(begin, FunctionType) or key in self._done:
            return
        if begin(_low(call)):
            self._done.add(key)


class StatesMapping(Mapping[str, Any]):
    """`__states__`: state functions that run as part of the running state.

    Args:
        functions: those that the target has.
        context: the context of the running state.
        loop: the event loop that functions of ensue run on.
    """

    def __init__(
        self, functions: Functions, context: FunctionContext, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._functions = functions
        self._context = context
        self._loop = loop

    def __getitem__(self, name: str) -> Any:
        module, _, function = name.rpartition(".")
        execution_function = self._functions.find(module, function) if module else None
        if execution_function is None:
            raise KeyError(name)
        if not hasattr(self._context, "declaration"):
            raise NotAvailableError(f"__states__[{name!r}] is available only to state functions")

        def call(*args: Any, **kwargs: Any) -> dict[str, Any]:
            raw = getattr(execution_function, IN_THREAD, execution_function)(self._context, *args, **kwargs)
            if inspect.isawaitable(raw):
                raw = from_thread(raw, self._loop)
            own_name = str(kwargs.get("name", args[0] if args else name))
            returned = state_return(raw, name=own_name, function=name)
            return {
                "name": returned.name,
                "result": returned.result,
                "changes": dict(returned.changes),
                "comment": returned.comment,
            }

        return call

    def __contains__(self, name: object) -> bool:
        module, _, function = str(name).rpartition(".")
        return bool(module) and self._functions.find(module, function) is not None

    def __iter__(self) -> Iterator[str]:
        for module in self._functions.modules():
            for name in self._functions.names(module):
                yield f"{module}.{name}"

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _low(call: CustomCall) -> dict[str, Any]:
    """Return Salt's low chunk of a state."""
    module, function = call.name
    declared: Any = getattr(call.ctx, "declaration", None)
    place = {"__id__": declared.id, "__sls__": declared.sls} if declared is not None else {}
    named = {"name": call.args[0]} if call.args else {}
    return {"state": module, "fun": function, **place, **named, **call.kwargs}
