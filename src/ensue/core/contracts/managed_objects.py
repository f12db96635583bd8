"""Objects outside that resources make: which resource has which, and what a removal would destroy of another.

Drivers name them (`manages`, `managed`, `destroys` in `ensue.core.contracts.driver`), deployments compare
them.

Source: resource graph document, "Nothing is destroyed unasked".
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 -- msgspec reads the types of fields
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec

_NOTHING: Mapping[str, Any] = MappingProxyType({})

Ownership: TypeAlias = Literal["sole", "first", "shared"]
"""Which resources may have an object: one at a time; only the one that made it, so that no other resource can
go on with it; or any number, because each makes a part of it, or because its place does not identify it."""


class ManagedObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object outside that a resource makes and keeps, or that its removal destroys.

    Args:
        place: what identifies it, the widest part first: `("", "file", "srv", "shop", "x.conf")`.
        name: the object as messages name it; may contain secrets.
        details: what else tells objects of the same place apart, such as the `user` of a cron job.
        ownership: which resources may have it.
    """

    place: tuple[str, ...]
    name: str
    details: Mapping[str, Any] = _NOTHING
    ownership: Ownership = "sole"

    def takes(self, other: ManagedObject) -> bool:
        """Return whether another object goes with this one: it is the same, or it is inside.

        Details that only one of the two has do not tell them apart.

        Args:
            other: the object that a resource keeps.
        """
        if other.place[: len(self.place)] != self.place:
            return False
        return self._has_details_of(other)

    def is_same(self, other: ManagedObject) -> bool:
        """Return whether another object is this one.

        Args:
            other: the object of another resource.
        """
        return self.place == other.place and self._has_details_of(other)

    def _has_details_of(self, other: ManagedObject) -> bool:
        shared = self.details.keys() & other.details.keys()
        return all(self.details[key] == other.details[key] for key in shared)
