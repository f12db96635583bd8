"""Execution module `environ`: the environment of ensue's own process on the managing minion.

A change affects commands that run later on the managing minion, until ensue ends.

Args:
    key: its name.
    default: the value to return if it is not set.

Source: Salt's execution module `environ`, 3008: it also works on the environment of its own process.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext

MANAGING_MINION_ONLY: Final = True
"""Its functions work on the process of ensue itself, so other targets do not have them."""


def get(ctx: FunctionContext, key: str, default: str = "") -> str:
    """Return a variable.

    Example:
        ensue call '*' environ.get PATH
    """
    return os.environ.get(key, default)


def has_value(ctx: FunctionContext, key: str, value: str | None = None) -> bool:
    """Return whether a variable is set, or set to a value.

    Args:
        value: the value; without it, any value will do.

    Example:
        ensue call '*' environ.has_value PATH
    """
    return key in os.environ if value is None else os.environ.get(key) == value


def item(ctx: FunctionContext, keys: str | Sequence[str], default: str = "") -> dict[str, str]:
    """Return variables by name.

    Args:
        keys: a name, or a list of names.

    Example:
        ensue call '*' environ.item '[PATH, HOME]'
    """
    names = [keys] if isinstance(keys, str) else keys
    return {name: get(ctx, name, default) for name in names}


def items(ctx: FunctionContext) -> dict[str, str]:
    """Return all variables."""
    return dict(os.environ)


def setval(ctx: FunctionContext, key: str, val: str | bool | None, false_unsets: bool = False) -> str | None:
    """Set a variable.

    Args:
        val: its value; False empties the variable, or removes it if `false_unsets` is set.
        false_unsets: see `val`.

    Example:
        ensue call '*' environ.setval http_proxy http://proxy.example.com:3128

    Returns:
        The value, None if it was removed.

    Raises:
        StateFailedError: the name or the value is not valid.
    """
    if not key or "=" in key or "\0" in key:
        raise StateFailedError(f"{key!r} is not a valid name of an environment variable")
    if val is False and false_unsets:
        os.environ.pop(key, None)
        return None
    text = "" if val is False else val
    if not isinstance(text, str) or "\0" in text:
        raise StateFailedError(f"the value of {key} must be a text, or False to unset it: {val!r}")
    os.environ[key] = text
    return text


def setenv(
    ctx: FunctionContext, environ: Mapping[str, Any], false_unsets: bool = False
) -> dict[str, str | None]:
    """Set variables; see `setval`.

    Args:
        environ: the values by name.
        false_unsets: a value of False removes the variable instead of emptying it.

    Example:
        ensue call '*' environ.setenv '{STAGE: test}'
    """
    return {key: setval(ctx, key, value, false_unsets) for key, value in environ.items()}


FUNCTIONS: Final = by_name(get, has_value, item, items, setenv, setval)
