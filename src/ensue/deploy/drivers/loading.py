"""Finds drivers by name: in a project's `_drivers/`, in ensue, and in installed distributions.

A name with an organization (`humanitec/postgres`, `my-org/terraform`) means the driver after the slash,
unless ensue has a driver of the whole name.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final, get_args

import msgspec

from ensue.core.contracts.driver import CodeKind, Planned
from ensue.core.contracts.managed_objects import ManagedObject
from ensue.core.contracts.plugin_modules import PluginKind, PluginModules
from ensue.core.errors import DriverError, EnsueError, PluginError
from ensue.core.model.data import is_mapping
from ensue.core.model.near_names import near_question
from ensue.deploy.drivers.returned import checked_result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.driver import DriverRequest, Provisioned
    from ensue.core.model.data import DataMap

FOLDER: Final = "_drivers"
"""The folder below a file root that holds a project's own drivers, one file each."""

_KIND: Final = PluginKind(
    words="driver",
    group="ensue.drivers",
    shipped={
        "command": "ensue.deploy.drivers.command",
        "echo": "ensue.deploy.drivers.echo",
        "humanitec/template": "ensue.deploy.drivers.go_template",
        "kubernetes": "ensue.deploy.drivers.kubernetes",
        "opentofu": "ensue.deploy.drivers.opentofu",
        "postgres": "ensue.deploy.drivers.postgres",
        "state": "ensue.deploy.drivers.state",
        "static": "ensue.deploy.drivers.echo",
        "template": "ensue.deploy.drivers.template",
        "terraform": "ensue.deploy.drivers.terraform",
    },
    functions=("create", "update", "delete", "plan"),
)


_HUMANITEC: Final = "humanitec"
_UNDER_ANY_NAME: Final = frozenset({"terraform", "opentofu"})


