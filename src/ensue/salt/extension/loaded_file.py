"""Gives functions to a file that Salt loads, as if the file had defined them itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def offer(functions: Mapping[str, Callable[..., Any]], scope: dict[str, Any]) -> None:
    """Give functions to a file that Salt loads.

    Args:
        functions: the functions by the names that Salt calls them by; they belong to the file from now on.
        scope: the globals of the file.
    """
    for name, function in functions.items():
        # Salt takes only functions that a file has defined itself.
        function.__module__ = scope["__name__"]
        scope[name] = function
