"""The mine: what functions returned on the targets of a project, kept for the others to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.model.srn import Srn


class Mine(Protocol):
    """The values of all targets of a project, by name."""

    async def gathered(
        self, target: str, names: Sequence[str], *, engine: str | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return values of targets: by name, in it by id.

        A value that `mine_functions` of the target defines is asked for anew, once per command, unless pillar
        is being compiled; where the target does not answer, what was kept counts. What is not there is logged
        as a warning.

        Args:
            target: a compound expression, or the pattern of one engine.
            names: the names of the values.
            engine: the letter of that engine, empty for a glob; None for a compound expression.

        Raises:
            StateFailedError: the target does not parse.
            StoreError: what is kept cannot be read.
        """
        ...

    async def names(self, srn: Srn) -> list[str]:
        """Return the names of the values that are kept of a target, sorted."""
        ...

    async def keep(self, srn: Srn, values: Mapping[str, Any]) -> None:
        """Keep values of a target beside those that are kept.

        Raises:
            StateFailedError: a value is no data.
            StoreError: they cannot be written.
        """
        ...

    async def update(self, srn: Srn) -> list[str]:
        """Call all `mine_functions` of a target and keep what they return; return their names.

        Raises:
            StateFailedError: a definition makes no sense, or a function fails.
            StoreError: they cannot be written.
        """
        ...

    async def forget(self, srn: Srn, name: str | None = None) -> None:
        """Forget a value of a target, or all of them.

        Raises:
            StoreError: it cannot be written.
        """
        ...
