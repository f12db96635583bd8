"""The names by which blocks can be called from one rendering.

A name is looked up among the blocks of the rendering itself (its file, and the templates that it pulled in),
then outward in the enclosing text; never inward, and never in another SLS.

Source: SEP 16, "Finding blocks" and "Delayed Scope".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import CompileError
from ensue.language.blocks.scan import twice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.diagnostics import Diagnostic
    from ensue.language.blocks.block import Block


class BlockSpace(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Blocks by name.

    Args:
        own: the blocks of one rendering.
        outer: the names of the text around it; None for a whole file.
    """

    own: Mapping[str, Block] = msgspec.field(default_factory=dict[str, "Block"])
    outer: BlockSpace | None = None

    def find(self, name: str) -> tuple[Block, BlockSpace] | None:
        """Return a block and the space in which it was found; None if no block has the name."""
        space: BlockSpace | None = self
        while space is not None:
            if name in space.own:
                return space.own[name], space
            space = space.outer
        return None

    def names(self) -> Iterator[str]:
        """Yield every name that can be called, innermost first."""
        space: BlockSpace | None = self
        while space is not None:
            yield from space.own
            space = space.outer


NO_BLOCKS = BlockSpace()
"""Shared by all renderings without blocks."""


def space_of(blocks: Iterable[Block], outer: BlockSpace | None) -> BlockSpace:
    """Return the space of one rendering's blocks.

    Args:
        blocks: blocks of its file and of templates; a template may occur several times.
        outer: the space of the text around it.

    Raises:
        CompileError: two blocks have one name.
    """
    own: dict[str, Block] = {}
    faults: list[Diagnostic] = []
    for block in blocks:
        known = own.setdefault(block.name, block)
        if known.place != block.place:
            faults.append(twice(block.name, known.place, block.place))
    if faults:
        raise CompileError(faults)
    if not own and outer is None:
        return NO_BLOCKS
    return BlockSpace(own=own, outer=outer)
