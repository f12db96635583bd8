"""Execution module `user`: the target's users, through `useradd`, `usermod` and `userdel`.

The module `shadow` handles passwords.

Source: Salt's execution module `user` (useradd), 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.user.adding import add, delete
from ensue.library.modules.user.changing import CHANGES
from ensue.library.modules.user.queries import getent, info, list_groups, list_users, primary_group

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "add": add,
    "delete": delete,
    "getent": getent,
    "info": info,
    "list_groups": list_groups,
    "list_users": list_users,
    "primary_group": primary_group,
    **CHANGES,
}
