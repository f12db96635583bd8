"""State module `network`: interfaces, routes and settings in the files of ifupdown or `ifcfg`.

Files are written if they differ, and applied by the target's programs. On a target that is not booted,
such as a chroot or an image, only the files are written.

Source: Salt's state module `network`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.states.network.interface import managed
from ensue.library.states.network.whole import routes, system

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"managed": managed, "routes": routes, "system": system}
