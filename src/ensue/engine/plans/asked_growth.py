"""A request of a node's function to compile and run something under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ensue.core.contracts.growth import PlanSource
    from ensue.core.model.srn import Srn


class AskedGrowth(NamedTuple):
    """A request of the function of a node.

    Args:
        target: its target.
        names: SLS names, or the name of the scope.
        source: makes the plan; None: it comes from SLS.
    """

    target: Srn
    names: tuple[str, ...]
    source: PlanSource | None = None
