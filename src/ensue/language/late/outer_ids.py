"""The IDs and names of a scope's enclosing scopes, which nothing in it can refer to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ensue.core.model.fan_out import declared_id

if TYPE_CHECKING:
    from collections.abc import Container

    from ensue.core.contracts.growth import Plan


class OuterIds:
    """A container that searches only on demand.

    Args:
        plan: the plan of the directly enclosing scope.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._outer_ids: Container[str] = () if plan.tree is None else plan.tree.outer_ids

    def __contains__(self, name: object) -> bool:
        """Return whether a chunk of an enclosing scope has this ID or name."""
        return isinstance(name, str) and (name in self._own or name in self._outer_ids)

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(name for chunk in self._plan.chunks for name in (declared_id(chunk), chunk.name))
