"""Execution module `grains`: reads the target's grains, and sets those in its grains file.

Args:
    key: its path, with colons between the keys.

Source: Salt's execution module `grains`, 3008: names, arguments and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.grains.giving import append, delkey, delval, remove, set_, setval, setvals
from ensue.library.modules.grains.queries import equals, filter_by, get, has_value, item, items, ls

FUNCTIONS: Final = by_name(
    append, delkey, delval, equals, filter_by, get, has_value, item, items, ls, remove, set_,
    setval, setvals, fetch=get,
)  # fmt: skip
