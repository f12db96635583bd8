"""`cmd.run` and its kin: the same command, another part of what it left behind.

All take the keyword arguments that `options.read_options` reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.modules.cmd.invocation import invoke
from ensue.modules.cmd.options import read_options

if TYPE_CHECKING:
    from ensue.contracts.context import FunctionContext
    from ensue.model.data import Data, DataMap


async def run(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Return what a command writes, errors among it in the order of writing.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.
    """
    return (await invoke(ctx, cmd, read_options(kwargs), merge_stderr=True))["stdout"]


async def shell(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """The same as `run`; Salt has it for systems where `run` uses no shell."""
    return await run(ctx, cmd, **kwargs)


async def run_all(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> DataMap:
    """Return `pid`, `retcode`, `stdout` and `stderr` of a command."""
    merge_stderr = bool(kwargs.get("redirect_stderr"))
    return await invoke(ctx, cmd, read_options(kwargs), merge_stderr=merge_stderr)


async def run_bg(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> DataMap:
    """Start a command and return its `pid` without waiting for it."""
    return {"pid": (await invoke(ctx, cmd, read_options({**kwargs, "bg": True})))["pid"]}


async def run_stdout(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Return the output of a command without its errors."""
    return (await invoke(ctx, cmd, read_options(kwargs)))["stdout"]


async def run_stderr(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Return the errors of a command."""
    return (await invoke(ctx, cmd, read_options(kwargs)))["stderr"]


async def retcode(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Return the exit code of a command."""
    return (await invoke(ctx, cmd, read_options(kwargs)))["retcode"]
