"""The parameters of a plug-in's function, as far as a caller needs them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a function.

    Args:
        name: its name.
        is_named: whether it can be given by its name.
        is_optional: whether it has a default.
        takes_others: whether it takes all arguments of other names (`**kwargs`).
    """

    name: str
    is_named: bool
    is_optional: bool
    takes_others: bool = False


def parameters(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a function in order, as `inspect.signature` returns them.

    Raises:
        TypeError: the object has no signature.
        ValueError: its signature cannot be known.
    """
    kinds = inspect.Parameter
    return [
        Parameter(
            each.name,
            is_named=each.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY),
            is_optional=each.default is not kinds.empty,
            takes_others=each.kind is kinds.VAR_KEYWORD,
        )
        for each in inspect.signature(function).parameters.values()
    ]
