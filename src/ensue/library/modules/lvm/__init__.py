"""Execution module `lvm`: physical volumes, volume groups and logical volumes.

Source: Salt's execution module `lvm` (`linux_lvm`), 3008: names, arguments and return values; lvm(8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.lvm import logical, physical, showing

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {**showing.OFFERED, **physical.OFFERED, **logical.OFFERED}
