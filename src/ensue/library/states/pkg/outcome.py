"""Parts of the returns of `pkg` states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.errors import EnsueError
    from ensue.core.model.data import DataMap


def package_state(names: Iterable[str], versions: Mapping[str, str]) -> DataMap:
    """Return the versions of packages by name, empty for a missing package."""
    return {name: versions.get(name, "") for name in names}


def failure(
    name: str, what: str, error: EnsueError, changes: DataMap, warnings: tuple[str, ...]
) -> StateReturn:
    """Return a failure with the errors of the package manager.

    Args:
        name: the state's name.
        what: what failed.
        error: text of the package manager.
        changes: what changed nevertheless.
        warnings: warnings for the return.
    """
    lines = "\n".join(f"    - {line}" for line in str(error).splitlines() if line.strip())
    comment = f"{what}. Additional info follows:\n\nerrors:\n{lines}"
    return StateReturn.failed(name, comment, changes, warnings=warnings)