class Drivers:
    """All available drivers, each loaded when first used.

    Args:
        folders: `_drivers` of every file root, the first one wins; those that do not exist are skipped.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._modules = PluginModules(_KIND, folders)
        self._loaded: dict[str, LoadedDriver] = {}

    def has(self, name: str) -> bool:
        """Return whether there is a driver of this name, without importing it."""
        return self._modules.has(self._meant(name))

    def names(self) -> list[str]:
        """Return the names of all drivers, sorted."""
        return self._modules.names()

    def near(self, name: str) -> str:
        """Return `did you mean a or b?` for a name that no driver has; empty: none is close."""
        return near_question(self._meant(name), self._modules.names())

    def find(self, name: str) -> LoadedDriver:
        """Return a driver.

        Raises:
            NotAvailableError: there is none of this name.
            PluginError: it does not load, or lacks a function.
        """
        if name not in self._loaded:
            own = self._meant(name)
            self._loaded[name] = LoadedDriver(own, self._modules.find(own))
        return self._loaded[name]

    def _meant(self, name: str) -> str:
        """Return the name of the driver that a definition means."""
        organization, _, own = name.rpartition("/")
        if not organization or self._modules.has(name):
            return name
        is_shared = organization == _HUMANITEC or own in _UNDER_ANY_NAME or not self._modules.is_shipped(own)
        return own if is_shared else name


class LoadedDriver:
    """A driver with the optional parts of its contract filled in. Its errors name it.

    Args:
        name: its own name, even if a definition uses another one for it.
        module: its module.

    Raises:
        PluginError: its `CODE` violates the contract.
    """

    def __init__(self, name: str, module: Any) -> None:
        self.name = name
        self.is_pure = bool(getattr(module, "IS_PURE", False))
        self.always_called = bool(getattr(module, "ALWAYS_CALLED", False))
        self.keeps_first = bool(getattr(module, "KEEPS_FIRST", False))
        self.can_rotate = bool(getattr(module, "ROTATES", False))
        self.code = _code_of(name, module)
        self.plan_is_pure = bool(getattr(module, "PLAN_IS_PURE", False))
        self.outputs: frozenset[str] = frozenset(getattr(module, "OUTPUTS", ()))
        self.inserts_as_data = bool(getattr(module, "INSERTS_AS_DATA", False))
        self.has_fingerprint = hasattr(module, "fingerprint")
        """Whether the result depends on more than the inputs."""
        self._module = module

    @property
    def docstring(self) -> str:
        """The docstring of its module, which documents its inputs."""
        text = getattr(self._module, "__doc__", None)
        return text if isinstance(text, str) else ""

    async def create(self, request: DriverRequest) -> Provisioned:
        """Create a resource.

        Raises:
            EnsueError: it cannot be created; a `DriverError` for anything else that the driver raises.
        """
        return checked_result(await self._call("create", request), f"the driver {self.name}: create")

    async def update(self, request: DriverRequest) -> Provisioned:
        """Change a resource.

        Raises:
            EnsueError: it cannot be changed; a `DriverError` for anything else that the driver raises.
        """
        return checked_result(await self._call("update", request), f"the driver {self.name}: update")

    async def delete(self, request: DriverRequest) -> None:
        """Remove a resource.

        Raises:
            EnsueError: it cannot be removed; a `DriverError` for anything else that the driver raises.
        """
        await self._call("delete", request)

    async def plan(self, request: DriverRequest) -> Planned:
        """Return what `create` or `update` would do.

        Raises:
            EnsueError: it cannot be planned; a `DriverError` for anything else that the driver raises.
        """
        planned = await self._call("plan", request)
        if not isinstance(planned, Planned):
            raise DriverError(f"the driver {self.name}: plan returned {type(planned).__name__}, not Planned")
        if planned.outputs is None:
            return planned
        outputs = checked_result(planned.outputs, f"the driver {self.name}: plan", in_plan=True)
        return msgspec.structs.replace(planned, outputs=outputs)

    async def fingerprint(self, request: DriverRequest) -> str:
        """Return a fingerprint of what the result depends on besides the inputs; empty if nothing."""
        if not self.has_fingerprint:
            return ""
        return str(await self._call("fingerprint", request))

    def leaves(self, cookie: DataMap | None) -> bool:
        """Return whether `delete` does nothing, so that what was made stays.

        Args:
            cookie: the cookie of the resource.

        Raises:
            DriverError: the driver raises.
        """
        leaves = getattr(self._module, "leaves", None)
        try:
            return leaves is not None and bool(leaves(cookie))
        except Exception as error:
            raise self._failed("leaves", error) from error

    @property
    def names_objects(self) -> bool:
        """Whether it tells what is made for a resource."""
        return hasattr(self._module, "managed") or hasattr(self._module, "manages")

    def manages(self, request: DriverRequest) -> Sequence[ManagedObject]:
        """Return what the inputs of a resource make, as far as they are known; nothing if they are wrong.

        Raises:
            DriverError: the driver raises what is no `EnsueError`.
        """
        return self._objects("manages", request)

    def managed(self, cookie: DataMap | None) -> Sequence[ManagedObject]:
        """Return what was made for a resource.

        Args:
            cookie: the cookie of the resource.

        Raises:
            DriverError: the driver raises what is no `EnsueError`.
        """
        return self._objects("managed", cookie)

    def destroys(self, cookie: DataMap | None) -> Sequence[ManagedObject]:
        """Return what `delete` destroys.

        Args:
            cookie: the cookie of the resource.

        Raises:
            DriverError: the driver raises what is no `EnsueError`.
        """
        return self._objects("destroys", cookie)

    def _objects(self, function: str, of: Any) -> Sequence[ManagedObject]:
        named = getattr(self._module, function, None)
        try:
            objects = tuple(named(of)) if named else ()
        except EnsueError:
            return ()
        except Exception as error:
            raise self._failed(function, error) from error
        if not all(isinstance(each, ManagedObject) for each in objects):
            raise DriverError(f"the driver {self.name}: {function} returned what is no ManagedObject")
        return objects

    @property
    def has_check(self) -> bool:
        """Whether it checks inputs before anything is provisioned."""
        return hasattr(self._module, "check")

    def check(self, request: DriverRequest) -> list[str]:
        """Return what is wrong with the inputs, one sentence per error.

        Raises:
            DriverError: the driver raises.
        """
        check = getattr(self._module, "check", None)
        try:
            return [str(fault) for fault in check(request)] if check else []
        except Exception as error:
            raise self._failed("check", error) from error

    async def _call(self, function: str, request: DriverRequest) -> Any:
        try:
            made = getattr(self._module, function)(request)
            return await made if inspect.isawaitable(made) else made
        except EnsueError:
            raise
        except Exception as error:
            raise self._failed(function, error) from error

    def _failed(self, function: str, error: Exception) -> DriverError:
        return DriverError(f"the driver {self.name} failed in {function}: {type(error).__name__}: {error}")


def _code_of(name: str, module: Any) -> Mapping[str, CodeKind]:
    """Return which inputs of a driver are code."""
    code: Any = getattr(module, "CODE", {})
    kinds = get_args(CodeKind)
    if not is_mapping(code) or any(kind not in kinds for kind in code.values()):
        raise PluginError(f"the driver {name}: CODE is not a mapping of inputs to kinds ({', '.join(kinds)})")
    return code
