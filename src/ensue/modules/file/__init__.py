"""Execution module `file`: reading what is on the target, and the few changes that `ensue call` is used for.

States that manage files are in the state module `file`; they do not use this one.

Source: Salt's execution module `file`, names and return shapes as in 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules.file import changing, content, existence, finding, names, statistics

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **changing.OFFERED,
    **content.OFFERED,
    **existence.OFFERED,
    **finding.OFFERED,
    **names.OFFERED,
    **statistics.OFFERED,
}
