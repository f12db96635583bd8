"""Environments that a store does not have yet: a deployment makes them, and a misspelt name makes one too.

A name that is one slip of the fingers away from that of another environment is refused unless it is
confirmed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.first_names import first_names
from ensue.core.model.near_names import is_one_slip
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ensue.deploy.environments.refusals import Refusals
    from ensue.deploy.provisioning.identity import Context
    from ensue.language.collector import Collector

_MOST_NAMED: Final = 10
_SHORTEST: Final = 3
"""The length from which names that differ by one letter are not that on purpose."""


def notice_new_environment(
    context: Context,
    known: Iterable[Context],
    removed: Iterable[Context],
    collector: Collector,
    refusals: Refusals,
) -> None:
    """Warn of a new environment if its application or the store has others; refuse one that looks misspelt.

    Args:
        context: the environment as it is deployed, of which the store has nothing.
        known: the environments of its organization.
        removed: those that its organization has had.
        collector: receives the warning.
        refusals: what the deployment is refused for.
    """
    own = list(known)
    environments = {record.env for record in own if record.app == context.app}
    if environments:
        given, names, option = context.env, environments, "--env"
        summary = f"new environment {context.environment}: the application {context.app} has "
    elif environments := {record.env for record in removed if record.app == context.app}:
        given, names, option = context.env, environments, "--env"
        summary = f"new environment {context.environment}: the application {context.app} has had "
    elif applications := {record.app for record in own}:
        given, names, option = context.app, applications, "--app"
        summary = f"new application {context.app}: the store has "
    else:
        return
    summary += first_names(sorted(names), _MOST_NAMED)
    if meant := _misspelt(given, names):
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
    meant = _misspelt(type_, known)
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


def _misspelt(given: str, names: Iterable[str]) -> str:
    """Return the first name that another one may misspell; empty if there is none."""
    near = (name for name in sorted(names) if is_one_slip(given, name))
    return next((name for name in near if min(len(name), len(given)) >= _SHORTEST), "")
