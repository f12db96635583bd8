"""`#!require:ID` … `#!END`: Idem's blocks, which wait for a state.

Such a block is a delayed block that the state of that ID calls for, wherever it stands. The tag may name the
block's renderers (`#!require:ID;yaml`), and so may a line of its own below it (`#!json`); without an end the
block goes on to the end of the text. `#!json` … `#!END` is a part of the file that waits for nothing and has
renderers of its own; without an end, and as the first line of a text, such a line is no tag.

Source: Idem 25, `rend`'s blocks and the resolver of their requisites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.language.renderer_names import NAMES

if TYPE_CHECKING:
    from collections.abc import Container

MARKS: Final = ("#!require:", ";require:", "#!END")
"""A text without any of these holds no such block, and no part with renderers of its own."""

_RENDERERS: Final = [[name] for name in NAMES]
_WORD: Final = "require"
_END: Final = "END"


class Waiting(msgspec.Struct, frozen=True):
    """What the tag of such a block says.

    Args:
        caller: the ID of the state that it waits for.
        pipe: its renderers; empty when it names none.
    """

    caller: str
    pipe: str = ""


def read_waiting(line: str) -> Waiting | None:
    """Read a line that begins with `#!`; None when it is no such tag."""
    caller = pipe = ""
    for part in line.removeprefix("#!").split(";"):
        word, colon, value = part.partition(":")
        if colon and word.strip() == _WORD:
            caller = value.strip()
        elif not colon:
            pipe = part.strip()
    return Waiting(caller, pipe) if caller else None


def read_pipe(line: str) -> str:
    """Read a line that begins with `#!` as one that names renderers; empty when it names none."""
    named = line.removeprefix("#!").strip()
    return named if named and all(part.split()[:1] in _RENDERERS for part in named.split("|")) else ""


def is_end(line: str) -> bool:
    """Return whether a line that begins with `#!` ends such a block."""
    return line.removeprefix("#!").strip() == _END


def name_of(caller: str, taken: Container[str]) -> str:
    """Return the name that the report has for a block.

    Args:
        caller: the ID of the state that it waits for.
        taken: the names of the blocks beside it.
    """
    name = f"{_WORD}:{caller}"
    number = 2
    while name in taken:
        name = f"{_WORD}:{caller}#{number}"
        number += 1
    return name
