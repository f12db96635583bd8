"""Warns of states that react to changes of the chosen part of a run, and are left out themselves.

They are owed from then on (`engine/reactions.py`); Ansible calls the handlers of the chosen tasks at once. An
apply is warned before it changes anything, a plan once it is known what would change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.contracts.growth import Excluded, Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.returns import Return
    from ensue.core.model.run_part import RunPart


_MOST_NAMED: Final = 5


class _LostReaction(NamedTuple):
    """A state that is left out.

    Args:
        chunk: the state.
        cause: the ID of the first state of the part to whose changes it reacts.
        brings: the other states that would come along with it.
    """

    chunk: Chunk
    cause: str
    brings: tuple[Chunk, ...]


def lost_reactions(
    plans: Sequence[Plan], part: RunPart, planned: Mapping[str, Return] | None = None
) -> Iterator[Diagnostic]:
    """Yield a warning that names the states left out that react to a state of the part.

    Args:
        plans: what the run begins with, without what is left out.
        part: the words that choose a part of it.
        planned: the returns of a plan by tag, after which only the states that would change count; None: an
            apply, before which each may change.
    """
    reacting = [
        _LostReaction(excluded.chunk, causes[0].id, excluded.brings)
        for plan in plans
        for excluded in plan.excluded
        if not (excluded.is_named or excluded.is_dependent)
        and (
            causes := [
                chunk for chunk in _causes(plan, excluded) if planned is None or _changes(chunk, planned)
            ]
        )
    ]
    if not reacting:
        return
    first = reacting[0]
    yield Diagnostic(
        code="E0899",
        summary=f"{first.cause!r} runs, and what reacts to its changes is left out: {_listed(reacting)}",
        span=first.chunk.document.locate(first.chunk.keys),
        detail="after a change it is owed: the next apply that does not leave it out runs it",
        help=_instead(reacting, part),
        severity=Severity.WARNING,
    )


def _causes(plan: Plan, excluded: Excluded) -> Iterator[Chunk]:
    """Yield the chunks of a plan to whose changes an excluded one reacts."""
    return (plan.chunks[index] for requisite in excluded.reactions for index in requisite.chunks)


def _changes(chunk: Chunk, planned: Mapping[str, Return]) -> bool:
    """Return whether a state of a plan would change something, or might."""
    returns = list(_returns_of(chunk, planned))
    return not returns or any(returned.result is None or returned.changes for returned in returns)


def _returns_of(chunk: Chunk, planned: Mapping[str, Return]) -> Iterator[Return]:
    """Yield the return of a chunk, or those on each of its targets."""
    if returned := planned.get(chunk.tag):
        yield returned
    elif chunk.options.fan_out is not None:
        for returned in planned.values():
            own_id = f"{returned.target.partition(':')[2]} {chunk.id}"
            if (returned.module, returned.function, returned.id) == (chunk.module, chunk.function, own_id):
                yield returned


def _listed(reacting: Sequence[_LostReaction]) -> str:
    """Return the IDs of the states, each that reacts to another state than the first with that one's ID."""
    first = reacting[0].cause
    texts = (
        f"{reaction.chunk.id!r}"
        if reaction.cause == first
        else f"{reaction.chunk.id!r} (reacts to {reaction.cause!r})"
        for reaction in reacting
    )
    return ", ".join(dict.fromkeys(texts))


def _instead(reacting: Sequence[_LostReaction], part: RunPart) -> str:
    import shlex  # Only a part of a run that leaves such states out needs it.

    ids = dict.fromkeys(reaction.chunk.id for reaction in reacting)
    brought = [repr(id_) for id_ in dict.fromkeys(c.id for r in reacting for c in r.brings) if id_ not in ids]
    more = f" and {len(brought) - _MOST_NAMED} more" if len(brought) > _MOST_NAMED else ""
    brings = (
        f", which also brings what they require: {', '.join(brought[:_MOST_NAMED])}{more}" if brought else ""
    )
    words = [shlex.quote(word if word.isidentifier() else f"id:{word}") for word in ids]
    options = " ".join(f"--only {word}" for word in words)
    also = f"add {options}" if part.only else f"leave out --start-at, or name the states with {options}"
    return f"to run them now, {also}{brings}"
