"""The state and execution functions of a resource type: its overrides, and otherwise ensue's.

An override is a file `modules/<slot>.py` or `states/<slot>.py` in the type's package. It wins its slot: all
functions `pkg.*` of the type come from `modules/pkg.py`: those named in its `FUNCTIONS`, or
else every public function that is written there. Each takes `ctx` first. A plain function runs in a thread.

One object serves all resources of a type.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.callables import parameters
from ensue.core.diagnostics import Span
from ensue.core.errors import ResourceTypeError
from ensue.core.files.trees import files_below
from ensue.core.model.data import is_mapping
from ensue.core.model.srn import MINION_TYPE
from ensue.language.functions.functions import Functions
from ensue.reach.processes.daemon_thread import in_daemon_thread
from ensue.reach.resources.type_hooks import folders_of, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from ensue.core.contracts.function_docs import FunctionKind
    from ensue.reach.resources.loaded_type import LoadedType
    from ensue.reach.resources.plugins import Plugins
    from ensue.reach.resources.type_sources import TypeSource, TypeSources

HERE_ONLY: Final = "MANAGING_MINION_ONLY"
"""The attribute of ensue's modules whose functions work on the process of ensue itself."""


class Overrides:
    """The overrides of one type, of one kind.

    Args:
        source: the type.
        sources: says where its code is.
        kind: `modules` or `states`.
    """

    def __init__(self, source: TypeSource, sources: TypeSources, kind: FunctionKind) -> None:
        self.type_name = source.name
        self._source = source
        self._sources = sources
        self.kind = kind
        self._slots = {slot for folder in folders_of(source) for slot in _slots(Path(folder) / kind)}
        self._functions: dict[str, dict[str, Callable[..., Any]]] = {}
        self._modules: dict[str, ModuleType] = {}

    @property
    def slots(self) -> list[str]:
        """The names of the modules that the type fills."""
        return sorted(self._slots)

    def fills(self, slot: str) -> bool:
        """Return whether the type overrides a slot."""
        return slot in self._slots

    def functions(self, slot: str) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of a slot, ready to be called with a context.

        Raises:
            ResourceTypeError: its file does not load, or a function does not take `ctx`.
        """
        if slot not in self._functions:
            module = self.module(slot)
            listed: object = getattr(module, "FUNCTIONS", {})
            if not is_mapping(listed):
                raise self._broken(slot, f"`FUNCTIONS` is {listed!r}, not a mapping of names to functions")
            own_functions = _functions_of(module)
            for name, function in own_functions.items():
                self._check(slot, name, function)
            self._functions[slot] = {
                name: _beside_the_loop(function) for name, function in own_functions.items()
            }
        return self._functions[slot]

    def module(self, slot: str) -> ModuleType:
        """Return a slot's module.

        Raises:
            ResourceTypeError: it does not load.
        """
        if slot not in self._modules:
            try:
                self._modules[slot] = importlib.import_module(
                    f"{self._source.module.__name__}.{self.kind}.{slot}"
                )
            except (Exception, SystemExit) as error:
                where = folders_of(self._source)[0]
                raise self._sources.not_loaded(self._source.name, self._place(slot), error, where) from error
        return self._modules[slot]

    def _place(self, slot: str) -> str:
        return f"{self._source.place}/{self.kind}/{slot.replace('.', '/')}"

    def _check(self, slot: str, name: str, function: object) -> None:
        fault = ""
        if not callable(function):
            fault = f"is {function!r}, not a function"
        else:
            taken = [parameter for parameter in parameters(function) if not parameter.takes_others]
            needed = ("ctx", "name") if self.kind == "states" else ("ctx",)
            if [parameter.name for parameter in taken[: len(needed)]] != list(needed) and not (
                name == "mod_watch" and taken and taken[0].name == "ctx"
            ):
                fault = f"does not take `{'`, `'.join(needed)}` first"
        if fault:
            raise self._broken(slot, f"{slot}.{name} {fault}", place_of(function, self._sources))

    def _broken(self, slot: str, fault: str, span: Span | None = None) -> ResourceTypeError:
        file = self.module(slot).__file__
        return ResourceTypeError(
            f"the resource type {self._source.name!r} ({self._place(slot)}): {fault}",
            span=span or (Span(self._sources.shown(file), 1) if file else None),
            help="the functions of a type's overrides are given the resource as `ctx`",
        )


class TypeFunctions(Functions):
    """All functions of one kind that resources of one type have.

    Args:
        base: ensue's own functions, and the project's.
        overrides: those of the type.
    """

    def __init__(self, base: Functions, overrides: Overrides) -> None:
        super().__init__(base.package)
        self._base = base
        self._overrides = overrides

    def find(self, module: str, function: str) -> Callable[..., Any] | None:
        """Return a function; None if resources of the type have none of that name.

        Raises:
            PluginError: its module does not load.
        """
        if self._overrides.fills(module):
            return self._overrides.functions(module).get(function)
        if self._base.attribute(module, HERE_ONLY):
            return None
        if self._base.is_of_this_machine(module):
            return self._base.shipped(module).get(function)
        return self._base.find(module, function)

    def why_missing(self, module: str, function: str) -> str:
        """Return why resources of the type lack a function that this machine has."""
        if self._overrides.fills(module):
            return ""
        if not self._base.is_of_this_machine(module):
            return self._base.why_missing(module, function)
        if self._base.find(module, function) is None:
            return ""
        folder = f"_resources/{self._overrides.type_name}/{self._overrides.kind}/"
        return (
            "it is a plain function of the project, which would act on this machine (write it with `ctx`,"
            f" put it into {folder}, or set `FOR_RESOURCES = True` in its module if it works through"
            " `__salt__` alone)"
        )

    async def get_ready(self, module: str) -> None:
        """Load the project's file of a module, if it has one and the type does not fill its slot."""
        if not self._overrides.fills(module):
            await self._base.get_ready(module)

    def mod_watch(self, module: str) -> Callable[..., Any] | None:
        """Return the function that is called when a watched state has changed."""
        if self._overrides.fills(module):
            return self._overrides.functions(module).get("mod_watch") or self.attribute(module, "MOD_WATCH")
        return None if self._base.is_of_this_machine(module) else self._base.mod_watch(module)

    def attribute(self, module: str, name: str) -> Any:
        """Return a module's attribute; None if it has none."""
        if self._overrides.fills(module):
            return getattr(self._overrides.module(module), name, None)
        return self._base.attribute(module, name)

    def names(self, module: str) -> list[str]:
        """Return the names of a module's functions."""
        if self._overrides.fills(module):
            return list(self._overrides.functions(module))
        if self._base.is_of_this_machine(module):
            return list(self._base.shipped(module))
        return self._base.names(module)

    def modules(self) -> list[str]:
        """Return the names of all modules."""
        return list(dict.fromkeys([*self._overrides.slots, *self._base.modules()]))

    @property
    def hint(self) -> str:
        """What a user may do about a missing function."""
        return self._base.hint

    def check(self) -> None:
        """Load every override.

        Raises:
            ResourceTypeError: one does not load or breaks the contract.
        """
        for slot in self._overrides.slots:
            self._overrides.functions(slot)


