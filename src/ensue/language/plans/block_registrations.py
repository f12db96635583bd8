"""What the delayed renderings of a state register, as far as it is known in a plan that cannot render them.

Which resources a rendering registered in earlier runs is on record. Whether it registers them again, or
others, is known once it is rendered.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ensue.core.model.chunk import Chunk
    from ensue.core.model.resource import DeclaredBy
    from ensue.core.model.srn import Srn


class BlockRegistrations:
    """The resources that delayed renderings have registered.

    Args:
        declared: the active resources that declarations of earlier runs registered.
    """

    def __init__(self, declared: Iterable[Mapping[DeclaredBy, Collection[Srn]]]) -> None:
        self._declared = declared

    @cached_property
    def _by_scope(self) -> Mapping[str, set[Srn]]:
        """The resources by the path of each scope that their declaration was in."""
        registered: defaultdict[str, set[Srn]] = defaultdict(set)
        for declared_by, srns in (item for declared in self._declared for item in declared.items()):
            scope = declared_by.scope
            for end in (*(end for end, sign in enumerate(scope) if sign == "/"), len(scope)):
                registered[scope[:end]].update(srns)
        return registered

    def registered_before(self, chunk: Chunk, scope: str) -> list[Srn]:
        """Return what the renderings of a state registered in earlier runs, sorted.

        Args:
            chunk: the state.
            scope: the path of its scope.
        """
        above = f"{scope}/" if scope else ""
        paths = [f"{above}{chunk.id}/{name}" for _, name in chunk.options.delayed_render]
        return sorted({srn for path in paths for srn in self._by_scope.get(path, ())})
