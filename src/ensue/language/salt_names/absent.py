"""Errors for names of Salt that ensue does not provide."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from ensue.language.salt_names.client_error import SaltClientError

if TYPE_CHECKING:
    from collections.abc import Callable

HOME: Final = "ensue.language.salt_names"
"""The package that replaces `salt`."""

MACHINERY: Final = frozenset({
    "cloud", "config", "fileclient", "key", "log", "minion", "payload", "pillar", "runner", "state",
    "template", "utils.event", "utils.job", "utils.master", "utils.minions", "wheel",
})  # fmt: skip
"""Internal modules of Salt, without the prefix `salt.`, that files import for one of many functions."""


def advice(name: str) -> str:
    """Return the message for a missing name, with a remedy.

    Args:
        name: the name in Salt, `salt.utils.vt`.
    """
    return f"ensue has no {name} of its own; pip install 'ensue[salt]' to use Salt's"


def salts_name(module: str) -> str:
    """Return the name in Salt of one of ensue's modules."""
    return "salt" + module.removeprefix(HOME)


def not_there(module: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for one of ensue's modules.

    It imports submodules on demand, since in Salt they are always imported already. Any other name is an
    `AttributeError` with a remedy.

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
    """An internal module of Salt.

    It can be imported, so the other functions of a file work; calling anything in it fails.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full_name = f"{self.__name__}.{name}"

        def refuse(*_args: Any, **_kwargs: Any) -> Any:
            raise SaltClientError(advice(full_name))

        return refuse
