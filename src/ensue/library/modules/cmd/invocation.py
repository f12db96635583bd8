"""Runs one command with Salt's options and returns what `cmd.run_all` returns.

The functions in `run` choose from these values.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.connection import Command, Completed
from ensue.core.contracts.shells import shell_argv
from ensue.core.errors import StateFailedError
from ensue.library.modules.cmd.in_group import in_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap
    from ensue.library.modules.cmd.options import CommandOptions

DEFAULT_SHELL: Final = "/bin/sh"
"""Nobody's login shell changes what a command line means: not the target's, not that of who runs ensue."""

_DID_NOT_START: Final = frozenset({126, 127})
"""Exit codes if the program is missing or is no executable file; a program may end with them, too."""

_IS_PROGRAM: Final = (
    'case $1 in */*) [ -f "$1" ] && [ -x "$1" ]; exit;; esac; IFS=:; '
    'for d in $PATH; do f=${d:-.}/$1; [ -f "$f" ] && [ -x "$f" ] && exit 0; done; exit 1'
)


async def invoke(
    ctx: FunctionContext, command: str | Sequence[str], options: CommandOptions, *, merge_stderr: bool = False
) -> DataMap:
    """Run a command to its end; its limit includes what precedes it, such as connecting.

    Args:
        command: a line for the shell, or a program with its arguments.
        options: how it is run.
        merge_stderr: send its error output to its output, in the order of writing.

    Returns:
        `pid`, `retcode`, `stdout`, `stderr`. After a timeout, retcode is 1 and stdout says so. If another
        code than 0 counts as success, retcode is 0 as in Salt, and `exit_code` is that code.

    Raises:
        StateFailedError: a command without a shell did not start, because its program is missing.
    """
    limit = asyncio.timeout(options.timeout_s)
    try:
        async with limit:
            done = await _invoked(ctx, command, options, merge_stderr=merge_stderr)
    except TimeoutError:
        if not limit.expired():
            raise
        done = _timed_out(command if isinstance(command, str) else shlex.join(map(str, command)), options)
    if isinstance(exit_code := done["retcode"], int):  # not of one in the background
        ctx.command_ended(0 if options.ignore_retcode else exit_code)
    return done


async def _invoked(
    ctx: FunctionContext, command: str | Sequence[str], options: CommandOptions, *, merge_stderr: bool
) -> DataMap:
    line, shell = _line(command, options)
    script, shell = _script(line, options, shell, merge_stderr=merge_stderr)
    by_shell = isinstance(command, str) or merge_stderr or bool(options.prepend_path or options.background)
    argv = shell_argv(shell, script) if by_shell else [*map(str, command)]
    if options.group:
        by_shell = False
        argv, options = await in_group(ctx, argv, options)
    if options.root:
        argv = ["chroot", options.root, *argv]
        by_shell = False
    request = Command(
        shell_line=script if by_shell else None,
        argv=None if by_shell else argv,
        shell=shell,
        cwd=options.cwd,
        env=options.env,
        stdin=options.stdin,
        user=options.runas,
        umask=options.umask,
        clean_env=options.clean_env,
        is_followed=not (options.hide_output or options.is_quiet),
    )
    done = await ctx.connection.run(request)
    if options.background:
        return _started(done)
    if done.returncode in _DID_NOT_START and options.needs_program and not isinstance(command, str):
        await _refuse_missing(ctx, str(next(iter(command), "")), options, done)
    return _ended(done, options)


async def _refuse_missing(
    ctx: FunctionContext, program: str, options: CommandOptions, done: Completed
) -> None:
    """Fail if the program of a command is missing where it was run, as it is in Salt.

    Raises:
        StateFailedError: it is missing.
    """
    look_up = [DEFAULT_SHELL, "-c", _IS_PROGRAM, "sh", program]
    plain = msgspec.structs.replace(
        options, stdin=b"", is_quiet=True, success_retcodes=frozenset(), needs_program=False
    )
    if not (await _invoked(ctx, look_up, plain, merge_stderr=False))["retcode"]:
        return
    output = _shown(done.stderr or done.stdout, options).strip()
    raise StateFailedError(
        f"the program {program!r} is missing on the target{output and f': {output}'}"
        " (a shell reads a command, including its own words such as `cd`, only with python_shell=True)"
    )


def _line(command: str | Sequence[str], options: CommandOptions) -> tuple[str, str]:
    """Return a command as a command line, and the shell that runs it."""
    if isinstance(command, str):
        return command, options.shell or DEFAULT_SHELL
    given: Any = command  # Its caller has not checked it.
    if not isinstance(given, Iterable):
        hint = """such as '"true"' on a command line, since `true` alone is read as a boolean"""
        raise TypeError(f"a command is a text or a list of words, not {given!r} (write it in quotes, {hint})")
    # Words are quoted for a POSIX shell, and `exec` makes sure that the first is a program.
    return f"exec {shlex.join(map(str, command))}", DEFAULT_SHELL


def _script(line: str, options: CommandOptions, shell: str, *, merge_stderr: bool) -> tuple[str, str]:
    """Return a command line with what the options add to it, and the shell that runs it.

    What is added is for `/bin/sh`, which then becomes the shell of the command line.
    """
    before: list[str] = []
    if merge_stderr:
        before.append("exec 2>&1")
    if options.prepend_path:
        before.append(f'PATH={shlex.quote(options.prepend_path)}:"$PATH"; export PATH')
    if shell != DEFAULT_SHELL and (before or options.background):
        line, shell = f"exec {shlex.join(shell_argv(shell, line))}", DEFAULT_SHELL
    script = "\n".join([*before, line])
    if options.background:
        script = f"(\n{script}\n) </dev/null >/dev/null 2>&1 &\necho $!"
    return script, shell


def _ended(done: Completed, options: CommandOptions) -> DataMap:
    stdout, stderr = _shown(done.stdout, options), _shown(done.stderr, options)
    retcode = 0 if _is_success(done.returncode, stdout, stderr, options) else done.returncode
    if options.hide_output:
        stdout = stderr = ""
    ended: DataMap = {"pid": done.pid, "retcode": retcode, "stdout": stdout, "stderr": stderr}
    return ended if retcode == done.returncode else {**ended, "exit_code": done.returncode}


def _shown(output: bytes, options: CommandOptions) -> str:
    text = output.decode("utf-8", "replace")
    return text.rstrip() if options.strip else text


def _is_success(returncode: int, stdout: str, stderr: str, options: CommandOptions) -> bool:
    return (
        returncode in options.success_retcodes
        or any(text in stdout for text in options.success_stdout)
        or any(text in stderr for text in options.success_stderr)
    )


def _started(done: Completed) -> DataMap:
    pid = done.stdout.decode("utf-8", "replace").strip()
    return {"pid": int(pid) if pid.isdecimal() else done.pid, "retcode": None, "stdout": "", "stderr": ""}


def _timed_out(line: str, options: CommandOptions) -> DataMap:
    shown = f"{line} : Timed out after {options.timeout_s or 0:g} seconds"
    return {"pid": 0, "retcode": 1, "stdout": "" if options.hide_output else shown, "stderr": ""}
