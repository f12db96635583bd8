"""Execution module `file`: reads files of the target, and makes single changes for `ensue call`.

States that manage files are in the state module `file`; they do not use this one.

Args:
    path: an absolute path.

Source: Salt's execution module `file`, 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.file import changing, content, existence, finding, names, statistics

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
