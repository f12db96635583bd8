"""`__salt__`, `__grains__` and similar globals of a custom file, which depend on the running call.

A file is loaded once for all targets. So each global is a mapping that looks up, on every access, its content
for the call that is running in this thread. In a thread that the file itself has started, it has the content
for the managing minion.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, MutableMapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from ensue.language.salt_names.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

MAPPINGS: Final = ("salt", "grains", "pillar", "opts", "context", "utils", "states", "low")
"""The globals that are mappings, without their underscores."""

_call: ContextVar[Mapping[str, Any]] = ContextVar("custom_call")


@contextlib.contextmanager
def calling(surroundings: Mapping[str, Any]) -> Generator[None]:
    """Set the globals of custom files to those of one call, in this thread.

    Args:
        surroundings: the globals by their names without underscores.
    """
    token = _call.set(surroundings)
    try:
        with running(surroundings["salt"]):
            yield
    finally:
        _call.reset(token)


def globals_of_file(otherwise: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """Return the globals for a custom file.

    Args:
        otherwise: makes the surroundings where no call is running.
    """
    made = {f"__{name}__": Surrounding(name, otherwise) for name in MAPPINGS}
    return {**made, "__env__": "base"}


class Surrounding(MutableMapping[str, Any]):
    """One global, with the content for the call that is running.

    Args:
        name: its name without underscores.
        otherwise: makes the surroundings where no call is running.
    """

    def __init__(self, name: str, otherwise: Callable[[], Mapping[str, Any]]) -> None:
        self._name = name
        self._otherwise = otherwise

    def value(self) -> Any:
        """Return the content of the global for the running call."""
        now = _call.get(None)
        if now is None:
            now = self._otherwise()
        return now.get(self._name, {})

    def __getitem__(self, key: str) -> Any:
        return self.value()[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.value()[key] = value

    def __delitem__(self, key: str) -> None:
        del self.value()[key]

    def __contains__(self, key: object) -> bool:
        return key in self.value()

    def __iter__(self) -> Iterator[str]:
        return iter(self.value())

    def __len__(self) -> int:
        return len(self.value())

    def __getattr__(self, name: str) -> Any:
        # `__salt__.cmd.run(…)`, and methods of dictionaries (`copy`).
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.value(), name)

    def __repr__(self) -> str:
        return repr(self.value())
