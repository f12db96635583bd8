"""What came of a change of packages, as a state's return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.errors import EnsueError
    from ensue.model.data import DataMap


def package_state(names: Iterable[str], versions: Mapping[str, str]) -> DataMap:
    """Return the versions of packages by name, empty where one is not there."""
    return {name: versions.get(name, "") for name in names}


def failure(
    name: str, what: str, error: EnsueError, changes: DataMap, warnings: tuple[str, ...]
) -> StateReturn:
    """Return a failure that lists what the package manager complained of.

    Args:
        name: the state's name.
        what: what failed.
        error: the complaint.
        changes: what changed all the same.
        warnings: remarks.
    """
    lines = "\n".join(f"    - {line}" for line in str(error).splitlines() if line.strip())
    comment = f"{what}. Additional info follows:\n\nerrors:\n{lines}"
    return StateReturn(name=name, result=False, changes=changes, comment=comment, warnings=warnings)
