"""Functions that ensue and the project lack, which something else provides: the bridge to Salt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.function_docs import FunctionKind


class FurtherFunctions(Protocol):
    """Provides state and execution functions as ensue calls them."""

    @property
    def hint(self) -> str:
        """What a user may do to get a missing function; empty if it has been searched everywhere."""
        ...

    def find(self, kind: FunctionKind, module: str, function: str) -> Callable[..., Any] | None:
        """Return a function that takes a context first; None if there is none.

        Raises:
            PluginError: what provides functions does not load.
        """
        ...

    def is_waiting(self, kind: FunctionKind, module: str) -> bool:
        """Return whether there is a module that does not load at present, but may later in the run."""
        ...

    def has_module(self, kind: FunctionKind, module: str) -> bool:
        """Return whether there is a module of this name that loads on this machine."""
        ...
