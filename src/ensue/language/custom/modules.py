"""A project's own functions, as Salt loads them: `_states/*.py` and `_modules/*.py` below a file root.

Most are written for Salt: plain functions, with `__salt__ __grains__ __pillar__ __opts__` as globals. Such
functions may block, so they run in a thread, and they run on this machine: resources have them only if
the file declares that it works only through its globals. A file that has a mapping `FUNCTIONS` is written for
ensue: its functions take a context and are called as ensue's own are.
"""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.language.custom.folders import CustomFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.context import FunctionContext
    from ensue.language.custom.loading import LoadedFile

FOR_RESOURCES: Final = "FOR_RESOURCES"
"""The attribute of a module of plain functions which declares that they work on every target."""

IN_THREAD: Final = "call_in_thread"
"""The attribute of a wrapped function that has its form for a thread that may block."""


class CustomCall(msgspec.Struct, frozen=True):
    """One call of a plain function.

    Args:
        loaded: the file that has it.
        ctx: the context of the call.
        name: the module and the function.
        args: its arguments.
        kwargs: its arguments by name.
    """

    loaded: LoadedFile
    ctx: FunctionContext
    name: tuple[str, str]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class CustomModules:
    """The modules below one kind of folder.

    Args:
        folders: `_states` or `_modules` of every file root; those that do not exist are skipped.
        surroundings: makes the globals for the context of a call.
        otherwise: makes the globals for code that runs outside of a call.
        before: called in the call's thread before a function of a module, for the set-up of states.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        surroundings: Callable[[FunctionContext], Mapping[str, Any]],
        otherwise: Callable[[], Mapping[str, Any]],
        *,
        before: Callable[[CustomCall], None] | None = None,
    ) -> None:
        self._files = CustomFiles(folders, otherwise)
        self._surroundings = surroundings
        self._before = before

    def __bool__(self) -> bool:
        """Return whether there are any modules."""
        return bool(self._files)

    def modules(self) -> list[str]:
        """Return the modules' names, as far as known without loading any."""
        return self._files.names()

    def is_loaded(self, module: str) -> bool:
        """Return whether a look-up of a module does not block; see `CustomFiles.is_loaded`."""
        return self._files.is_loaded(module)

    def names(self, module: str) -> list[str]:
        """Return the names of a module's functions."""
        return [
            name
            for loaded in self._usable(module)
            for name in loaded.functions_with_context or loaded.functions
        ]

    def find(self, module: str, function: str) -> Callable[..., Any] | None:
        """Return a function, wrapped so that it can be called with a context; None if there is none.

        The event loop must not wait for this thread unless `is_loaded`: a file may call execution functions
        while it is loaded.

        Raises:
            PluginError: the module does not load; names the file.
        """
        for loaded in self._usable(module):
            if loaded.functions_with_context:
                if function in loaded.functions_with_context:
                    return loaded.functions_with_context[function]
            elif function in (plain := loaded.functions):
                return self._wrapped(loaded, module, function, plain[function])
        return None

    def why_refused(self, module: str) -> str:
        """Return why a file of this name refuses to be used; empty if none refuses."""
        refusing = [loaded for loaded in self._files.of(module) if loaded.refusal]
        return "; ".join(map(str, refusing))

    def is_of_this_machine(self, module: str) -> bool:
        """Return whether a module's functions are only for this machine.

        Plain functions run here, and open files and processes here, whatever their target is. Those that
        reach the target only through their globals declare it with `FOR_RESOURCES = True`.

        Raises:
            PluginError: the module does not load; names the file.
        """
        return any(
            not loaded.functions_with_context and getattr(loaded.module, FOR_RESOURCES, None) is not True
            for loaded in self._usable(module)
        )

    def attribute(self, module: str, name: str) -> Any:
        """Return an attribute of a module that is written for ensue; None if there is none."""
        for loaded in self._usable(module):
            if loaded.functions_with_context:
                return getattr(loaded.module, name, None)
        return None

    def _usable(self, module: str) -> Iterator[LoadedFile]:
        return (loaded for loaded in self._files.of(module) if not loaded.refusal)

    def _wrapped(
        self, loaded: LoadedFile, module: str, function: str, plain: Callable[..., Any]
    ) -> Callable[..., Any]:
        from ensue.language.custom.dunders import calling

        def call_in_thread(ctx: FunctionContext, *args: Any, **kwargs: Any) -> Any:
            surroundings = self._surroundings(ctx)
            with calling(surroundings):
                if self._before is not None:
                    self._before(CustomCall(loaded, ctx, (module, function), args, kwargs))
                returned = plain(*args, **kwargs)
            # This is how a module of Salt reports that what it did has failed.
            if isinstance(code := surroundings["context"].get("retcode"), int):
                ctx.command_ended(code)
            return returned

        async def call(ctx: FunctionContext, *args: Any, **kwargs: Any) -> Any:
            await ctx.grains()
            return await asyncio.to_thread(call_in_thread, ctx, *args, **kwargs)

        functools.update_wrapper(call, plain)
        setattr(call, IN_THREAD, call_in_thread)
        return call
