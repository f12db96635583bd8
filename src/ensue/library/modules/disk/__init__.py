"""Execution module `disk`: file systems of the target, and the block devices that they are on.

Args:
    device: the device.

Source: Salt's execution module `disk`, 3008: names and return values; df(1), blkid(8),
mkfs(8), blockdev(8).
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.disk import devices, usage

FUNCTIONS: Final = by_name(usage.OFFERED, devices.OFFERED)
