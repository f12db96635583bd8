"""`file.exists` and `file.missing`: check a path and change nothing.

Args:
    name: an absolute path.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes, reads_paths, touches_nothing
from ensue.core.errors import MissingOnTargetError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import absent_state, path_state
from ensue.library.states.file.paths import target_path
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


@reads_paths("name")
@touches_nothing
@also_takes(*KNOWN, outdated=OUTDATED)
async def exists(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Fail if nothing is at a path; a symlink counts as what it points to.

    Example:
        /etc/app.conf:
          file.exists
    """
    path = await target_path(ctx, name)
    status = await ctx.connection.stat(path, follow=True)
    warnings = remarks("file.exists", kwargs)
    if status is None:
        raise MissingOnTargetError(f"Specified path {path} does not exist", missing=path)
    return StateReturn.unchanged(name, f"Path {path} exists", path_state(path, status), warnings=warnings)


@reads_paths("name")
@touches_nothing
@also_takes(*KNOWN, outdated=OUTDATED)
async def missing(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Fail if something is at a path.

    Example:
        /etc/nologin:
          file.missing
    """
    path = await target_path(ctx, name)
    status = await ctx.connection.stat(path, follow=True)
    warnings = remarks("file.missing", kwargs)
    if status is not None:
        return StateReturn.failed(name, f"Specified path {path} exists", warnings=warnings)
    return StateReturn.unchanged(name, f"Path {path} is missing", absent_state(path), warnings=warnings)
