"""Execution module `state` of a resource: SLS and single states on it, in runs of ensue.

Source: Salt's execution module `state`, 3008: the names of the functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.app.project import RunOptions
from ensue.core.errors import EnsueError
from ensue.salt.extension.loaded_file import offer
from ensue.salt.extension.minion_project import in_project
from ensue.salt.extension.resource_functions import resource_of, with_salts_errors
from ensue.salt.extension.salt_minion import SaltMinion
from ensue.salt.extension.salt_returns import salt_returns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.app.project import AppProject
    from ensue.core.model.report import RunReport


_OF_SALTS_QUEUE: Final = frozenset({"concurrent", "queue"})


class UnknownArgumentError(EnsueError):
    """A function of ensue does not take an argument."""


def give(scope: dict[str, Any]) -> None:
    """Give the functions of the module `state` to a file that Salt loads.

    Args:
        scope: the globals of the file.
    """

    def apply(
        mods: str | Sequence[str] | None = None, *, test: bool | None = None, **others: Any
    ) -> dict[str, Any]:
        """Apply SLS to the resource, or its highstate if none is named."""
        with_salts_errors(lambda: refuse_others("state.apply", others))
        return _applied(scope, names_of(mods), test=test)

    def highstate(*, test: bool | None = None, **others: Any) -> dict[str, Any]:
        """Apply to the resource what the top file assigns to it."""
        with_salts_errors(lambda: refuse_others("state.highstate", others))
        return _applied(scope, [], test=test)

    def single(fun: str, name: str, *, test: bool | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run one state on the resource."""
        arguments = {key: value for key, value in kwargs.items() if not key.startswith("__")}
        srn, options = resource_of(scope), RunOptions(test=is_test(scope, test))
        return _run(scope, lambda project: project.apply_state(fun, name, arguments, options, target=srn))

    offer({"apply": apply, "sls": apply, "highstate": highstate, "single": single}, scope)


def refuse_others(function: str, others: Iterable[str]) -> None:
    """Refuse arguments that would change what a run does, and that ensue does not have.

    Args:
        function: `module.function`.
        others: the names of further arguments; what Salt adds, and what says how a run waits, is accepted.

    Raises:
        UnknownArgumentError: there are some.
    """
    if odd := sorted(name for name in others if not name.startswith("__") and name not in _OF_SALTS_QUEUE):
        raise UnknownArgumentError(f"{function} takes no {', '.join(odd)}")


def names_of(mods: str | Sequence[str] | None) -> list[str]:
    """Return the names of SLS, which may be separated by commas."""
    names = mods.split(",") if isinstance(mods, str) else map(str, mods or ())
    return [name.strip() for name in names if name.strip()]


def is_test(scope: Mapping[str, Any], test: bool | None) -> bool:
    """Return whether nothing is to be changed.

    Args:
        scope: the globals of the file that Salt has loaded.
        test: what the call says; None: as the minion is configured.
    """
    return bool(scope["__opts__"].get("test") if test is None else test)


def _applied(scope: Mapping[str, Any], mods: Sequence[str], *, test: bool | None) -> dict[str, Any]:
    options = RunOptions(test=is_test(scope, test), tgt=f"T@{resource_of(scope)}")
    return _run(scope, lambda project: project.apply(mods, options, on_event=lambda _: None))


def _run(scope: Mapping[str, Any], run: Callable[[AppProject], Any]) -> dict[str, Any]:
    salt = SaltMinion.of(scope)

    async def work(project: AppProject) -> dict[str, Any]:
        report: RunReport = await run(project)
        salt.context["retcode"] = report.exit_code
        return salt_returns(report, project.masker)

    returns: dict[str, Any] = with_salts_errors(lambda: in_project(salt, work))
    return returns
