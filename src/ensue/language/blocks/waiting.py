"""`#!require:ID` … `#!END`: Idem's blocks, which wait for a state.

Such a block is a delayed block that the state of that ID calls, wherever the state is. The tag may name
its renderers (`#!require:ID;yaml`), and so may a separate line below it (`#!json`). Without an end tag, the
block extends to the end of the text. `#!json` … `#!END` is a part of the file that is not delayed and has its
own renderers. Without an end tag, or as the first line of a text, such a line is not a tag.

Source: Idem 25, `rend`'s blocks and the resolver of their requisites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.language.renderer_names import NAMES

if TYPE_CHECKING:
    from collections.abc import Container

    from ensue.core.diagnostics import Span

MARKS: Final = ("#!require:", ";require:", "#!END")
"""A text without any of these has no such block, and no part that names its own renderers."""

_RENDERERS: Final = [[name] for name in NAMES]
_WORD: Final = "require"
_END: Final = "END"


class Waiting(msgspec.Struct, frozen=True):
    """The content of the tag of a block that waits for a state.

    Args:
        caller: the ID of the state that it waits for.
        pipe: its renderers; empty if it names none.
        others: further states that the tag names, which it must not.
    """

    caller: str
    pipe: str = ""
    others: tuple[str, ...] = ()


def read_waiting(line: str) -> Waiting | None:
    """Read a line that begins with `#!` as the tag of a waiting block; None if it is not one."""
    callers: list[str] = []
    pipe = ""
    for part in line.removeprefix("#!").split(";"):
        word, colon, value = part.partition(":")
        if colon and word.strip() == _WORD:
            callers += filter(None, [value.strip()])
        elif not colon:
            pipe = part.strip()
    return Waiting(callers[0], pipe, tuple(callers[1:])) if callers else None


def waits_for_several(waiting: Waiting, span: Span) -> list[Diagnostic]:
    """Return the error for a tag that names several states; empty if it names one."""
    if not waiting.others:
        return []
    named = " and ".join(map(repr, (waiting.caller, *waiting.others)))
    return [
        Diagnostic(
            code="E0866",
            summary=f"a block waits for {named}",
            span=span,
            detail="a block waits for one state, whose return it reads in `prev_ret`",
            help="wait for a state that requires the others",
        )
    ]


def read_pipe(line: str) -> str:
    """Return the renderers that a line beginning with `#!` names; empty if it names none."""
    named = line.removeprefix("#!").strip()
    return named if named and all(part.split()[:1] in _RENDERERS for part in named.split("|")) else ""


def is_end(line: str) -> bool:
    """Return whether a line that begins with `#!` ends a block."""
    return line.removeprefix("#!").strip() == _END


def name_of(caller: str, taken: Container[str]) -> str:
    """Return the name of a block for the report.

    Args:
        caller: the ID of the state that it waits for.
        taken: the names of the blocks at the same level.
    """
    name = f"{_WORD}:{caller}"
    number = 2
    while name in taken:
        name = f"{_WORD}:{caller}#{number}"
        number += 1
    return name
