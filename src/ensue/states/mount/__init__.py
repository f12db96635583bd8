"""State module `mount`: mounts and unmounts file systems, now and at boot, and enables swap.

Source: Salt's state module `mount`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.states.mount.fstab import fstab_absent, fstab_present
from ensue.states.mount.mounted import mounted
from ensue.states.mount.swap import swap
from ensue.states.mount.unmounted import unmounted
from ensue.states.mount.watching import mod_watch

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "fstab_absent": fstab_absent,
    "fstab_present": fstab_present,
    "mod_watch": mod_watch,
    "mounted": mounted,
    "swap": swap,
    "unmounted": unmounted,
}

MOD_WATCH = mod_watch
