"""The execution functions of the call that is running, for names of Salt that stand for such functions."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from ensue.salt_names.absent import advice

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
"""Files of Salt whose functions have another module's name."""

_QUIET: Final[Mapping[str, str]] = {
    "_run_quiet": "run",
    "_run_all_quiet": "run_all",
    "_retcode_quiet": "retcode",
}


@contextlib.contextmanager
def running(functions: Mapping[str, Any]) -> Generator[None]:
    """Let names of Salt stand for the execution functions of one call, in this thread.

    Args:
        functions: the functions by their names (`cmd.run`).
    """
    token = _functions.set(functions)
    try:
        yield
    finally:
        _functions.reset(token)


def running_functions() -> Mapping[str, Any]:
    """Return the execution functions of the call that is running; none outside of one."""
    return _functions.get({})


def execution_function(name: str) -> Any:
    """Return an execution function of the call that is running.

    Raises:
        AttributeError: no call is running, or there is no such function.
    """
    found = running_functions()
    if name not in found:
        raise AttributeError(advice(f"execution function {name}"))
    return found[name]


class ExecutionModule(ModuleType):
    """`salt.modules.cmdmod` and its kin: what is called is the execution function of that name."""

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
