"""The execution functions of the current call, for the names of Salt that refer to them."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from ensue.language.salt_names.absent import advice

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

_functions: ContextVar[Mapping[str, Any]] = ContextVar("running_functions")
"""The execution functions by their names (`cmd.run`)."""

_VIRTUAL: Final[Mapping[str, str]] = {
    "aptpkg": "pkg",
    "cmdmod": "cmd",
    "debian_service": "service",
    "groupadd": "group",
    "ini_manage": "ini",
    "linux_shadow": "shadow",
    "linux_sysctl": "sysctl",
    "systemd_service": "service",
    "timezone": "timezone",
    "useradd": "user",
    "yumpkg": "pkg",
}
"""Files of Salt whose functions belong to a module with another name."""

_QUIET: Final[Mapping[str, str]] = {
    "_run_quiet": "run",
    "_run_all_quiet": "run_all",
    "_retcode_quiet": "retcode",
}


@contextlib.contextmanager
def running(functions: Mapping[str, Any]) -> Generator[None]:
    """Make names of Salt refer to the execution functions of one call, in this thread.

    Args:
        functions: the functions by name (`cmd.run`).
    """
    token = _functions.set(functions)
    try:
        yield
    finally:
        _functions.reset(token)


def running_functions() -> Mapping[str, Any]:
    """Return the execution functions of the current call; none outside a call."""
    return _functions.get({})


def execution_function(name: str) -> Any:
    """Return an execution function of the current call.

    Raises:
        AttributeError: no call is running, or there is no such function.
    """
    functions = running_functions()
    if name not in functions:
        raise AttributeError(advice(f"execution function {name}"))
    return functions[name]


class ExecutionModule(ModuleType):
    """`salt.modules.cmdmod` and similar modules: attributes are the execution functions of that name."""

    def __getattr__(self, name: str) -> Any:
        file = self.__name__.rpartition(".")[2]
        function = _QUIET.get(name, name)
        if function.startswith("_"):
            raise AttributeError(advice(f"salt.modules.{file}.{name}"))
        full_name = f"{_VIRTUAL.get(file, file)}.{function}"

        def call(*args: Any, **kwargs: Any) -> Any:
            return execution_function(full_name)(*args, **kwargs)

        call.__name__ = name
        return call
