"""Manages the files of `x509` states: `file.managed` sets owner, mode and folders.

Source: Salt's state module `x509_v2`, 3008: which arguments go to `file.managed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.managed import managed

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

ABOUT_FILE: Final = frozenset({
    "user", "group", "mode", "makedirs", "dir_mode", "backup", "create", "follow_symlinks", "show_changes",
    "check_cmd", "tmp_dir", "tmp_ext", "attrs", "selinux",
})  # fmt: skip
"""The arguments that go to `file.managed`."""


def split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of `file.managed`, and the others."""
    about_file = {word: value for word, value in given.items() if word in ABOUT_FILE}
    return about_file, {word: value for word, value in given.items() if word not in ABOUT_FILE}


async def real_path(ctx: StateContext, path: str) -> str:
    """Return a path with symlinks resolved."""
    file_stat = await ctx.connection.stat(path)
    if file_stat is None or file_stat.kind != "symlink":
        return path
    done = await ctx.connection.run(Command(argv=["readlink", "-f", "--", path], cwd="/"))
    return done.stdout.decode().rstrip("\n") or path


async def kept(ctx: StateContext, name: str, text: str | None, about_file: dict[str, Any]) -> StateReturn:
    """Manage the file; without a text, its content stays.

    Raises:
        StateFailedError: the file cannot be written.
    """
    if text is None:
        returned = await managed(ctx, name, replace=False, **about_file)
    else:
        returned = await managed(ctx, name, contents=text, **about_file)
    if returned.result is False:
        raise StateFailedError(returned.comment)
    return returned


async def written(
    ctx: StateContext, name: str, data: bytes | None, about_file: dict[str, Any], *, is_text: bool
) -> StateReturn:
    """Manage the file with text or binary content; without data, its content stays.

    Raises:
        StateFailedError: the file cannot be written.
    """
    if data is None or is_text:
        return await kept(ctx, name, None if data is None else data.decode(), about_file)
    file = await kept(ctx, name, None, about_file)
    if not ctx.test:
        await ctx.connection.write(await real_path(ctx, name), data)
    return file


def outcome(
    ctx: StateContext, name: str, what: str, changes: DataMap, file: StateReturn, new_state: DataMap | None
) -> StateReturn:
    """Make the return of the state.

    Args:
        name: path of the file.
        what: name of the managed object, for the comment.
        changes: changes of the content.
        file: the return of `file.managed`; only owner and mode of its changes are reported.
        new_state: description of the content.
    """
    verb = "created" if "created" in changes else "recreated"
    about_file = {word: value for word, value in file.changes.items() if word in {"user", "group", "mode"}}
    every: DataMap = {**changes, **({} if "created" in changes else about_file)}
    if ctx.test and (every or file.result is None):
        comment = f"The {what} would have been {verb}" if changes else file.comment
        return StateReturn.planned(name, comment, every)
    comment = f"The {what} has been {verb}" if changes else f"The {what} is in the correct state"
    return StateReturn.changed(name, comment, every, new_state)
