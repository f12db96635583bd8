"""Error messages about missing keys: which key is missing, and which keys exist."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.secret_marks import Secret
from ensue.deploy.gotemplate.failures import CallError

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_SHOWN: Final = 8
"""How many keys fit on a line."""

NO_MEMBER: Final = CallError(
    "index: there is no such key, or it is null", help="Pipe it to `default` where it may be missing"
)
"""The error for printing the result of `index` when it is nil."""

NO_VALUE: Final = CallError(
    "it is null, or comes from a key that is missing", help="Pipe it to `default` where it may be missing"
)
"""The error for printing a variable, or a field of an expression, when it is nil."""


def missing_key(name: str, names: tuple[str, ...], owner: Mapping[str, Any]) -> CallError:
    """Return the error for a key that is missing from a mapping.

    Args:
        name: the key.
        names: all keys of the operand, `.a.b.c`.
        owner: the mapping.
    """
    known = sorted(str(key) for key in owner if not isinstance(key, Secret))
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        hint = f"Did you mean {near[0]}?"
    elif known:
        hint = f"There is {', '.join(known[:_MOST_SHOWN])}{', …' if len(known) > _MOST_SHOWN else ''}"
    else:
        hint = "The mapping is empty; pipe a key that may be missing to `default`"
    return CallError(f"there is no key {name} (.{'.'.join(names)})", help=hint)
