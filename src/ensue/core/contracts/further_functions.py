"""Functions that ensue and the project lack, which an installed Salt provides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.contracts.function_docs import FunctionKind


class SearchedSalt(Protocol):
    """An installed Salt, or the lack of one."""

    @property
    def hint(self) -> str:
        """What a user may do about a missing function; empty if Salt has been searched already."""
        ...


class FurtherFunctions(SearchedSalt, Protocol):
    """Provides state and execution functions as ensue calls them."""

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


class PillarsOfSalt(SearchedSalt, Protocol):
    """The external pillars of an installed Salt."""

    def external_pillar(
        self, name: str, target_id: str, given: Mapping[str, Any]
    ) -> Callable[..., Any] | None:
        """Return an external pillar by its name; None if no such pillar loads.

        Args:
            name: its name in `ext_pillar`.
            target_id: the id of the target whose pillar is compiled.
            given: the globals of custom code for this target.

        Raises:
            PluginError: Salt is installed and does not load.
        """
        ...


class TopsOfSalt(SearchedSalt, Protocol):
    """The master tops of an installed Salt."""

    def master_top(self, name: str, target_id: str, given: Mapping[str, Any]) -> Callable[..., Any] | None:
        """Return a master top by its name; None if no such top loads.

        Args:
            name: its name in `master_tops`.
            target_id: the id of the target.
            given: the globals of custom code for this target.

        Raises:
            PluginError: Salt is installed and does not load.
        """
        ...


class BridgeToSalt(FurtherFunctions, PillarsOfSalt, TopsOfSalt, Protocol):
    """All that an installed Salt provides."""
