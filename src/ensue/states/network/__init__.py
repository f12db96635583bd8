"""State module `network`: interfaces, routes and settings of Debian's ifupdown and of `ifcfg` files.

Files are written when they describe something else, and applied by the target's own programs. A target whose
system is not started, as a chroot or an image, has its files written alone.

Source: Salt's state module `network`, 3008: arguments, results, changes and texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.states.network.interface import managed
from ensue.states.network.whole import routes, system

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"managed": managed, "routes": routes, "system": system}
