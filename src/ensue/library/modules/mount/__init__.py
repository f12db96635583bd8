"""Execution module `mount`: the target's mounts, swap areas and fstab.

Source: Salt's execution module `mount`, 3008: names and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.mount.fstab import fstab, rm_fstab, set_fstab
from ensue.library.modules.mount.mounting import active, is_mounted, mount, remount, umount
from ensue.library.modules.mount.swapping import swapoff, swapon, swaps

FUNCTIONS: Final = by_name(
    active, fstab, is_mounted, mount, remount, rm_fstab, set_fstab, swapoff, swapon, swaps, umount
)
