"""State module `mount`: mounts and unmounts file systems, now and at boot, and enables swap.

Notes:
    A `mount.mounted` that watches is remounted when what it watches has changed, but not in a plan.

Differences from Salt:
    `mount.fstab_present` identifies lines of the fstab by the folder unless `match_on` says otherwise; Salt
    identifies them by the device. The fstab keeps the lines that a change does not concern.

Args:
    name: the mount point.
    config: path of the fstab.

Source: Salt's state module `mount`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.placed_things import placed
from ensue.library.states.mount.fstab import fstab_absent, fstab_present
from ensue.library.states.mount.mounted import mounted
from ensue.library.states.mount.swap import swap
from ensue.library.states.mount.unmounted import unmounted
from ensue.library.states.mount.watching import mod_watch

FUNCTIONS: Final = placed(
    by_name(fstab_absent, fstab_present, mod_watch, mounted, swap, unmounted, make_only=("name", "paths")),
    "fs_file",
    "config",
)
ABSENT: Final = {"fstab_present": "fstab_absent", "mounted": "unmounted", "swap": "unmounted"}

MOD_WATCH = mod_watch
