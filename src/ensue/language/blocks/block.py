"""A delayed block: text cut out of a file, which is rendered when a state calls for it."""

from __future__ import annotations

import enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.core.diagnostics import Span


class _Unset(enum.Enum):
    """The value for a tag that names no limit."""

    UNSET = "unset"


UNSET: Final = _Unset.UNSET
"""The tag names no limit: the limit of the configuration applies."""

UNLIMITED: Final = None
"""`delayed_repeat_limit=None`: rendered every time it is called."""

Limit: TypeAlias = int | Literal[_Unset.UNSET] | None
"""How often something may be rendered in one run."""


def _without_blocks(block: Block) -> Scan:
    return Scan(text=block.text)


class Block(msgspec.Struct, frozen=True, kw_only=True, dict=True, eq=False):
    """One delayed block, as it is in its file. It has a dict, because `inner` is computed only once.

    Args:
        name: what states call it by.
        place: its opening tag; renderings are counted per place.
        text: the text between the tags, without the indentation common to all lines.
        first_line: the line of the file that `text` begins on.
        moved: whether indentation was removed, so that columns differ from the file.
        scoped: whether it sees the top-level variables of the rendering that calls it.
        limit: how often it may be rendered in a run.
        pipe: the renderers of its file.
        template: the file's name in the roots, which relative includes start from.
        function: for a block of the `py` renderer, the function that renders it, from one stream to another;
            such a block has no text.
        producers: the IDs of the states that it waits for; empty when states call it by its name.
        cut: cuts out the blocks inside it.
    """

    name: str
    place: Span
    text: str = ""
    first_line: int = 1
    moved: bool = False
    scoped: bool = False
    limit: Limit = UNSET
    pipe: str = ""
    template: str = ""
    function: Callable[[Any], Any] | None = None
    producers: tuple[str, ...] = ()
    cut: Callable[[Block], Scan] = _without_blocks

    @cached_property
    def inner(self) -> Scan:
        """The block's text with its inner blocks cut out; they were checked with the file."""
        return self.cut(self)


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """A text and the blocks that were cut out of it.

    Args:
        text: the text, with blank lines in place of blocks.
        blocks: the outermost blocks, in order.
        parts: the outermost parts that name their own renderers, in order; they are not delayed.
    """

    text: str
    blocks: tuple[Block, ...] = ()
    parts: tuple[Block, ...] = ()

    @property
    def all_blocks(self) -> tuple[Block, ...]:
        """The outermost blocks, including those in the parts."""
        return (*self.blocks, *(block for part in self.parts for block in part.inner.all_blocks))

    def nested_blocks(self) -> Iterator[Block]:
        """Yield every block, and the blocks in its text."""
        for block in self.all_blocks:
            yield block
            yield from block.inner.nested_blocks()
