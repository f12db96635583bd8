"""Execution module `grains`: reads the target's grains, and sets those in its grains file.

Source: Salt's execution module `grains`, 3008: names, arguments and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.grains.giving import append, delkey, delval, remove, set_, setval, setvals
from ensue.library.modules.grains.queries import equals, filter_by, get, has_value, item, items, ls

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "append": append,
    "delkey": delkey,
    "delval": delval,
    "equals": equals,
    "fetch": get,
    "filter_by": filter_by,
    "get": get,
    "has_value": has_value,
    "item": item,
    "items": items,
    "ls": ls,
    "remove": remove,
    "set": set_,
    "setval": setval,
    "setvals": setvals,
}
