"""The import statements of a custom file: names of Salt, and the files beside it.

Each file has builtins of its own, whose `__import__` knows both; that holds for imports inside of its
functions, too. The language offers nothing plainer: entries in `sys.modules`, `sys.path` or an import hook
would show a false Salt to everything else in the process, such as libraries that look whether Salt is there.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from ensue.model.regular_files import is_regular
from ensue.salt_names.importing import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import ModuleType


def builtins_of_file(folder: Path, load: Callable[[Path], ModuleType]) -> dict[str, Any]:
    """Return what the globals of a custom file need so that its imports work.

    Args:
        folder: where it is.
        load: loads a file beside it.
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
            path = folder / f"{name}.py"
            if level or error.name != name or not is_regular(path):
                raise
            beside[name] = load(path)
            return beside[name]

    return {"__builtins__": {**vars(builtins), "__import__": find}}
