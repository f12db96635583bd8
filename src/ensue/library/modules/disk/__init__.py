"""Execution module `disk`: file systems of the target, and the block devices that they are on.

Source: Salt's execution module `disk`, 3008: names and return values; df(1), blkid(8),
mkfs(8), blockdev(8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.disk import devices, usage

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {**usage.OFFERED, **devices.OFFERED}
