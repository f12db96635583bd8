"""State module `git`: manages working copies on the target, with the target's git.

Source: Salt's state module `git`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.states.git.cloned import cloned
from ensue.library.states.git.config import config_set, config_unset
from ensue.library.states.git.detached import detached
from ensue.library.states.git.latest import latest
from ensue.library.states.git.present import present

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "cloned": cloned,
    "config_set": config_set,
    "config_unset": config_unset,
    "detached": detached,
    "latest": latest,
    "present": present,
}
