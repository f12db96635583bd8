"""State module `git`: working copies on the target, by the target's own git.

Source: Salt's state module `git`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.states.git.latest import latest

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"latest": latest}
