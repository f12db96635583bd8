"""`cmd.script`: runs a script of the managing minion on the target.

The script is written to a file of the target that only the user it runs as may read, and removed afterwards.
"""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules.cmd.invocation import DEFAULT_SHELL, invoke
from ensue.library.modules.cmd.options import read_options

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data, DataMap

FOLDER: Final = "/tmp"  # noqa: S108 (the file's name cannot be guessed and it is created whole, with its mode)
"""The path of a script while it runs."""

_MODE: Final = 0o700


async def script(
    ctx: FunctionContext,
    source: str,
    args: str | list[str] | None = None,
    *,
    template: str | None = None,
    context: DataMap | None = None,
    defaults: DataMap | None = None,
    saltenv: str = "base",
    **kwargs: Any,
) -> DataMap:
    """Run a script and return what `cmd.run_all` returns.

    Args:
        source: `salt://…`, http(s), or a path of the managing minion.
        args: the script's arguments, as a line for a shell or as a list.
        template: render it first, with this renderer.
        context: variables for the template.
        defaults: variables for the template that `context` overrides.
        saltenv: the environment of `salt://` paths.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.script salt://scripts/setup.sh

    Returns:
        `pid`, `retcode`, `stdout`, `stderr`; retcode 1 and `cache_error` if there is no such script.
    """
    try:
        content = await ctx.files.read(source, saltenv=saltenv)
    except StateFailedError as error:
        return {"pid": 0, "retcode": 1, "stdout": "", "stderr": str(error), "cache_error": True}
    if template:
        variables = {**(defaults or {}), **(context or {})}
        text = content.decode("utf-8")
        rendered = await ctx.render_template(text, renderer=template, name=source, context=variables)
        content = rendered.encode()
    options = read_options(kwargs)
    ending = posixpath.splitext(source.partition("?")[0])[1]
    path = f"{FOLDER}/.ensue-script-{os.urandom(8).hex()}{ending}"
    await ctx.connection.write(path, content, mode=_MODE, user=options.runas)
    try:
        return await invoke(ctx, _command(path, args), options)
    finally:
        await ctx.connection.remove(path)


async def script_retcode(ctx: FunctionContext, source: str, **kwargs: Any) -> Data:
    """Run a script and return its exit code.

    Args:
        source: `salt://…`, http(s), or a path of the managing minion.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.script_retcode salt://scripts/setup.sh
    """
    return (await script(ctx, source, **kwargs))["retcode"]


def _command(path: str, args: str | list[str] | None) -> str | list[str]:
    if isinstance(args, list):
        # The shell in between also starts scripts without `#!`; it receives the words as they are.
        return [DEFAULT_SHELL, "-c", '"$0" "$@"', path, *map(str, args)]
    return f"{path} {args or ''}".rstrip()
