"""State module `test.nested`: `present` under a module path of two parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.states.test.present import present

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"present": present}
