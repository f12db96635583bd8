"""Imports in a project's own Python files: names of Salt, and files in the same folder.

Each file has its own builtins, with an `__import__` that handles both, also for imports inside functions.
Python offers nothing simpler: entries in `sys.modules` or `sys.path`, or an import hook, would show a fake
Salt to everything else in the process, such as libraries that check whether Salt is installed.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from ensue.language.salt_names.importing import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType


def builtins_of_file(load_beside: Callable[[str], ModuleType | None] = lambda _name: None) -> dict[str, Any]:
    """Return the `__builtins__` that a file's globals require for its imports.

    Args:
        load_beside: loads a file of the same folder by module name, None if there is none. It is called once
            per name, and only if Python does not find the module.
    """
    beside: dict[str, ModuleType] = {}

    def find(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 -- the signature of `__import__`
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if not level and (module := beside.get(name) or imported(name, fromlist or ())):
            return module
        try:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        except ModuleNotFoundError as error:
            loaded = load_beside(name) if not level and error.name == name else None
            if loaded is None:
                raise
            beside[name] = loaded
            return loaded

    return {"__builtins__": {**vars(builtins), "__import__": find}}
