"""The mine: return values of functions on the targets of a project, which other targets can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.model.srn import Srn


class Mine(Protocol):
    """The values of all targets of a project, by name."""

    async def gathered(
        self, target: str, names: Sequence[str], *, engine: str | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return values of targets, by name and then by id.

        A value that `mine_functions` of the target defines is queried again, once per command, unless pillar
        is being compiled; if the target does not answer, the stored value counts. A missing value is logged
        as a warning.

        Args:
            target: a compound expression, or the pattern of one engine.
            names: the names of the values.
            engine: the letter of that engine, empty for a glob; None for a compound expression.

        Raises:
            StateFailedError: the target does not parse.
            StoreError: the stored values cannot be read.
        """
        ...

    async def names(self, srn: Srn) -> list[str]:
        """Return the names of the stored values of a target, sorted."""
        ...

    async def keep(self, srn: Srn, values: Mapping[str, Any]) -> None:
        """Store values of a target, in addition to those that are stored.

        Raises:
            StateFailedError: a value is not data.
            StoreError: they cannot be written.
        """
        ...

    async def update(self, srn: Srn) -> list[str]:
        """Call all `mine_functions` of a target and store their values; return their names.

        Raises:
            StateFailedError: a definition makes no sense, or a function fails.
            StoreError: they cannot be written.
        """
        ...

    async def forget(self, srn: Srn, name: str | None = None) -> None:
        """Remove a value of a target, or all of them.

        Raises:
            StoreError: it cannot be written.
        """
        ...
