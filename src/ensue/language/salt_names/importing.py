"""Resolves `import salt.…` in a project's own files if Salt is not installed."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Final

from ensue.language.salt_names.absent import HOME, MACHINERY, MachineryModule, advice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_SALT: Final = "salt"
_MADE: Final = ("modules", "ext.six.moves")
"""Modules whose attributes are modules created on demand."""


@functools.cache
def has_salt() -> bool:
    """Return whether Salt is installed; a mere folder of that name on the path does not count."""
    try:
        return importlib.util.find_spec("salt.loader") is not None
    except ImportError:
        return False


def home_of_salt() -> str:
    """Return the package in which names of Salt are looked up."""
    return _SALT if has_salt() else HOME


def imported(name: str, names: Sequence[str]) -> ModuleType | None:
    """Return the module for an import statement that names Salt, None for any other statement.

    Args:
        name: the module that the statement names.
        names: the names after `import` in `from … import`; empty for `import …`.

    Raises:
        ImportError: ensue does not provide the name; the message says how to use Salt's.
    """
    if name.partition(".")[0] != _SALT or has_salt():
        return None
    module = _module(name)
    if not names:
        return _module(_SALT)
    for name_ in names:
        if name_ != "*" and not hasattr(module, name_):
            raise ImportError(advice(f"{name}.{name_}"), name=name)
    return module


def _module(name: str) -> ModuleType:
    """Return the replacement of a module of Salt.

    Raises:
        ModuleNotFoundError: there is none.
    """
    for family in _MADE:
        if name.startswith(f"{_SALT}.{family}."):
            module: Any = importlib.import_module(f"{HOME}.{family}")
            for part in name.removeprefix(f"{_SALT}.{family}.").split("."):
                module = getattr(module, part)
            made: ModuleType = module
            return made
    if name.removeprefix(f"{_SALT}.") in MACHINERY:
        return MachineryModule(name)
    try:
        return importlib.import_module(HOME + name.removeprefix(_SALT))
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(HOME):
            raise
        raise ModuleNotFoundError(advice(name), name=name) from None
