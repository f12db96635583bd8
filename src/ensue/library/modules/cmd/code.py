"""`cmd.exec_code`: runs source code on the target with an interpreter.

The code is written to a file of the target that only the user it runs as may read, and is removed afterwards.

Args:
    lang: the interpreter (`python3`, `ruby`, `bash`).
    code: the source code, or a list of its lines.
    cwd: the folder that it runs in.
    args: its arguments.
    **kwargs: see `CommandOptions`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_list
from ensue.library.modules.cmd.invocation import invoke
from ensue.library.modules.cmd.options import read_options
from ensue.library.modules.cmd.script import FOLDER

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data, DataMap

_MODE: Final = 0o600


async def exec_code(
    ctx: FunctionContext,
    lang: str,
    code: str | list[str],
    cwd: str | None = None,
    args: str | list[str] | None = None,
    **kwargs: Any,
) -> Data:
    """Run source code and return what it prints.

    Example:
        ensue call '*' cmd.exec_code python3 'print(1)'
    """
    return (await _run(ctx, lang, code, args, {"cwd": cwd, **kwargs}))["stdout"]


async def exec_code_all(
    ctx: FunctionContext,
    lang: str,
    code: str | list[str],
    cwd: str | None = None,
    args: str | list[str] | None = None,
    **kwargs: Any,
) -> DataMap:
    """Run source code as `cmd.exec_code` does and return what `cmd.run_all` returns.

    Example:
        ensue call '*' cmd.exec_code_all python3 'print(1)'
    """
    return await _run(ctx, lang, code, args, {"cwd": cwd, **kwargs})


async def _run(
    ctx: FunctionContext,
    lang: str,
    code: str | list[str],
    args: str | list[str] | None,
    options: dict[str, Any],
) -> DataMap:
    read = msgspec.structs.replace(
        read_options({name: value for name, value in options.items() if value is not None}),
        needs_program=True,
    )
    lines = code if is_list(code) else [code]
    words = args if is_list(args) else str(args).split() if args else []
    path = f"{FOLDER}/.ensue-code-{os.urandom(8).hex()}"
    content = "\n".join(map(str, lines)).encode()
    await ctx.connection.write(path, content, mode=_MODE, user=read.runas)
    try:
        return await invoke(ctx, [lang, path, *map(str, words)], read)
    finally:
        await ctx.connection.remove(path)
