"""The targets that an expression matches, for functions that are called during a run or a rendering."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.target_questions import (
    TargetQuestion,
    calling_frame,
    note_answer,
    rendered_file,
)
from ensue.core.errors import StateFailedError
from ensue.language.running_place import running_place
from ensue.language.targeting import TargetSyntaxError
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.srn import Srn
    from ensue.language.targets.targets import Targets

OPERATORS: Final = frozenset({"and", "or", "not"})
"""The operators of compound expressions."""


async def project_targets(
    services: Targets, target: str, *, function: str, engine: str | None = None
) -> Sequence[Srn]:
    """Return the targets that match, sorted.

    While pillar is compiled, only names are matched, because nothing else is known yet.

    Args:
        services: the project.
        target: a compound expression, or the pattern of one engine.
        function: the execution function that asks, for messages.
        engine: the letter of that engine, empty for a glob; None for a compound expression.

    Raises:
        StateFailedError: it does not parse, or names a type or a nodegroup that does not exist; or this is a
            plan, and it may match what an earlier state would register.
    """
    expression = target if engine is None else as_compound(engine, target)
    targets = await _matching(services, target, expression)
    place = running_place(calling_frame(), rendered_file(), services.stores.roots.shown)
    note_answer(TargetQuestion(function=function, target=expression, place=place), targets)
    return targets


async def _matching(services: Targets, target: str, expression: str) -> Sequence[Srn]:
    try:
        if services.minion in services.stores.pillars:
            return (await ProjectMatcher(services).matched(expression)).targets
        parsed = await asyncio.to_thread(services.vocabulary.parse, expression)
    except TargetSyntaxError as error:
        raise StateFailedError(f"the target {target!r}: {error}") from None
    by_name = await asyncio.to_thread(services.directory.index.matching, parsed, services.vocabulary)
    matcher = ProjectMatcher(services)
    more = [srn for srn in by_name.undecided if matcher.verdict(parsed, srn)]
    return sorted([*by_name.matched, *more])


def as_compound(engine: str, pattern: str) -> str:
    """Return the pattern of one engine as a word of a compound expression."""
    word = f"{engine}@{pattern}" if engine else pattern
    is_one_word = not any(map(str.isspace, word)) and word not in OPERATORS
    return word if is_one_word else f'"{word}"'
