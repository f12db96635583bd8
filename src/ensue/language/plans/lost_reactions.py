"""Warns of states that react to changes of the chosen part of a run, and are left out themselves.

The chosen state changes in this run and not in the next one, so that nothing runs what reacts to it. Ansible
calls the handlers of the chosen tasks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.contracts.growth import Excluded, Plan
    from ensue.core.model.run_part import RunPart


def lost_reactions(plans: Sequence[Plan], part: RunPart) -> Iterator[Diagnostic]:
    """Yield a warning that names the states left out that react to a state of the part.

    Args:
        plans: what the run begins with, without what is left out.
        part: the words that choose a part of it.
    """
    reacting = [excluded for plan in plans for excluded in plan.excluded if excluded.reacts_to]
    if not reacting:
        return
    first = reacting[0]
    ids = list(dict.fromkeys(excluded.chunk.id for excluded in reacting))
    yield Diagnostic(
        code="E0899",
        summary=f"{first.reacts_to!r} runs, and what reacts to its changes is left out: {_listed(reacting)}",
        span=first.chunk.document.locate(first.chunk.keys),
        detail="a later run sees no change any more, so that it does not react either",
        help=_instead(ids, part),
        severity=Severity.WARNING,
    )


def _listed(reacting: Sequence[Excluded]) -> str:
    """Return the IDs of the states, each that reacts to another state than the first with that one's ID."""
    first = reacting[0].reacts_to
    texts = (
        f"{excluded.chunk.id!r}"
        if excluded.reacts_to == first
        else f"{excluded.chunk.id!r} (reacts to {excluded.reacts_to!r})"
        for excluded in reacting
    )
    return ", ".join(dict.fromkeys(texts))


def _instead(ids: Sequence[str], part: RunPart) -> str:
    import shlex  # Only a part of a run that leaves such states out needs it.

    words = [shlex.quote(word if word.isidentifier() else f"id:{word}") for word in ids]
    options = " ".join(f"--only {word}" for word in words)
    also = f"add {options}" if part.only else f"leave out --start-at, or name the states with {options}"
    return f"to run them too, {also}"
