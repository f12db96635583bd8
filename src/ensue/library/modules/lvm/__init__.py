"""Execution module `lvm`: physical volumes, volume groups and logical volumes.

Args:
    lvname: its name.
    force: answer LVM's questions with yes.
    quiet: accepted as by Salt, without effect.

Source: Salt's execution module `lvm` (`linux_lvm`), 3008: names, arguments and return values; lvm(8).
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.lvm import logical, physical, showing

FUNCTIONS: Final = by_name(showing.OFFERED, physical.OFFERED, logical.OFFERED)
