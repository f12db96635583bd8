"""Sets of targets that were read before a resource joined them, or before it left them.

What was made of such a set lacks the resource, or still has it, until the next apply. Every question that a
template or a function asks in a run is recorded with its answer. At the end they are compared with what the
run has registered, orphaned and invalidated, or in a plan would.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.fan_out import every_part
from ensue.core.model.srn import Srn
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ensue.core.contracts.target_questions import SetAnswers, TargetQuestion
    from ensue.core.model.returns import Return
    from ensue.language.targets.targets import Targets

_MOST_NAMED: Final = 3
_READ_LATER: Final = (
    "read it after that: in a template file or a delayed block of a state in the same SLS that requires the "
    "registering state, with the host that needs the list as its `tgt`, such as `tgt: {}`"
)


async def outdated_answers(
    services: Targets,
    answers: Mapping[TargetQuestion, SetAnswers],
    joined: Collection[Srn],
    left: Collection[Srn],
    *,
    test: bool,
) -> list[Diagnostic]:
    """Return a warning for each question whose answers lack what has joined, or have what has left.

    Args:
        services: the project.
        answers: the answers to each question.
        joined: what the run has registered; in a plan what it would register.
        left: what it has orphaned or invalidated; in a plan what it would.
        test: whether the run is a plan.
    """
    if not answers or not (joined or left):
        return []
    matcher = ProjectMatcher(services)
    warnings: list[Diagnostic] = []
    for question, answer in answers.items():
        missing = [srn for srn in sorted(joined) if srn not in answer.always and srn not in left]
        missing = [
            srn
            for srn in missing
            if (
                matcher.may_match(question.target, srn)
                if test
                else await _matches(matcher, services, question.target, srn)
            )
        ]
        if certain := [srn for srn in missing if srn not in answer.possible]:
            warnings.append(_joined_later(question, certain, test=test))
        if undecided := [srn for srn in missing if srn in answer.possible]:
            warnings.append(_may_join_later(question, undecided))
        if gone := sorted(answer.ever.intersection(left)):
            warnings.append(_left_later(question, gone, test=test))
    return warnings


def would_register(returns: Iterable[Return]) -> set[Srn]:
    """Return what the states of a plan would register, as far as it is known."""
    return {
        Srn.parse(srn) for each in every_part(returns) for srn in (each.foreseen or {}).get("registers", ())
    }


async def _matches(matcher: ProjectMatcher, services: Targets, target: str, srn: Srn) -> bool:
    """Return whether a target matches a resource that has joined, or that is not known."""
    parsed = await asyncio.to_thread(services.vocabulary.parse, target)
    return matcher.verdict(parsed, srn) is not False


def _named(resources: Sequence[Srn]) -> str:
    more = f" and {len(resources) - _MOST_NAMED} more" if len(resources) > _MOST_NAMED else ""
    return f"{', '.join(map(str, resources[:_MOST_NAMED]))}{more}"


def _left_later(question: TargetQuestion, gone: Sequence[Srn], *, test: bool) -> Diagnostic:
    verb, leaves = ("is", "leaves" if len(gone) == 1 else "leave") if test else ("was", "left")
    return Diagnostic(
        code="E0726",
        summary=f"{question} {verb} read before {_named(gone)} {leaves}",
        detail=f"what {verb} made of it has {'it' if len(gone) == 1 else 'them'} until the next apply",
        help=f"apply {'twice' if test else 'again'}",
        span=question.place,
        severity=Severity.WARNING,
    )


def _joined_later(question: TargetQuestion, missing: Sequence[Srn], *, test: bool) -> Diagnostic:
    resources = "the resource" if len(missing) == 1 else "the resources"
    verb, joins = ("is", _joins(missing)) if test else ("was", "joined")
    return _joining(
        question,
        f"{question} {verb} read before {_named(missing)} {joins}",
        f"what {verb} made of it lacks {resources} until the next apply",
        f"apply {'twice' if test else 'again'}",
    )


def _may_join_later(question: TargetQuestion, missing: Sequence[Srn]) -> Diagnostic:
    """Return the warning of a plan about resources of which nothing says whether they join before."""
    resources = "the resource" if len(missing) == 1 else "the resources"
    return _joining(
        question,
        f"{question} may be read before {_named(missing)} {_joins(missing)}",
        f"nothing orders the two, so what is made of it may lack {resources} until the next apply",
        "apply again if the apply says so",
    )


def _joins(missing: Sequence[Srn]) -> str:
    return "joins" if len(missing) == 1 else "join"


def _joining(question: TargetQuestion, summary: str, detail: str, again: str) -> Diagnostic:
    return Diagnostic(
        code="E0725",
        summary=summary,
        detail=detail,
        help=f"{again}, or {_READ_LATER.format(question.target)}",
        span=question.place,
        severity=Severity.WARNING,
    )
