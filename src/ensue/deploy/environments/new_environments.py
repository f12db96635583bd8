"""Environments that a store does not have yet: a deployment makes them, and a misspelt name makes one too.

A name that is one slip of the fingers away from that of another environment is refused unless it is
confirmed: a letter more, less, or another one, or two letters that are swapped. A number or a whole part of a
name tells the members of a series apart (`pr-17` and `pr-18`, `prod-a` and `prod-b`), and is no slip. So does
another letter beside a number (`eu-west-1a` and `eu-west-1b`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ensue.deploy.environments.refusals import Refusals
    from ensue.deploy.provisioning.identity import Context
    from ensue.language.collector import Collector

_MOST_NAMED: Final = 10
_SHORTEST: Final = 3


def notice_new_environment(
    context: Context, known: Iterable[Context], collector: Collector, refusals: Refusals
) -> None:
    """Warn of a new environment if its application or the store has others; refuse one that looks misspelt.

    Args:
        context: the environment as it is deployed, of which the store has nothing.
        known: the environments of its organization.
        collector: receives the warning.
        refusals: what the deployment is refused for.
    """
    own = list(known)
    environments = {one.env for one in own if one.app == context.app}
    if environments:
        given, names, option = context.env, environments, "--env"
        summary = f"new environment {context.environment}: the application {context.app} has "
    elif applications := {one.app for one in own}:
        given, names, option = context.app, applications, "--app"
        summary = f"new application {context.app}: the store has "
    else:
        return
    summary += _listed(names)
    if meant := next((name for name in sorted(names) if is_slip(given, name)), ""):
        help_ = f"write {option} {meant}; --new-env makes {context.environment} all the same"
        refusals.into(collector)(
            "E0898", summary, None, detail="one of the names is almost the same", help=help_
        )
    else:
        help_ = near_names(given, names) or f"correct {option} if one of these is meant"
        collector.warning("E0898", summary, None, help=help_)


def refuse_misspelt_type(
    context: Context, named: Collection[str], used: Collection[str], refuse: Callable[..., None]
) -> None:
    """Refuse a new environment whose type nothing names, and that looks like a misspelt one.

    Args:
        context: the environment as it is deployed.
        named: the types that definitions name.
        used: the types of other environments.
        refuse: takes the code, the summary, a place, and `detail` and `help`.
    """
    type_ = context.env_type
    known = {*named, *used}
    meant = next((name for name in sorted(known) if is_slip(type_, name)), "")
    if type_ in known or not meant:
        return
    refuse(
        "E0898",
        f"the type {type_!r} of the new environment {context.environment} is that of no definition and of no "
        "other environment",
        None,
        detail="one of the types is almost the same",
        help=f"write --env-type {meant}; --new-env makes {context.environment} all the same",
    )


def is_slip(first: str, second: str) -> bool:
    """Return whether two names differ by one slip of the fingers."""
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    one, other = first[start : len(first) - end], second[start : len(second) - end]
    is_swapped = len(one) == len("ab") and one == other[::-1]
    is_short = min(len(first), len(second)) < _SHORTEST
    if first == second or is_short or not (max(len(one), len(other)) == 1 or is_swapped):
        return False
    is_number = (one + other).isdecimal()
    before, after = first[:start], first[len(first) - end :]
    letters = str.isalpha if one and other else str.isalnum
    is_whole_part = not letters(before[-1:]) and not letters(after[:1])
    return not is_number and not is_whole_part


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(sorted(names)[:_MOST_NAMED]) + more
