"""Validates the hooks of a resource type, and records their parameters and their places in the code.

A type that violates the contract of `ensue.core.contracts.resource_type` is refused as a whole when it is
loaded.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from ensue.core.contracts.callables import parameters
from ensue.core.contracts.resource_type import HOOK_PARAMETERS, PLAIN_HOOKS
from ensue.core.diagnostics import Span
from ensue.core.errors import ResourceTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.reach.resources.type_sources import TypeSource, TypeSources

Kind: TypeAlias = Literal["modules", "states"]
"""A folder of overrides."""

KINDS: Final[tuple[Kind, ...]] = ("modules", "states")
"""The folders of a type that hold overrides."""


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """One hook of a type.

    Args:
        name: its name.
        function: the function.
        takes: its parameters.
        is_async: whether it is a coroutine function.
    """

    name: str
    function: Callable[..., Any]
    takes: tuple[str, ...]
    is_async: bool

    def call(self, **offered: Any) -> Any:
        """Call it with those of the given arguments that it takes."""
        return self.function(**{name: offered[name] for name in self.takes})


class TypeHooks(msgspec.Struct, frozen=True, kw_only=True):
    """The hooks and attributes of a type.

    Args:
        hooks: its hooks by name; those that it leaves out are missing.
        secret_keys: configuration keys whose values are secrets.
        is_remote: whether work on its resources takes almost nothing on this machine.
    """

    hooks: Mapping[str, Hook]
    secret_keys: frozenset[str]
    is_remote: bool = False

    def get(self, name: str) -> Hook | None:
        """Return a hook, None if the type does not have it."""
        return self.hooks.get(name)


def read_hooks(source: TypeSource, sources: TypeSources) -> TypeHooks:
    """Return the hooks of a type.

    Raises:
        ResourceTypeError: the type violates its contract; the message lists all violations.
    """
    faults: list[tuple[str, Span | None]] = []
    hooks: dict[str, Hook] = {}
    for name in HOOK_PARAMETERS:
        function = getattr(source.module, name, None)
        if function is None:
            continue
        if fault := _hook_fault(name, function):
            faults.append((fault, place_of(function, sources) or _first_line(source, sources)))
        else:
            taken = HOOK_PARAMETERS[name] & {parameter.name for parameter in parameters(function)}
            hooks[name] = Hook(
                name=name,
                function=function,
                takes=tuple(taken),
                is_async=inspect.iscoroutinefunction(function),
            )
    secret_keys: Any = getattr(source.module, "SECRET_KEYS", frozenset[str]())
    if not _is_set_of_texts(secret_keys):
        faults.append((f"`SECRET_KEYS` is {secret_keys!r}, not a set of texts", _first_line(source, sources)))
        secret_keys = frozenset[str]()
    is_remote: Any = getattr(source.module, "IS_REMOTE", False)
    if not isinstance(is_remote, bool):
        faults.append((f"`IS_REMOTE` is {is_remote!r}, neither True nor False", _first_line(source, sources)))
        is_remote = False
    if "connect" not in hooks and not faults and not _has_overrides(source):
        fault = "it has neither `connect` nor a folder `modules` or `states`, so nothing can be done with it"
        faults.append((fault, _first_line(source, sources)))
    if faults:
        raise ResourceTypeError(
            f"the resource type {source.name!r} ({source.place}) is not well-formed: "
            + "; ".join(fault for fault, _ in faults),
            span=next((span for _, span in faults if span is not None), None),
            help="docs/resource-types.md lists what a type consists of",
        )
    return TypeHooks(hooks=hooks, secret_keys=frozenset(secret_keys), is_remote=is_remote)


def _is_set_of_texts(value: Any) -> bool:
    return isinstance(value, (set, frozenset)) and all(isinstance(item, str) for item in value)  # pyright: ignore[reportUnknownVariableType] # a plug-in's


def _hook_fault(name: str, function: Any) -> str:
    """Return what is wrong with a hook, empty if nothing is."""
    if not callable(function):
        return f"`{name}` is {function!r}, not a function"
    if name in PLAIN_HOOKS and inspect.iscoroutinefunction(function):
        return f"`{name}` is `async`; it does no I/O and is a plain function"
    allowed = HOOK_PARAMETERS[name]
    try:
        taken = parameters(function)
    except (TypeError, ValueError):
        return f"the parameters of `{name}` cannot be read"
    strange = [
        parameter.name
        for parameter in taken
        if not parameter.is_optional and parameter.name not in allowed and parameter.is_named
    ]
    nameless = [parameter.name for parameter in taken if parameter.name in allowed and not parameter.is_named]
    if strange or nameless:
        wrong = ", ".join(f"`{parameter}`" for parameter in strange or nameless)
        accepted = ", ".join(f"`{parameter}`" for parameter in sorted(allowed))
        return f"`{name}` takes {wrong}; its parameters are {accepted}"
    return ""


def place_of(function: Any, sources: TypeSources) -> Span | None:
    """Return the place of a function in the code, None if it is unknown."""
    code = getattr(function, "__code__", None)
    return Span(sources.shown(code.co_filename), code.co_firstlineno) if code is not None else None


def _first_line(source: TypeSource, sources: TypeSources) -> Span | None:
    file = getattr(source.module, "__file__", None)
    return Span(sources.shown(file), 1) if file else None


def _has_overrides(source: TypeSource) -> bool:
    return any((Path(folder) / kind).is_dir() for folder in folders_of(source) for kind in KINDS)


def folders_of(source: TypeSource) -> list[str]:
    """Return the folders of a type's package; empty for a type that is one module."""
    return list(getattr(source.module, "__path__", ()))
