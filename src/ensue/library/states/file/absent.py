"""`file.absent`: nothing is at a path.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import absent_state, path_state
from ensue.library.states.file.needs import with_rights
from ensue.library.states.file.paths import target_path
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext

_OF_OTHERS: Final = (
    "backup", "clean", "contents", "contents_grains", "contents_pillar", "context", "create",
    "defaults", "dir_mode", "file_mode", "follow_symlinks", "force", "group", "makedirs", "mode", "recurse",
    "replace", "show_changes", "skip_verify", "source", "source_hash", "target", "template", "text", "user",
)  # fmt: skip
"""Arguments of functions that create files: templates write `file.{{ word }}` with the same arguments."""


@also_takes(*KNOWN, outdated={**OUTDATED, **dict.fromkeys(_OF_OTHERS, "")})
async def absent(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Remove a file, a symlink, or a folder with everything in it.

    Args:
        name: an absolute path.

    Example:
        /var/cache/tool:
          file.absent

    Returns:
        `changes` has `removed`; `new_state` has `path` and `exists` (false).

    Raises:
        StateFailedError: the path is the root of the file system, or not absolute.
    """
    path = await target_path(ctx, name)
    if posixpath.normpath(path) in {"/", "//"}:
        raise StateFailedError('Refusing to make "/" absent')
    warnings = remarks("file.absent", kwargs)
    status = await ctx.connection.stat(path)
    if status is None:
        comment = f"File {path} is not present"
        return StateReturn.unchanged(name, comment, absent_state(path), warnings=warnings)
    what = "directory" if status.kind == "directory" else "file"
    if ctx.test:
        comment = f"{what.capitalize()} {path} is set for removal"
        planned = StateReturn.planned(name, comment, {"removed": path}, warnings=warnings)
        return await with_rights(ctx.connection, path, planned, "remove")
    await ctx.connection.remove(path, recursive=True)
    return StateReturn.changed(
        name,
        f"Removed {what} {path}",
        {"removed": path},
        absent_state(path),
        old_state=path_state(path, status),
        warnings=warnings,
    )
