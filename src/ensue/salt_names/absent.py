"""What is said of a name of Salt that is not among ours."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from ensue.salt_names.client_error import SaltClientError

if TYPE_CHECKING:
    from collections.abc import Callable

HOME: Final = "ensue.salt_names"
"""The package that stands for `salt`."""

MACHINERY: Final = frozenset(
    {
        "cloud",
        "config",
        "fileclient",
        "key",
        "log",
        "minion",
        "payload",
        "pillar",
        "runner",
        "state",
        "template",
        "utils.event",
        "utils.job",
        "utils.master",
        "utils.minions",
        "wheel",
    }
)
"""Modules of Salt's own machinery, without `salt.`, that files import for one function among many."""


def advice(name: str) -> str:
    """Say that a name is not there, and what to do.

    Args:
        name: the name as Salt has it, `salt.utils.vt`.
    """
    return f"ensue has no {name} of its own; pip install 'ensue[salt]' to use Salt's"


def salts_name(module: str) -> str:
    """Return the name that one of our modules has in Salt."""
    return "salt" + module.removeprefix(HOME)


def not_there(module: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of one of our modules.

    It imports a submodule that nobody has imported, since in Salt somebody always has; any other name is
    an `AttributeError` with advice.

    Args:
        module: its `__name__`.
    """

    def look(name: str) -> Any:
        full_name = f"{module}.{name}"
        if full_name.removeprefix(f"{HOME}.") in MACHINERY:
            return MachineryModule(salts_name(full_name))
        if not name.startswith("__"):
            try:
                return importlib.import_module(full_name)
            except ModuleNotFoundError as error:
                if error.name not in {full_name, module}:
                    raise
        raise AttributeError(advice(salts_name(full_name)))

    return look


class MachineryModule(ModuleType):
    """A module of Salt's own machinery.

    It can be imported, so that the other functions of a file work; whatever is called of it refuses.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full_name = f"{self.__name__}.{name}"

        def refuse(*_args: Any, **_kwargs: Any) -> Any:
            raise SaltClientError(advice(full_name))

        return refuse
