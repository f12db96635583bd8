"""Loading one custom file: its globals, its imports of Salt, `__init__`, and the name that it requests.

Source: Salt's loader (`__virtual__`, `__virtualname__`, `__virtual_aliases__`, `__func_alias__`, `__load__`),
measured in 3008.5.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import PluginError
from ensue.core.files.regular_files import is_regular, obstacle
from ensue.language.custom.dunders import calling, globals_of_file
from ensue.language.salt_names.file_builtins import builtins_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import ModuleType


class LoadedFile(msgspec.Struct, frozen=True):
    """A custom file that was loaded.

    Args:
        path: where it is.
        module: what it is in Python.
        names: the names under which its functions are found; empty if the file refuses to be used.
        refusal: why it refuses; empty otherwise.
    """

    path: Path
    module: ModuleType
    names: tuple[str, ...]
    refusal: str = ""

    def __str__(self) -> str:
        shown = f"{self.path.parent.name}/{self.path.name}"
        return f"{shown} is not used: {self.refusal}" if self.refusal else shown

    @property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions of a file that is written for Salt, by the names by which they are called."""
        module = self.module
        listed = getattr(module, "__load__", None) or getattr(module, "__all__", None) or vars(module)
        alias: Mapping[str, str] = getattr(module, "__func_alias__", {})
        return {
            alias.get(name, name): getattr(module, name)
            for name in listed
            if not name.startswith("_") and _is_own(getattr(module, name, None), module)
        }

    @property
    def functions_with_context(self) -> Mapping[str, Callable[..., Any]]:
        """The functions of a file that is written for ensue; empty for any other file."""
        functions: Mapping[str, Callable[..., Any]] | None = getattr(self.module, "FUNCTIONS", None)
        return functions or {}


def load_file(path: Path, name: str, otherwise: Callable[[], Mapping[str, Any]]) -> LoadedFile:
    """Load a custom file. The event loop must not wait for this thread: the file may call functions.

    Args:
        path: the file.
        name: its name according to its path.
        otherwise: makes the globals' values for code that runs outside of a call.

    Raises:
        PluginError: it does not load; the message names it.
    """
    surroundings = otherwise()
    with calling(surroundings):
        module = _executed(path, globals_of_file(otherwise))
        begin = vars(module).get("__init__")
        if isinstance(begin, FunctionType):
            try:
                begin(dict(surroundings["opts"]))
            except Exception as error:
                raise _broken(path, error) from error
        names, refusal = _virtual(module, name)
    return LoadedFile(path, module, names, refusal)


def _executed(path: Path, given: Mapping[str, Any]) -> ModuleType:
    if obstruction := obstacle(path):
        raise PluginError(f"the project's module {path} is {obstruction}")
    # Dataclasses and pickle look a module up by its name, which two projects may have.
    folder = hashlib.sha256(str(path.parent).encode()).hexdigest()[:12]
    stem = path.parent.name if path.stem == "__init__" else path.stem
    below = [str(path.parent)] if path.stem == "__init__" else None
    spec = importlib.util.spec_from_file_location(
        f"ensue_project_{folder}.{stem}", path, submodule_search_locations=below
    )
    if spec is None or spec.loader is None:
        raise PluginError(f"{path} cannot be loaded as a Python module")
    module = importlib.util.module_from_spec(spec)
    vars(module).update(given)
    vars(module).update(builtins_of_file(lambda name: _beside(path, name, given)))
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(spec.name, None)
        raise _broken(path, error) from error
    return module


def _with_reason(answer: Any, reason: str) -> tuple[Any, str]:
    """Return the parts of a pair; the reason may be missing."""
    return answer[0] if answer else False, str(answer[1]) if len(answer) > 1 else reason


def _beside(path: Path, name: str, given: Mapping[str, Any]) -> ModuleType | None:
    """Load a file that another one in the same folder imports, for that one only."""
    neighbour = path.parent / f"{name}.py"
    return _executed(neighbour, given) if is_regular(neighbour) else None


def _broken(path: Path, error: BaseException) -> PluginError:
    return PluginError(f"the project's module {path} does not load: {type(error).__name__}: {error}")


def _is_own(value: Any, module: ModuleType) -> bool:
    """Return whether a value is a function that a file defines, and not one that it imports."""
    if isinstance(value, partial):
        return True
    return isinstance(value, FunctionType) and (
        value.__module__ == module.__name__ or value.__globals__ is vars(module)
    )


def _virtual(module: ModuleType, name: str) -> tuple[tuple[str, ...], str]:
    """Return the names that a file requests, or none and the reason."""
    aliases = tuple(map(str, getattr(module, "__virtual_aliases__", ())))
    ask = vars(module).get("__virtual__")
    if not isinstance(ask, FunctionType):
        return (name, *aliases), ""
    try:
        answer: Any = ask()
    except Exception as error:  # noqa: BLE001 -- a plug-in call
        return (), f"its __virtual__() raised {type(error).__name__}: {error}"
    reason = "its __virtual__() returned False"
    if isinstance(answer, tuple):
        answer, reason = _with_reason(answer, reason)
    if not answer:
        return (), reason
    virtual_name = getattr(module, "__virtualname__", answer)
    return (name if virtual_name is True else str(virtual_name), *aliases), ""
