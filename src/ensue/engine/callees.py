"""Finds a target's state functions and how each is called. Calls nothing itself."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.argument_types import NOT_CHECKED, ArgumentTypes, argument_types
from ensue.core.contracts.callables import parameters
from ensue.core.contracts.functions import (
    EDITS_PART,
    KEEPS_INTENT,
    READS_PATHS,
    TOUCHES_NOTHING,
    ReadPaths,
    made_by,
)
from ensue.core.contracts.placed_things import PLACED_BY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.functions import StateFunctions
    from ensue.core.model.srn import Srn


_NO_PATHS: Final = ReadPaths()


class Callee(msgspec.Struct, frozen=True):
    """A function, ready to be called; one object per target and function.

    Args:
        function: the function.
        label: `module.function`.
        takes: names of its parameters.
        may_wait: whether calling it may return an awaitable.
        is_blocking: whether it is called in a thread, because it may block: a project's own plain function.
        is_mod_watch: whether it is called in place of the function that the state names.
        touches_nothing: whether it changes nothing outside of this process.
        keeps_intent: whether it stores itself what it is about to do.
        makes: what it makes at most (`makes_only`); None: anything.
        reads: the paths that it looks at beside its name (`reads_paths`).
        edits_part: whether it changes only a part of the file at its name.
        types: the types of its arguments.
        placed_by: the arguments that say where a thing of a name is, with their defaults.
    """

    function: Callable[..., Any]
    label: str
    takes: frozenset[str]
    may_wait: bool
    is_blocking: bool = False
    is_mod_watch: bool = False
    touches_nothing: bool = False
    keeps_intent: bool = False
    makes: frozenset[str] | None = None
    reads: ReadPaths = _NO_PATHS
    edits_part: bool = False
    types: ArgumentTypes = NOT_CHECKED
    placed_by: tuple[tuple[str, Any], ...] = ()


class Callees:
    """The functions that a run has looked up, by target.

    Args:
        functions: the state functions of a target.
    """

    def __init__(self, functions: Callable[[Srn], StateFunctions]) -> None:
        self._functions = functions
        self._states: dict[Srn, dict[tuple[str, str], Callee]] = {}
        self._watches: dict[Srn, dict[str, Callee | None]] = {}
        self._by_function: dict[tuple[Callable[..., Any], str], Callee] = {}
        self._last: tuple[Srn, dict[tuple[str, str], Callee]] | None = None

    def state(self, target: Srn, module: str, function: str) -> Callee:
        """Return a state function.

        Raises:
            EnsueError: the target is unknown, or does not offer it.
        """
        if self._last is None or self._last[0] is not target:
            self._last = (target, self._states.setdefault(target, {}))
        key = (module, function)
        callee = self._last[1].get(key)
        if callee is None:
            plain = self._functions(target).state(module, function)
            callee = self._last[1][key] = self._shared(plain, f"{module}.{function}")
        return callee

    def _shared(self, function: Callable[..., Any], label: str) -> Callee:
        """Return the callee of a function, which most targets share."""
        key = (function, label)
        if key not in self._by_function:
            self._by_function[key] = _callee(function, label)
        return self._by_function[key]

    def mod_watch(self, target: Srn, module: str) -> Callee | None:
        """Return a module's `mod_watch`, None if it has none.

        Raises:
            EnsueError: the target is unknown.
        """
        known = self._watches.setdefault(target, {})
        if module not in known:
            plain = self._functions(target).mod_watch(module)
            known[module] = plain and _callee(plain, f"{module}.mod_watch", is_mod_watch=True)
        return known[module]


def _callee(function: Callable[..., Any], label: str, *, is_mod_watch: bool = False) -> Callee:
    touches_nothing = bool(getattr(function, TOUCHES_NOTHING, False))
    is_blocking = bool(getattr(function, "__ensue_blocking__", False))
    return Callee(
        function,
        label,
        frozenset(parameter.name for parameter in parameters(function)),
        may_wait=is_blocking or inspect.iscoroutinefunction(function),
        is_blocking=is_blocking,
        is_mod_watch=is_mod_watch,
        touches_nothing=touches_nothing,
        keeps_intent=bool(getattr(function, KEEPS_INTENT, False)),
        makes=made_by(function),
        reads=getattr(function, READS_PATHS, _NO_PATHS),
        edits_part=bool(getattr(function, EDITS_PART, False)),
        types=argument_types(function),
        placed_by=_placed_by(function),
    )


def _placed_by(function: Callable[..., Any]) -> tuple[tuple[str, Any], ...]:
    names: tuple[str, ...] = getattr(function, PLACED_BY, ())
    if not names:
        return ()
    known = inspect.signature(function).parameters
    return tuple((name, known[name].default if name in known else None) for name in names)
