"""The import statements of a project's own Python code: names of Salt, and the files beside it.

Each file has builtins of its own, whose `__import__` knows both; that holds for imports inside of its
functions, too. The language offers nothing plainer: entries in `sys.modules`, `sys.path` or an import hook
would show a false Salt to everything else in the process, such as libraries that look whether Salt is there.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from ensue.salt_names.importing import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType


def builtins_of_file(load_beside: Callable[[str], ModuleType | None] = lambda _name: None) -> dict[str, Any]:
    """Return what the globals of a file need so that its imports work.

    Args:
        load_beside: loads the file of a name that is beside it; None when there is none. It is asked once,
            and only for what Python does not find.
    """
    beside: dict[str, ModuleType] = {}

    def find(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 -- the signature of `__import__`
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if not level and (found := beside.get(name) or imported(name, fromlist or ())):
            return found
        try:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        except ModuleNotFoundError as error:
            loaded = load_beside(name) if not level and error.name == name else None
            if loaded is None:
                raise
            beside[name] = loaded
            return loaded

    return {"__builtins__": {**vars(builtins), "__import__": find}}
