"""`__utils__`: the functions of a project's `_utils`, called in the thread and as part of the running call.

Functions that no file of the project has are looked up in `salt.utils` (`__utils__['files.fopen']`).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ensue.language.salt_names.importing import home_of_salt

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.language.custom.folders import CustomFiles


class SharedFunctions(Mapping[str, Any]):
    """The functions of a project's `_utils`.

    Args:
        files: its files.
    """

    def __init__(self, files: CustomFiles) -> None:
        self._files = files

    def __getitem__(self, name: str) -> Callable[..., Any]:
        module, _, function = name.rpartition(".")
        refusals: list[str] = []
        for loaded in self._files.of(module):
            if loaded.refusal:
                refusals.append(str(loaded))
            elif function in loaded.functions:
                return loaded.functions[function]
        getitem = None if refusals else _salts_own(module, function)
        if getitem is None:
            raise KeyError("; ".join([name, *refusals]))
        return getitem

    def __iter__(self) -> Iterator[str]:
        for module in self._files.names():
            loaded = self._files.load(module)
            for own in loaded.names if loaded else ():
                yield from (f"{own}.{function}" for function in (loaded.functions if loaded else ()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _salts_own(module: str, function: str) -> Callable[..., Any] | None:
    if not module or function.startswith("_"):
        return None
    try:
        function_ = getattr(importlib.import_module(f"{home_of_salt()}.utils.{module}"), function, None)
    except ImportError:
        return None
    return function_ if callable(function_) else None
