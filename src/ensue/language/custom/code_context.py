"""The context of a target, as a project's own code and its templates use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ensue.core.contracts.context import FunctionContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.language.functions.functions import Functions


class CodeContext(FunctionContext, Protocol):
    """The context of a target, and what code that runs in a thread needs of it."""

    @property
    def execution_functions(self) -> Functions:
        """The execution functions that the target has."""
        ...

    @property
    def state_functions(self) -> Functions:
        """The state functions that the target has."""
        ...

    def grains_from_thread(self) -> Mapping[str, Any]:
        """Return the target's grains; called in a thread."""
        ...

    def template_variables(self) -> dict[str, Any]:
        """Return what the templates of the target see: `salt grains pillar opts`."""
        ...
