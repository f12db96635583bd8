"""A project's own modules, as Salt loads them: `_states/*.py` and `_modules/*.py` below a file root.

Most are written for Salt: plain functions, with `__salt__ __grains__ __pillar__ __opts__` as globals.
The dunders look up the context of the call that is running. Such functions may block, so they run in
a thread, and they run on this machine: resources have them only where the module says that it works
through its dunders alone. A module that has a mapping `FUNCTIONS` is written for ensue: its functions take a
context and are called as ensue's own are.

A file in a folder (`_states/cloud/instance.py`) is a module of that dotted path.
"""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import inspect
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import PluginError
from ensue.model.regular_files import is_folder, obstacle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import ModuleType

    from ensue.contracts.context import FunctionContext

_current: ContextVar[tuple[FunctionContext, Mapping[str, Any]]] = ContextVar("custom_call")
FOR_RESOURCES: Final = "FOR_RESOURCES"
"""The attribute of a module of plain functions that says that they work on every target."""

_DUNDERS: Final = ("salt", "grains", "pillar", "opts")


class CustomModules:
    """The modules below one kind of folder.

    Args:
        folders: `_states` or `_modules` of every file root; those that do not exist are skipped.
        surroundings: makes `salt grains pillar opts` for the context of a call.
    """

    def __init__(
        self, folders: Sequence[Path], surroundings: Callable[[FunctionContext], Mapping[str, Any]]
    ) -> None:
        self._paths = {
            ".".join(path.relative_to(folder).with_suffix("").parts): path
            for folder in folders
            if is_folder(folder)
            for path in sorted(folder.rglob("*.py"))
            if path.stem != "__init__"
        }
        self._surroundings = surroundings
        self._modules: dict[str, ModuleType] = {}

    def __bool__(self) -> bool:
        """Say whether there are any."""
        return bool(self._paths)

    def modules(self) -> list[str]:
        """Return the modules' names."""
        return list(self._paths)

    def names(self, module: str) -> list[str]:
        """Return the names of a module's functions."""
        if module not in self._paths:
            return []
        loaded = self._module(module)
        if functions := _functions(loaded):
            return list(functions)
        return [
            name
            for name, value in vars(loaded).items()
            if inspect.isfunction(value) and not name.startswith("_") and value.__module__ == loaded.__name__
        ]

    def find(self, module: str, function: str) -> Callable[..., Any] | None:
        """Return a function wrapped so that it can be called with a context, None when there is none.

        Raises:
            PluginError: the module does not load; names the file.
        """
        if module not in self._paths:
            return None
        loaded = self._module(module)
        if functions := _functions(loaded):
            return functions.get(function)
        if function not in self.names(module):
            return None
        plain = getattr(loaded, function)

        @functools.wraps(plain)
        async def call(ctx: FunctionContext, *args: Any, **kwargs: Any) -> Any:
            await ctx.grains()
            token = _current.set((ctx, self._surroundings(ctx)))
            try:
                return await asyncio.to_thread(plain, *args, **kwargs)
            finally:
                _current.reset(token)

        return call

    def is_of_this_machine(self, module: str) -> bool:
        """Say whether a module's functions are for this machine alone.

        Plain functions run here, and open files and processes here, whatever their target is. Those that
        reach the target through their dunders alone say so with `FOR_RESOURCES = True`.

        Raises:
            PluginError: the module does not load; names the file.
        """
        if module not in self._paths:
            return False
        loaded = self._module(module)
        return not _functions(loaded) and getattr(loaded, FOR_RESOURCES, None) is not True

    def attribute(self, module: str, name: str) -> Any:
        """Return an attribute of a module that is written for ensue; None when there is none."""
        if module not in self._paths or not _functions(self._module(module)):
            return None
        return getattr(self._module(module), name, None)

    def _module(self, module: str) -> ModuleType:
        if module not in self._modules:
            self._modules[module] = _load(self._paths[module])
        return self._modules[module]


def _functions(module: ModuleType) -> Mapping[str, Callable[..., Any]]:
    found: Mapping[str, Callable[..., Any]] | None = getattr(module, "FUNCTIONS", None)
    return found or {}


def _load(path: Path) -> ModuleType:
    if found := obstacle(path):
        msg = f"the project's module {path} is {found}"
        raise PluginError(msg)
    spec = importlib.util.spec_from_file_location(f"ensue_project.{path.parent.name}.{path.stem}", path)
    if spec is None or spec.loader is None:
        msg = f"{path} cannot be loaded as a Python module"
        raise PluginError(msg)
    module = importlib.util.module_from_spec(spec)
    for name in _DUNDERS:
        setattr(module, f"__{name}__", _Surrounding(name))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        msg = f"the project's module {path} does not load: {type(error).__name__}: {error}"
        raise PluginError(msg) from error
    return module


class _Surrounding(Mapping[str, Any]):
    """One dunder: whatever it is for the call that is running."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _now(self) -> Mapping[str, Any]:
        _, surroundings = _current.get()
        now: Mapping[str, Any] = surroundings[self._name]
        return now

    def __getitem__(self, key: str) -> Any:
        return self._now()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())
