"""Execution module `mine`: what other minions told a master. There is no master, so nobody told anything.

Formulas that ask for it find nothing, as they do with Salt without a master.

Source: Salt's execution module `mine`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext
    from ensue.model.data import DataMap


def get(
    ctx: FunctionContext,  # noqa: ARG001 (every function is given it)
    tgt: str,  # noqa: ARG001 (Salt's argument)
    fun: str | list[str],  # noqa: ARG001 (Salt's argument)
    tgt_type: str = "glob",  # noqa: ARG001 (Salt's argument)
    exclude_minion: bool = False,  # noqa: ARG001 (Salt's argument)
) -> DataMap:
    """Return nothing."""
    return {}


def valid(ctx: FunctionContext) -> DataMap:  # noqa: ARG001 (every function is given it)
    """Return nothing."""
    return {}


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"get": get, "valid": valid}