def _slots(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    names = [
        path.relative_to(folder).with_suffix("").parts
        for _, path in files_below(folder)
        if path.suffix == ".py" and path != folder / "__init__.py"
    ]
    packages = [parts[:-1] if parts[-1] == "__init__" else parts for parts in names]
    return [".".join(parts) for parts in packages if not any(part.startswith("_") for part in parts)]


def _functions_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    listed: Mapping[str, Callable[..., Any]] | None = getattr(module, "FUNCTIONS", None)
    if listed is not None:
        return dict(listed)
    from types import FunctionType

    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
        and not name.startswith("_")
        and value.__module__ == module.__name__
    }


def _beside_the_loop(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that may be called on the event loop: a plain one may block."""
    if inspect.iscoroutinefunction(function):
        return function

    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        returned = await in_daemon_thread(lambda: function(*args, **kwargs))
        return await returned if inspect.isawaitable(returned) else returned

    return call


class TypeLoaders:
    """The functions of every type, one object per type and kind.

    Args:
        states: ensue's state functions and the project's own.
        modules: the same for execution functions.
        plugins: the types.
        sources: says where the code of types is.
    """

    def __init__(self, states: Functions, modules: Functions, plugins: Plugins, sources: TypeSources) -> None:
        self._base: dict[FunctionKind, Functions] = {"states": states, "modules": modules}
        self._plugins = plugins
        self._sources = sources
        self._made: dict[tuple[FunctionKind, str], Functions] = {}

    def of(self, kind: FunctionKind, type_name: str) -> Functions:
        """Return the functions that resources of a type have.

        Raises:
            NotAvailableError: there is no such type.
            ResourceTypeError: it does not load.
        """
        key = (kind, type_name)
        if key not in self._made:
            self._made[key] = self._make(kind, type_name)
        return self._made[key]

    def _make(self, kind: FunctionKind, type_name: str) -> Functions:
        base = self._base[kind]
        if type_name == MINION_TYPE:
            return base
        return TypeFunctions(
            base, Overrides(self._plugins.resource_type(type_name).source, self._sources, kind)
        )

    def check(self, type_: LoadedType) -> None:
        """Load all overrides of a type that does not come with ensue.

        Raises:
            ResourceTypeError: one does not load or breaks the contract.
        """
        if not type_.source.is_shipped:
            for kind in self._base:
                functions = self.of(kind, type_.name)
                if isinstance(functions, TypeFunctions):
                    functions.check()

    def known(self, kind: FunctionKind) -> list[Functions]:
        """Return the functions of every type that was used so far, except those of this machine."""
        return [self.of(kind, type_.name) for type_ in self._plugins.loaded if type_.name != MINION_TYPE]
