"""Runs and calls of ensue on a minion, as Salt's execution module `ensue` returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.app.project import RunOptions
from ensue.output.presentable import presentable
from ensue.salt.extension.minion_project import in_project
from ensue.salt.extension.resource_functions import with_salts_errors
from ensue.salt.extension.resource_states import is_test, names_of, refuse_others
from ensue.salt.extension.salt_minion import SaltMinion
from ensue.salt.extension.salt_returns import salt_returns
from ensue.salt.extension.targetable import reporting_changes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.app.project import AppProject


def applied(
    scope: Mapping[str, Any],
    mods: str | Sequence[str] | None,
    target: str | None,
    others: Mapping[str, Any],
    *,
    test: bool | None,
) -> dict[str, Any]:
    """Run SLS, or the highstate, and return the returns of all states by tag.

    Args:
        scope: the globals of the file that Salt has loaded.
        mods: names of SLS; None: the highstate.
        target: resources to run them on; None: the minion.
        others: further arguments of the call, which are refused unless Salt has added them.
        test: whether to change nothing; None: as the minion is configured.
    """
    with_salts_errors(lambda: refuse_others("ensue.apply", others))
    salt = SaltMinion.of(scope)
    options = RunOptions(test=is_test(scope, test), tgt=target)

    async def work(project: AppProject) -> dict[str, Any]:
        report = await project.apply(names_of(mods), options, on_event=lambda _: None)
        salt.context["retcode"] = report.exit_code
        return salt_returns(report, project.masker)

    with reporting_changes(salt):
        returns: dict[str, Any] = with_salts_errors(lambda: in_project(salt, work))
    return returns


def called(
    scope: Mapping[str, Any], target: str, function: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Call an execution function on the resources that a target matches, and return their answers by id.

    Args:
        scope: the globals of the file that Salt has loaded.
        target: a target of ensue.
        function: `module.function`.
        args: its arguments by position.
        kwargs: its arguments by name; what Salt adds is dropped.
    """
    salt = SaltMinion.of(scope)
    own = {name: value for name, value in kwargs.items() if not name.startswith("__")}

    async def work(project: AppProject) -> dict[str, Any]:
        outcomes = [call_outcome async for call_outcome in project.call(target, function, args, own)]
        salt.context["retcode"] = 0 if all(outcome.succeeded for outcome in outcomes) else 2
        return {outcome.target.id: presentable(outcome.value, project.masker) for outcome in outcomes}

    answers: dict[str, Any] = with_salts_errors(lambda: in_project(salt, work))
    return answers


def resources(scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resources of the minion by name.

    Args:
        scope: the globals of the file that Salt has loaded.
    """

    async def work(project: AppProject) -> dict[str, Any]:
        return {
            str(resource.srn): {
                "status": resource.status,
                "source": str(resource.source or ""),
                "origin": resource.origin,
            }
            for resource in await project.resources()
        }

    listed: dict[str, Any] = with_salts_errors(
        lambda: in_project(SaltMinion.of(scope), work, with_files=False)
    )
    return listed
