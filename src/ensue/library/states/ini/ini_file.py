"""Reads an INI file through the execution module `ini`, and describes it for `new_state`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.returns import StateReturn
from ensue.core.model.secret_values import secret_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

UNCHANGED: Final = "No anomaly detected"
"""The comment if there was nothing to do."""

_CHANGED: Final = "Changes take effect"


async def options_of(ctx: StateContext, path: str, how: Mapping[str, Any]) -> DataMap:
    """Return the options of a file by section, with those outside sections next to the sections.

    Args:
        path: the file; a missing file has no options.
        how: `separator` and `encoding`.

    Raises:
        StateFailedError: the path is not absolute, or the file is not of this encoding.
    """
    if not path.startswith("/"):
        raise StateFailedError(f"Specified file {path} is not an absolute path")
    content: DataMap = await ctx.call("ini.get_ini", path, **how)
    ctx.masker.add_guessed(*secret_values(content))
    return content


async def changed_file(
    ctx: StateContext, name: str, before: DataMap, changes: DataMap, how: Mapping[str, Any]
) -> StateReturn:
    """Make the return of a state that has changed a file.

    Args:
        name: the file.
        before: its options before the change.
        changes: the changes.
        how: `separator` and `encoding`.
    """
    return StateReturn.changed(
        name,
        _CHANGED,
        changes,
        ini_state(name, await options_of(ctx, name, how)),
        old_state=ini_state(name, before),
    )


def ini_state(path: str, options: DataMap) -> DataMap:
    """Describe a file by the names of its sections; values are left out because they may be secret.

    Args:
        path: the file.
        options: the result of `options_of`.
    """
    return {"path": path, "sections": [name for name, value in options.items() if is_mapping(value)]}
