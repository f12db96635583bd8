"""State module `mount`: file systems that are mounted, or not, now and after the next start.

Source: Salt's state module `mount`, 3008: results, changes and texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.states.mount.mounted import mounted
from ensue.states.mount.unmounted import unmounted

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"mounted": mounted, "unmounted": unmounted}
