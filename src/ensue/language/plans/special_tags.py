"""Warns of the tags `never` and `always`, which mean something in Ansible and are words as any other here.

Users of Ansible do not expect that a run calls a state with `never`, or leaves out one with `always`.

Source: Ansible, "Special tags".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.run_part import RunPart

NEVER: Final = "never"
ALWAYS: Final = "always"


def special_tags(plans: Sequence[Plan], part: RunPart) -> Iterator[Diagnostic]:
    """Yield a warning of states that run in spite of `never`, and of those that do not in spite of `always`.

    Args:
        plans: what the run begins with, without what is left out.
        part: the words that choose a part of it.
    """
    if not part.only:
        # With `--only`, whoever runs such a state has named it, or what requires it.
        yield from _warning(
            _tagged((chunk for plan in plans for chunk in plan.chunks), NEVER),
            f"has the tag `{NEVER}` and runs",
            "a tag only names a state, also this one of Ansible",
            f"`--exclude tag:{NEVER}` leaves it out; a state that runs only on request is in an SLS of its "
            "own, which the top file does not assign: `ensue apply SLS`",
        )
    if part.only or part.start_at:
        yield from _warning(
            _tagged((excluded.chunk for plan in plans for excluded in plan.excluded), ALWAYS),
            f"has the tag `{ALWAYS}` and is left out",
            "a tag only names a state, also this one of Ansible",
            f"`--only tag:{ALWAYS}` runs it too; what the chosen states need, they `require`",
        )


def _tagged(chunks: Iterable[Chunk], tag: str) -> list[Chunk]:
    return [chunk for chunk in chunks if tag in chunk.options.tags]


def _warning(chunks: list[Chunk], what: str, why: str, instead: str) -> Iterator[Diagnostic]:
    if not chunks:
        return
    first = chunks[0]
    others = len(chunks) - 1
    more = f", as {others} more {'do' if others > 1 else 'does'}" if others else ""
    yield Diagnostic(
        code="E0891",
        summary=f"{first.id!r} {what}{more}",
        span=first.document.locate((*first.keys, "tags")),
        detail=why,
        help=instead,
        severity=Severity.WARNING,
    )
