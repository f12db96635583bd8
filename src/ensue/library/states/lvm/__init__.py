"""State module `lvm`: physical volumes, volume groups and logical volumes.

Notes:
    A logical volume is enlarged if it is smaller than `size` by an extent or more, because LVM rounds sizes
    up.

Source: Salt's state module `lvm`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.states.lvm.groups import pv_absent, pv_present, vg_absent, vg_present
from ensue.library.states.lvm.logical import lv_absent, lv_present

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "lv_absent": lv_absent,
    "lv_present": lv_present,
    "pv_absent": pv_absent,
    "pv_present": pv_present,
    "vg_absent": vg_absent,
    "vg_present": vg_present,
}
