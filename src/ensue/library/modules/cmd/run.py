"""`cmd.run` and related functions, which run a command and differ in what they return of its outcome.

All accept the keyword arguments that `options.read_options` reads. As in Salt, a shell reads a text only with
`python_shell`, which `ensue call` sets, or with the option `cmd_safe: false`: without a shell, nothing that a
template inserts into a command becomes another command.

Args:
    cmd: a program with its arguments, as a list or as a text that is split at blanks outside quotes; with
        `python_shell`, a text is a line for the shell.
    **kwargs: `python_shell`, and see `CommandOptions`.
"""

from __future__ import annotations

import logging
import re
import shlex
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.library.modules.cmd.invocation import invoke
from ensue.library.modules.cmd.options import read_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data, DataMap
    from ensue.library.modules.cmd.options import CommandOptions

_logger = logging.getLogger(__name__)

_QUOTED: Final = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_OPERATOR: Final = re.compile(r"(?<!\S)(?:\d?[<>|&]+|;)(?=\s|$)|(?<=\w);(?=\s)")
"""A word that only a shell reads as more than an argument, outside quotes."""


async def run(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its output and error output, in the order of writing.

    Example:
        ensue call '*' cmd.run uptime
    """
    return (await invoke(ctx, _command(ctx, cmd, kwargs), _options(ctx, kwargs), merge_stderr=True))["stdout"]


async def shell(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command as `cmd.run` does, with a shell unless `python_shell` is false.

    Example:
        ensue call '*' cmd.shell uptime
    """
    python_shell = kwargs.get("python_shell")
    return await run(ctx, cmd, **{**kwargs, "python_shell": True if python_shell is None else python_shell})


async def run_all(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> DataMap:
    """Run a command and return its `pid`, `retcode`, `stdout` and `stderr`.

    If `success_retcodes` and the like make another exit code count as 0, `exit_code` is that code.

    Example:
        ensue call '*' cmd.run_all uptime
    """
    merge_stderr = bool(kwargs.get("redirect_stderr"))
    return await invoke(ctx, _command(ctx, cmd, kwargs), _options(ctx, kwargs), merge_stderr=merge_stderr)


async def run_bg(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> DataMap:
    """Start a command and return its `pid` without waiting for it.

    Example:
        ensue call '*' cmd.run_bg uptime
    """
    options = read_options({**kwargs, "bg": True})
    return {"pid": (await invoke(ctx, _command(ctx, cmd, kwargs), options))["pid"]}


async def run_stdout(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its output without its error output.

    Example:
        ensue call '*' cmd.run_stdout uptime
    """
    return (await invoke(ctx, _command(ctx, cmd, kwargs), _options(ctx, kwargs)))["stdout"]


async def run_stderr(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its error output.

    Example:
        ensue call '*' cmd.run_stderr uptime
    """
    return (await invoke(ctx, _command(ctx, cmd, kwargs), _options(ctx, kwargs)))["stderr"]


async def retcode(ctx: FunctionContext, cmd: str | list[str], **kwargs: Any) -> Data:
    """Run a command and return its exit code.

    Example:
        ensue call '*' cmd.retcode uptime
    """
    return (await invoke(ctx, _command(ctx, cmd, kwargs), _options(ctx, kwargs)))["retcode"]


def _command(ctx: FunctionContext, cmd: str | list[str], given: Mapping[str, Any]) -> str | list[str]:
    """Return a command: a text if a shell reads it, otherwise its words.

    Raises:
        StateFailedError: a quote in the text is not closed.
    """
    if not isinstance(cmd, str) or _is_for_shell(ctx, given.get("python_shell")):
        return cmd
    if operator := _OPERATOR.search(_QUOTED.sub("_", cmd)):
        _logger.warning(
            "cmd: no shell reads %r here, so `%s` is an argument; with python_shell=True a shell reads it",
            cmd,
            operator[0],
        )
    try:
        return shlex.split(cmd)
    except ValueError:
        raise StateFailedError("a quote in the command is not closed") from None


def _options(ctx: FunctionContext, given: Mapping[str, Any]) -> CommandOptions:
    """Return the options of a command; as in Salt, a program is missing only where no shell looks for it."""
    options = read_options(given)
    if _is_for_shell(ctx, given.get("python_shell")):
        return options
    return msgspec.structs.replace(options, needs_program=True)


def _is_for_shell(ctx: FunctionContext, python_shell: Any) -> bool:
    if python_shell is None:
        return ctx.opts.get("cmd_safe", True) is False
    return python_shell is True
