"""What a plan knows of the states that an apply would run on a resource which it cannot plan on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn


class ForeseenSls(msgspec.Struct, frozen=True, kw_only=True):
    """The SLS that a run would apply to a resource.

    Args:
        target: the resource.
        names: the SLS whose names are known.
        complete: whether these are all; otherwise an apply decides about others.
        registered: whether the resource is registered already.
    """

    target: Srn
    names: tuple[str, ...]
    complete: bool = True
    registered: bool = False

    def as_data(self) -> dict[str, Data]:
        """Return it as results have it: `target sls complete`, and `registered` of a registered resource."""
        data: dict[str, Data] = {
            "target": str(self.target),
            "sls": list(self.names),
            "complete": self.complete,
        }
        return data | {"registered": True} if self.registered else data
