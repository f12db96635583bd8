"""Objects outside that resources make: they tell whether a removal would destroy what another resource has.

Drivers name them (`manages`, `managed`, `destroys` in `ensue.core.contracts.driver`), deployments compare
them.

Source: resource graph document, "Nothing is destroyed unasked".
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 -- msgspec reads the types of fields
from types import MappingProxyType
from typing import Any

import msgspec

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ManagedObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object outside that a resource makes and keeps, or that its removal destroys.

    Args:
        place: what identifies it, the widest part first: `("", "file", "srv", "shop", "x.conf")`.
        name: the object as messages name it; may contain secrets.
        details: what else tells objects of the same place apart, such as the `user` of a cron job.
    """

    place: tuple[str, ...]
    name: str
    details: Mapping[str, Any] = _NOTHING

    def takes(self, other: ManagedObject) -> bool:
        """Return whether another object goes with this one: it is the same, or it is inside.

        Details that only one of the two has do not tell them apart.

        Args:
            other: the object that a resource keeps.
        """
        if other.place[: len(self.place)] != self.place:
            return False
        shared = self.details.keys() & other.details.keys()
        return all(self.details[key] == other.details[key] for key in shared)
