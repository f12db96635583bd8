"""The state that a block with `#!require:` adds to its scope if no single state of the scope can call it.

A block that waits for several states is rendered when all of them have ended, and a block that waits for a
state of an enclosing scope is rendered at once, because that state has a return. In both cases a state of
their own waits and calls the block; it has no function (`StateOptions.producers`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.chunk import StateOptions
from ensue.language.chunks import Draft
from ensue.language.declarations import Declaration

if TYPE_CHECKING:
    from ensue.core.model.chunk import DelayedCall
    from ensue.language.blocks.block import Block
    from ensue.language.settings.roots import SlsFile

MODULE: Final = "delayed"
FUNCTION: Final = "wait"
"""Module and function in the tag of such a state; an SLS cannot call `delayed.wait`."""


def waiting_draft(block: Block, called: DelayedCall, file: SlsFile, last: Draft | None) -> Draft:
    """Return the state that waits for the producers of a block, and calls the block.

    Args:
        block: the block.
        called: the block, as the state calls it.
        file: the SLS that the block is in.
        last: the last of its producers in this scope, which the state follows in the order of the run; None
            if all of them are in enclosing scopes, so that the state is the first of its scope.
    """
    from ensue.language.place_document import PlaceDocument

    declaration = Declaration(
        id=block.name,
        module=MODULE,
        function=FUNCTION,
        arguments={},
        sls=file.name,
        document=PlaceDocument.at(block.place),
        key="",
        saltenv=file.saltenv,
    )
    options = StateOptions(
        delayed_render=(("block", called.name),), delayed_calls=(called,), producers=block.producers
    )
    draft = Draft(declaration, block.name, {}, options)
    if last is None:
        draft.order = "first"
    else:
        draft.order, draft.name_order = last.order, last.name_order + 1
    return draft
