"""Execution module `user`: the target's users, through `useradd`, `usermod` and `userdel`.

The module `shadow` handles passwords.

Source: Salt's execution module `user` (useradd), 3008: names and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.user.adding import add, delete
from ensue.library.modules.user.changing import CHANGES
from ensue.library.modules.user.queries import getent, info, list_groups, list_users, primary_group

FUNCTIONS: Final = by_name(add, delete, getent, info, list_groups, list_users, primary_group, CHANGES)
