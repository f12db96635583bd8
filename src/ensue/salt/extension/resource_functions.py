"""Execution functions of ensue as those of a resource: Salt finds them in the folder of the resource's type.

Salt offers no other functions on a resource, so that nothing runs on the managing minion by mistake.

Source: `salt.loader.resource_modules`, 3008.3.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ensue.core.errors import RemoteError, UnknownResourceError
from ensue.core.model.srn import Srn
from ensue.language.functions.functions import Functions
from ensue.output.presentable import presentable
from ensue.salt.extension.loaded_file import offer
from ensue.salt.extension.minion_project import in_project
from ensue.salt.extension.salt_minion import SaltMinion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.app.project import AppProject
    from ensue.language.targets.calls import CallOutcome

_SERVED = "salt://"


class ResourceCallError(RemoteError):
    """A function on a resource has failed."""


def give(module: str, scope: dict[str, Any]) -> None:
    """Give ensue's functions of an execution module to a file that Salt loads.

    Args:
        module: the module.
        scope: the globals of the file.
    """
    shipped = Functions("ensue.library.modules").shipped(module).items()
    own = {name: _function(f"{module}.{name}", function.__doc__, scope) for name, function in shipped}
    offer(own, scope)


def _function(full_name: str, documentation: str | None, scope: dict[str, Any]) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return call_on_resource(scope, full_name, args, kwargs)

    function.__name__ = full_name.rpartition(".")[2]
    function.__doc__ = documentation
    return function


def call_on_resource(
    scope: Mapping[str, Any], function: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Call an execution function of ensue on the resource that Salt is calling, and return what it returns.

    Args:
        scope: the globals of the file that Salt has loaded.
        function: `module.function`.
        args: its arguments by position.
        kwargs: its arguments by name; what Salt adds is dropped.

    Raises:
        CommandExecutionError: it has failed; Salt's.
    """
    srn, salt = resource_of(scope), SaltMinion.of(scope)
    own = {name: value for name, value in kwargs.items() if not name.startswith("__")}
    with_files = any(isinstance(arg, str) and arg.startswith(_SERVED) for arg in (*args, *own.values()))

    async def work(project: AppProject) -> Any:
        outcome = await _outcome(project, srn, function, args, own)
        salt.context["retcode"] = outcome.exit_code
        return presentable(outcome.value, project.masker)

    return with_salts_errors(lambda: in_project(salt, work, with_files=with_files))


async def called(
    project: AppProject, srn: Srn, function: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Call an execution function on a resource, and return what it returns, masked.

    Raises:
        ResourceCallError: it has failed.
        UnknownResourceError: there is no such resource.
    """
    return presentable((await _outcome(project, srn, function, args, kwargs)).value, project.masker)


async def _outcome(
    project: AppProject, srn: Srn, function: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> CallOutcome:
    outcomes = [call_outcome async for call_outcome in project.call(f"T@{srn}", function, args, kwargs)]
    if not outcomes:
        raise UnknownResourceError(f"ensue knows no resource {srn}")
    if not outcomes[0].ok:
        raise ResourceCallError(str(outcomes[0].value), target=str(srn))
    return outcomes[0]


def resource_of(scope: Mapping[str, Any]) -> Srn:
    """Return the resource that Salt is calling.

    Args:
        scope: the globals of the file that Salt has loaded.
    """
    return Srn(scope["__resource__"]["type"], scope["__resource__"]["id"])


def with_salts_errors(work: Callable[[], Any]) -> Any:
    """Do something, and raise errors of ensue as Salt's.

    Raises:
        CommandExecutionError: an error of ensue; Salt's.
    """
    from ensue.core.errors import EnsueError

    try:
        return work()
    except EnsueError as error:
        raise importlib.import_module("salt.exceptions").CommandExecutionError(str(error)) from error
