"""Grains of resources that are kept between commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn


class KeptGrains(Protocol):
    """Keeps grains of one project; all methods but `keep` block.

    Each resource has a binding: the registration that its grains belong to. Grains are returned only for the
    same one.
    """

    @property
    def is_full(self) -> bool:
        """Whether enough grains wait that `flush` is due."""
        ...

    def read(self, bindings: Mapping[Srn, str]) -> dict[Srn, DataMap]:
        """Return the grains of resources that are young enough."""
        ...

    def gathered_at_s(self, srn: Srn, binding: str) -> float | None:
        """Return when the grains in use were gathered, seconds since the epoch; None when there are none."""
        ...

    def keep(self, srn: Srn, binding: str, grains: DataMap) -> None:
        """Keep grains that were just gathered; `flush` writes them."""
        ...

    def flush(self) -> None:
        """Write the grains that wait."""
        ...

    def drop(self, srns: Iterable[Srn]) -> None:
        """Remove the kept grains of resources."""
        ...

    def clear(self) -> None:
        """Remove all kept grains.

        Raises:
            StoreError: they cannot be removed.
        """
        ...

    def replace_seen(self, srns: Iterable[Srn]) -> set[str]:
        """Record which resources exist, remove the grains of others, and return the names recorded before.

        Raises:
            StoreError: they cannot be written.
        """
        ...

    def close(self) -> None:
        """Close what keeps them; call `flush` first."""
        ...
