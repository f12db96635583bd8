"""The mark of state functions whose arguments say where a thing is, such as the host of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PLACED_BY: Final = "__ensue_placed_by__"
"""The attribute with the names of these arguments."""


def placed(functions: dict[str, Callable[..., Any]], *arguments: str) -> dict[str, Callable[..., Any]]:
    """Mark functions, and return them: a thing of the same name elsewhere is another thing.

    Args:
        functions: the functions of a module, by public name.
        arguments: the arguments that say where a thing is; a function need not take all of them.
    """
    for function in functions.values():
        setattr(function, PLACED_BY, arguments)
    return functions
