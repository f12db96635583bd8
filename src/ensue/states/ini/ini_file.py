"""An INI file as the states of module `ini` look at it: asked of the execution module, and described."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.model.data import is_mapping
from ensue.model.returns import StateReturn
from ensue.model.secret_values import secret_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap

UNCHANGED: Final = "No anomaly detected"
"""The comment when there was nothing to do."""

_CHANGED: Final = "Changes take effect"


async def options_of(ctx: StateContext, path: str, how: Mapping[str, Any]) -> DataMap:
    """Return a file's options: those of sections by section, the others beside them.

    Args:
        ctx: the state's context.
        path: the file; one that is not there has none.
        how: `separator` and `encoding`.

    Raises:
        StateFailedError: the path is not absolute, or the file is not of this encoding.
    """
    if not path.startswith("/"):
        raise StateFailedError(f"Specified file {path} is not an absolute path")
    found: DataMap = await ctx.call("ini.get_ini", path, **how)
    ctx.masker.add_guessed(*secret_values(found))
    return found


async def changed_file(
    ctx: StateContext, name: str, before: DataMap, changes: DataMap, how: Mapping[str, Any]
) -> StateReturn:
    """Return what a state says that has changed a file.

    Args:
        ctx: the state's context.
        name: the file.
        before: its options before.
        changes: what changed.
        how: `separator` and `encoding`.
    """
    return StateReturn(
        name=name,
        result=True,
        changes=changes,
        comment=_CHANGED,
        new_state=ini_state(name, await options_of(ctx, name, how)),
        old_state=ini_state(name, before),
    )


def ini_state(path: str, options: DataMap) -> DataMap:
    """Describe a file by its sections; what their options hold may be secret, as any file's content.

    Args:
        path: the file.
        options: as `options_of` returns them.
    """
    return {"path": path, "sections": [name for name, held in options.items() if is_mapping(held)]}
