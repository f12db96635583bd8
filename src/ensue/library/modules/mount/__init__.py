"""Execution module `mount`: the target's mounts, swap areas and fstab.

Source: Salt's execution module `mount`, 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.mount.fstab import fstab, rm_fstab, set_fstab
from ensue.library.modules.mount.mounting import active, is_mounted, mount, remount, umount
from ensue.library.modules.mount.swapping import swapoff, swapon, swaps

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "active": active,
    "fstab": fstab,
    "is_mounted": is_mounted,
    "mount": mount,
    "remount": remount,
    "rm_fstab": rm_fstab,
    "set_fstab": set_fstab,
    "swapoff": swapoff,
    "swapon": swapon,
    "swaps": swaps,
    "umount": umount,
}
