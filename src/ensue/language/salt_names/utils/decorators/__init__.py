"""`salt.utils.decorators`: decorators for functions with dependencies, and for caching."""

from __future__ import annotations

import functools
import inspect
import shutil
from typing import TYPE_CHECKING, Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.running import execution_function

if TYPE_CHECKING:
    from collections.abc import Callable

# ruff: noqa: N801 -- the names are Salt's


class depends:
    """`@depends('module', fallback_function=…)`: call the function only if its dependencies exist.

    A dependency is a name in the function's file, an importable module, an execution function (`cmd.run`),
    or a bool.

    Args:
        dependencies: the dependencies.
        kwargs: `fallback_function`, which is called instead.
    """

    def __init__(self, *dependencies: Any, **kwargs: Any) -> None:
        self._dependencies = dependencies
        self._fallback: Callable[..., Any] | None = kwargs.get("fallback_function")

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the guarded function."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            missing = [dependency for dependency in self._dependencies if not _is_met(dependency, function)]
            if not missing:
                return function(*args, **kwargs)
            if self._fallback is not None:
                return self._fallback(*args, **kwargs)
            from ensue.language.salt_names.exceptions import CommandExecutionError

            raise CommandExecutionError(f"{function.__name__} requires {', '.join(map(str, missing))}")

        return call


Depends = depends


def memoize(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that caches its return values by argument."""
    remembered: dict[str, Any] = {}

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        key = repr((args, sorted(kwargs.items())))
        if key not in remembered:
            remembered[key] = func(*args, **kwargs)
        return remembered[key]

    return call


def which(exe: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for functions that require a program."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if shutil.which(exe) is None:
                from ensue.language.salt_names.exceptions import CommandNotFoundError

                raise CommandNotFoundError(f"The '{exe}' binary was not found in $PATH.")
            return function(*args, **kwargs)

        return call

    return decorate


def _is_met(need: Any, function: Callable[..., Any]) -> bool:
    if not isinstance(need, str):
        return bool(need)
    given = inspect.unwrap(function).__globals__
    if need in given:
        return given[need] is not False
    if "." in need:
        try:
            execution_function(need)
        except AttributeError:
            pass
        else:
            return True
    import importlib.util

    try:
        return importlib.util.find_spec(need) is not None
    except ImportError:
        return False


__getattr__ = not_there(__name__)
