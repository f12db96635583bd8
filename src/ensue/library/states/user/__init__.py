"""State module `user`: the target's users, their groups and passwords.

Source: Salt's state module `user`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.states.user.absent import absent
from ensue.library.states.user.present import present

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"absent": absent, "present": present}
