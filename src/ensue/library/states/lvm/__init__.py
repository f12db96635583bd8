"""State module `lvm`: physical volumes, volume groups and logical volumes.

Notes:
    A logical volume is enlarged if it is smaller than `size` by an extent or more, because LVM rounds sizes
    up.

Source: Salt's state module `lvm`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.placed_things import placed
from ensue.library.states.lvm.groups import pv_absent, pv_present, vg_absent, vg_present
from ensue.library.states.lvm.logical import lv_absent, lv_present

FUNCTIONS: Final = placed(
    by_name(lv_absent, lv_present, pv_absent, pv_present, vg_absent, vg_present), "vgname"
)
ABSENT: Final = {"lv_present": "lv_absent", "pv_present": "pv_absent", "vg_present": "vg_absent"}
