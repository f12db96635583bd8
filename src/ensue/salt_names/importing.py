"""`import salt.…` in a project's own files, where no Salt is installed.

Each such file has builtins of its own, in which `__import__` finds our names for those of Salt; that holds
for imports inside of its functions, too. The language offers nothing plainer: entries in `sys.modules` or an
import hook would show a false Salt to everything else in the process, such as libraries that look whether
Salt is there.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Final

from ensue.salt_names.absent import HOME, advice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

_SALT: Final = "salt"
_MADE: Final = ("modules", "ext.six.moves")
"""Modules whose attributes are all modules that can be asked for."""


@functools.cache
def has_salt() -> bool:
    """Say whether Salt is installed; a folder of that name on the path is no Salt."""
    try:
        return importlib.util.find_spec("salt.loader") is not None
    except ImportError:
        return False


def home_of_salt() -> str:
    """Return the package that names of Salt are found in."""
    return _SALT if has_salt() else HOME


def builtins_with_salt() -> dict[str, Any]:
    """Return what the globals of a custom file need so that it can import names of Salt."""
    if has_salt():
        return {}
    return {"__builtins__": {**vars(builtins), "__import__": _import}}


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002 -- the signature of `__import__`
    locals: Mapping[str, object] | None = None,  # noqa: A002
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    if level or name.partition(".")[0] != _SALT:
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    module = _module(name)
    if not fromlist:
        return _module(_SALT)
    for wanted in fromlist:
        if wanted != "*" and not hasattr(module, wanted):
            raise ImportError(advice(f"{name}.{wanted}"), name=name)
    return module


def _module(name: str) -> ModuleType:
    """Return what stands for a module of Salt.

    Raises:
        ModuleNotFoundError: nothing does.
    """
    ours = HOME + name.removeprefix(_SALT)
    for family in _MADE:
        if name.startswith(f"{_SALT}.{family}."):
            found: Any = importlib.import_module(f"{HOME}.{family}")
            for part in name.removeprefix(f"{_SALT}.{family}.").split("."):
                found = getattr(found, part)
            made: ModuleType = found
            return made
    try:
        return importlib.import_module(ours)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(HOME):
            raise
        raise ModuleNotFoundError(advice(name), name=name) from None
