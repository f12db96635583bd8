"""`cmd.run` and related functions, which run a command and differ in what they return of its outcome.

All accept the keyword arguments that `options.read_options` reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.library.modules.cmd.invocation import invoke
from ensue.library.modules.cmd.options import read_options

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data, DataMap


async def run(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its output and error output, in the order of writing.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.run uptime
    """
    return (await invoke(ctx, cmd, read_options(kwargs), merge_stderr=True))["stdout"]


async def shell(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command as `cmd.run` does; Salt has this function for systems on which `run` uses no shell.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.shell uptime
    """
    return await run(ctx, cmd, **kwargs)


async def run_all(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> DataMap:
    """Run a command and return its `pid`, `retcode`, `stdout` and `stderr`.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.run_all uptime
    """
    merge_stderr = bool(kwargs.get("redirect_stderr"))
    return await invoke(ctx, cmd, read_options(kwargs), merge_stderr=merge_stderr)


async def run_bg(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> DataMap:
    """Start a command and return its `pid` without waiting for it.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.run_bg uptime
    """
    return {"pid": (await invoke(ctx, cmd, read_options({**kwargs, "bg": True})))["pid"]}


async def run_stdout(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its output without its error output.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.run_stdout uptime
    """
    return (await invoke(ctx, cmd, read_options(kwargs)))["stdout"]


async def run_stderr(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its error output.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.run_stderr uptime
    """
    return (await invoke(ctx, cmd, read_options(kwargs)))["stderr"]


async def retcode(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its exit code.

    Args:
        ctx: the target.
        cmd: a line for the shell, or a program with its arguments.
        **kwargs: see `CommandOptions`.

    Example:
        ensue call '*' cmd.retcode uptime
    """
    return (await invoke(ctx, cmd, read_options(kwargs)))["retcode"]
