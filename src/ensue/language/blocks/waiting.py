"""`#!require:ID` … `#!END`: Idem's blocks, which wait for a state, or for several.

Such a block is a delayed block that the state of that ID calls, wherever the state is. A block that names
several states (`#!require:a;require:b`), or one of an enclosing scope, is called by a state of its own that
waits for them (`block_waits.py`). The tag may name its renderers (`#!require:ID;yaml`), and so may a
separate line below it (`#!json`). Without an end tag, the block extends to the end of the text. `#!json` …
`#!END` is a part of the file that is not delayed and has its own renderers. Without an end tag, or as the
first line of a text, such a line is not a tag.

Source: Idem 25, `rend`'s blocks and the resolver of their requisites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.language.renderer_names import NAMES

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

MARKS: Final = ("#!require:", ";require:", "#!END")
"""A text without any of these has no such block, and no part that names its own renderers."""

_RENDERERS: Final = [[name] for name in NAMES]
_WORD: Final = "require"
_END: Final = "END"


class WaitingTag(msgspec.Struct, frozen=True):
    """The content of the tag of a block that waits for states.

    Args:
        producers: the IDs of the states that it waits for, at least one.
        pipe: its renderers; empty if it names none.
    """

    producers: tuple[str, ...]
    pipe: str = ""


def read_waiting(line: str) -> WaitingTag | None:
    """Read a line that begins with `#!` as the tag of a waiting block; None if it is not one."""
    producers: list[str] = []
    pipe = ""
    for part in line.removeprefix("#!").split(";"):
        word, colon, value = part.partition(":")
        if colon and word.strip() == _WORD:
            producers += filter(None, [value.strip()])
        elif not colon:
            pipe = part.strip()
    return WaitingTag(tuple(dict.fromkeys(producers)), pipe) if producers else None


def read_pipe(line: str) -> str:
    """Return the renderers that a line beginning with `#!` names; empty if it names none."""
    named = line.removeprefix("#!").strip()
    return named if named and all(part.split()[:1] in _RENDERERS for part in named.split("|")) else ""


def is_end(line: str) -> bool:
    """Return whether a line that begins with `#!` ends a block."""
    return line.removeprefix("#!").strip() == _END


def name_of(producers: Sequence[str], taken: Container[str]) -> str:
    """Return the name of a block for the report.

    Args:
        producers: the IDs of the states that it waits for.
        taken: the names of the blocks at the same level.
    """
    tag = name = ";".join(f"{_WORD}:{producer}" for producer in producers)
    number = 2
    while name in taken:
        name = f"{tag}#{number}"
        number += 1
    return name
