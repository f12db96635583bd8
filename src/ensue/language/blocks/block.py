"""A delayed block: text that was cut out of a file, to be rendered when a state calls for it."""

from __future__ import annotations

import enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.diagnostics import Span


class _Unset(enum.Enum):
    """The one value that says that a tag names no limit."""

    UNSET = "unset"


UNSET: Final = _Unset.UNSET
"""No limit is named: the configuration's holds."""

UNLIMITED: Final = None
"""`delayed_repeat_limit=None`: rendered as often as it is called."""

Limit: TypeAlias = int | Literal[_Unset.UNSET] | None
"""How often something may be rendered in one run."""


def _without_blocks(block: Block) -> Scan:
    return Scan(text=block.text)


class Block(msgspec.Struct, frozen=True, kw_only=True, dict=True, eq=False):
    """One delayed block, as it stands in its file. It has a dict, because what is in it is looked for once.

    Args:
        name: what states call it by.
        place: its opening tag; what is counted against a limit is this place.
        text: what stands between the tags, indentation common to all lines removed.
        first_line: the line of the file that `text` begins on.
        moved: whether indentation was removed, so that columns are not those of the file.
        scoped: whether it sees the top-level variables of the rendering that calls it.
        limit: how often it may be rendered in a run.
        pipe: the renderers of the file it stands in.
        template: the file's name in the roots, which relative includes start from.
        function: for a block of the `py` renderer, what renders it: it is given the renderers' stream, which
            knows blocks, and returns another; such a block has no text.
        caller: the ID of the state that calls for it without naming it; empty when states name it.
        cut: cuts out the blocks that stand in it.
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
    caller: str = ""
    cut: Callable[[Block], Scan] = _without_blocks

    @cached_property
    def inner(self) -> Scan:
        """The block's text with the blocks that stand in it cut out; they were checked with the file."""
        return self.cut(self)


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """A text and the blocks that were cut out of it.

    Args:
        text: the text; blank lines where blocks stood.
        blocks: the outermost blocks, in order.
        parts: the outermost parts with renderers of their own, in order; they wait for nothing.
    """

    text: str
    blocks: tuple[Block, ...] = ()
    parts: tuple[Block, ...] = ()
