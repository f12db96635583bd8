"""State module `user`: the target's users, their groups and passwords.

Source: Salt's state module `user`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.user.absent import absent
from ensue.library.states.user.present import present

FUNCTIONS: Final = by_name(absent, present, make_only=("name", "paths"))
