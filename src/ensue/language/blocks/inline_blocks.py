"""Which delayed blocks are rendered on the event loop's own thread.

A template may call functions that wait for the event loop, and a loop in it may take any time. So templates
are rendered in threads. Changing threads costs as much as rendering a short block (bench case
`delayed-1000`), and therefore one kind of block is an exception: a short text that only prints variables.
Its text decides, and whether the grains that it names have been gathered; see `plans/late_rendering.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ensue.language.blocks.block import Block

_STAGES: Final = (["jinja"], ["yaml"], ["json"])
_LONGEST_CHARS: Final = 10_000
_PRINTED: Final = re.compile(
    r"""\{\{[-+]?\s*(?!salt\b)\w+(?:\.\w+|\[(?:\d+|'[^'{}]*'|"[^"{}]*")\])*\s*[-+]?\}\}"""
)
"""A variable by its name, with attributes and keys; no call, filter or operator."""
_JINJA: Final = ("{{", "{%", "#jinja2:")


def is_brief(block: Block) -> bool:
    """Return whether a block is short and only prints variables: rendering it is quick and never waits.

    Args:
        block: a delayed block; with another renderer than Jinja, YAML and JSON it is not brief.
    """
    if block.function is not None or len(block.text) > _LONGEST_CHARS:
        return False
    if any(stage.split()[:1] not in _STAGES for stage in block.pipe.split("|")):
        return False
    plain = _PRINTED.sub("", block.text)
    return not any(sign in plain for sign in _JINJA) and not block.inner.parts


def names_grains(block: Block) -> bool:
    """Return whether a block may read grains, which may have to be gathered first.

    Args:
        block: a brief block that sees no variables of its caller, which could be grains by another name.
    """
    return "grains" in block.text
