"""A state of a stock Salt run as a run of ensue with that one state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.app.project import RunOptions
from ensue.core.errors import EnsueError
from ensue.core.model.data import is_mapping
from ensue.output.presentable import return_data
from ensue.salt.extension.minion_project import in_project
from ensue.salt.extension.salt_minion import SaltMinion
from ensue.salt.extension.targetable import reporting_changes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.app.project import AppProject
    from ensue.core.model.data import Data

_KEYS: Final = ("name", "result", "comment", "warnings")


def state_applied(
    scope: Mapping[str, Any], function: str, name: str, arguments: Mapping[str, Data]
) -> dict[str, Any]:
    """Run a state of ensue on the minion, and return what Salt expects of a state function.

    Resources that it registers or invalidates are reported to the master, so that targets find them.

    Args:
        scope: the globals of the file that Salt has loaded.
        function: `module.function`.
        name: the name of the state.
        arguments: its other arguments; nothing in them is a template or a reference.
    """
    salt = SaltMinion.of(scope)
    test = bool(salt.opts.get("test"))

    async def work(project: AppProject) -> dict[str, Any]:
        report = await project.apply_state(function, name, arguments, RunOptions(test=test))
        for returned in report.returns.values():
            return _salt_return(return_data(returned, project.masker))
        return _failed(name, project.masker.text(report.stopped) or "it was not run")

    try:
        with reporting_changes(salt):
            return in_project(salt, work)
    except EnsueError as error:
        return _failed(name, str(error))


def _failed(name: str, comment: str) -> dict[str, Any]:
    return {"name": name, "result": False, "changes": {}, "comment": comment}


def _salt_return(shown: dict[str, Any]) -> dict[str, Any]:
    """Return the keys that Salt knows of a return, as `return_data` shows it."""
    changes = shown["changes"]
    known = {"changes": changes if is_mapping(changes) else {"changed": changes}}
    return {**{key: shown[key] for key in _KEYS if key in shown}, **known}
