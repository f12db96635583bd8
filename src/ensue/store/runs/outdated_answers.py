"""Sets of targets that were read before a resource joined the run: what was made of them lacks it.

Every question that a template or a function asks in a run is recorded with its answer. At the end they are
compared with what the run has registered, or in a plan would register.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.fan_out import parts_of
from ensue.core.model.srn import Srn
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ensue.core.contracts.target_questions import TargetQuestion
    from ensue.core.model.returns import Return
    from ensue.language.targets.project_services import ProjectServices

_MOST_NAMED: Final = 3
_READ_LATER: Final = (
    "read it while the run goes on: in a template file or a delayed block of a state with `tgt: {}`"
    " that requires the registering state"
)


async def outdated_answers(
    services: ProjectServices,
    answers: Mapping[TargetQuestion, Collection[Srn]],
    joined: Collection[Srn],
    *,
    test: bool,
) -> list[Diagnostic]:
    """Return a warning for each question whose answers lack a resource that has joined.

    Args:
        services: the project.
        answers: the resources that were in all answers to a question.
        joined: what the run has registered; in a plan what it would register.
        test: whether the run is a plan.
    """
    if not answers or not joined:
        return []
    matcher = ProjectMatcher(services)
    warnings: list[Diagnostic] = []
    for question, matched in answers.items():
        missing = [srn for srn in sorted(joined) if srn not in matched]
        missing = [
            srn
            for srn in missing
            if (
                matcher.may_match(question.target, srn)
                if test
                else await _matches(matcher, services, question.target, srn)
            )
        ]
        if missing:
            warnings.append(_warning(question, missing, test=test))
    return warnings


def would_register(returns: Iterable[Return]) -> set[Srn]:
    """Return what the states of a plan would register, as far as it is known."""
    return {Srn.parse(srn) for each in _every(returns) for srn in (each.foreseen or {}).get("registers", ())}


def _every(returns: Iterable[Return]) -> Iterator[Return]:
    for returned in returns:
        for part in parts_of(returned):
            yield part
            for scope in (*part.delayed, *part.applied):
                yield from _every(scope.returns.values())


async def _matches(matcher: ProjectMatcher, services: ProjectServices, target: str, srn: Srn) -> bool:
    """Return whether a target matches a resource that has joined, or that is not known."""
    parsed = await asyncio.to_thread(services.vocabulary.parse, target)
    return matcher.verdict(parsed, srn) is not False


def _warning(question: TargetQuestion, missing: list[Srn], *, test: bool) -> Diagnostic:
    named = ", ".join(map(str, missing[:_MOST_NAMED]))
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    resources = "the resource" if len(missing) == 1 else "the resources"
    verb, joins = ("is", "joins" if len(missing) == 1 else "join") if test else ("was", "joined")
    lacks = f"what is made of it lacks {resources}" if test else f"what was made of it lacks {resources}"
    return Diagnostic(
        code="E0725",
        summary=f"{question} {verb} read before {named}{more} {joins}",
        detail=f"{lacks} until the next apply",
        help=f"apply {'twice' if test else 'again'}, or {_READ_LATER.format(question.target)}",
        span=question.place,
        severity=Severity.WARNING,
    )
