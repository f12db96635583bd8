"""What is said of a name of Salt that is not among ours."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

HOME: Final = "ensue.salt_names"
"""The package that stands for `salt`."""


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
        if not name.startswith("__"):
            try:
                return importlib.import_module(full_name)
            except ModuleNotFoundError as error:
                if error.name not in {full_name, module}:
                    raise
        raise AttributeError(advice(salts_name(full_name)))

    return look
