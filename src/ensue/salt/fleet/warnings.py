"""Warnings about runs over minions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.language.targeting.ansible_patterns import instead_of_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_LISTED: Final = "`salt-key -L` lists minions; grains and pillar are matched as the master cached them"


def nothing_matched(tgt: str) -> Diagnostic:
    """Return what is wrong with a target that matches no minion.

    Args:
        tgt: the target, masked.
    """
    is_word = bool(tgt) and not set(" @") & set(tgt)
    advice = instead_of_pattern(tgt, (), "the master") if is_word else ""
    return Diagnostic(
        code="E0845",
        summary=f"no minion matches {tgt!r}",
        detail="Salt's master knows no accepted minion of that kind",
        help=f"{advice}; {_LISTED}" if advice else _LISTED,
    )


def stopped_run(why: str, run_id: str) -> Iterator[Diagnostic]:
    """Yield a warning if a run was stopped.

    Args:
        why: why it was stopped; empty if it was not.
        run_id: the run; empty if it has no journal.
    """
    if why:
        yield Diagnostic(
            code="E0879",
            summary=f"the run over minions was stopped: {why}",
            detail="what minions have begun goes on there, and they keep their reports",
            help=f"ensue runs resume {run_id}" if run_id else "run the command again",
            severity=Severity.WARNING,
        )


def refused_frames(counts: Mapping[str, int]) -> Iterator[Diagnostic]:
    """Yield a warning for each sender of frames that are not its own."""
    for sender, count in sorted(counts.items()):
        frames = "1 frame that is" if count == 1 else f"{count} frames that are"
        yield Diagnostic(
            code="E0875",
            summary=f"minion {sender} sent {frames} not its own"
            if sender
            else f"somebody who is no minion of this run sent {frames} no minion's own",
            detail="each was refused: no minion of this run signed it for its job; Salt names the sender",
            help="look at what runs on that machine: ensue sends no such frames",
            severity=Severity.WARNING,
        )
