"""What the function of a node asks to be compiled and run under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ensue.contracts.growth import PlanSource
    from ensue.model.srn import Srn


class AskedGrowth(NamedTuple):
    """What the function of a node asks for.

    Args:
        target: what it runs against.
        names: SLS names, or what the scope is called.
        source: makes the plan; None: it is SLS.
    """

    target: Srn
    names: tuple[str, ...]
    source: PlanSource | None = None
