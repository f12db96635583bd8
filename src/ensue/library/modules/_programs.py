"""Runs the programs of the target that the modules `pkg`, `user`, `service`, … call.

They run without a shell, with English messages and with empty standard input. This module decides what counts
as a failure; the calling module decides what to run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext

NOT_FOUND: Final = 127
"""The exit code for a program that does not exist."""

_ENGLISH: Final = {"LC_ALL": "C.UTF-8", "LANGUAGE": "C"}
_LINES_SHOWN: Final = 12


class ProgramResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a program.

    Args:
        returncode: its exit code.
        stdout: its output, as text.
        stderr: its error output.
    """

    returncode: int
    stdout: str
    stderr: str

    @property
    def is_success(self) -> bool:
        """Whether the exit code is 0."""
        return self.returncode == 0

    @property
    def is_missing(self) -> bool:
        """Whether the program does not exist on the target."""
        return self.returncode == NOT_FOUND

    def complaint(self) -> str:
        """Return the program's error message: the last lines of its error output, else of its output."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return "\n".join(lines[-_LINES_SHOWN:]) or f"exit code {self.returncode}"


_SYSTEM_FOLDERS: Final = ("/usr/sbin", "/sbin")


async def ask(
    ctx: FunctionContext,
    *argv: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    runas: str | None = None,
    is_followed: bool = False,
) -> ProgramResult:
    """Run a program and return its outcome, whatever the exit code.

    Args:
        *argv: the program and its arguments.
        stdin: its input; secrets go here, never into the arguments.
        env: environment variables in addition to the language.
        runas: the user of the target who runs it; None for the user of the connection.
        is_followed: whether a person who follows a run wants to read its output while it runs.
    """
    program, *arguments = argv
    command_env = {**_ENGLISH, **(env or {})}
    # A folder that everybody may enter, since another user's home folder may not exist.
    cwd = "/" if runas else None
    command = Command(argv=argv, stdin=stdin, env=command_env, user=runas, cwd=cwd, is_followed=is_followed)
    answer = await _answer(ctx, command)
    for folder in _SYSTEM_FOLDERS if "/" not in program else ():
        if not answer.is_missing:
            break
        # On Debian, the PATH of an ordinary user lacks these folders, though the programs there work.
        full_argv = (f"{folder}/{program}", *arguments)
        answer = await _answer(ctx, msgspec.structs.replace(command, argv=full_argv))
    return answer


async def _answer(ctx: FunctionContext, command: Command) -> ProgramResult:
    done = await ctx.connection.run(command)
    return ProgramResult(
        returncode=done.returncode,
        stdout=done.stdout.decode("utf-8", "replace"),
        stderr=done.stderr.decode("utf-8", "replace"),
    )


async def must(
    ctx: FunctionContext,
    *argv: str,
    what: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    runas: str | None = None,
    is_followed: bool = False,
) -> ProgramResult:
    """Run a program and fail if it does not succeed.

    Args:
        *argv: the program and its arguments.
        what: its purpose, which follows "cannot" in the message.
        stdin: its input.
        env: environment variables in addition to the language.
        runas: the user of the target who runs it; None for the user of the connection.
        is_followed: whether a person who follows a run wants to read its output while it runs.

    Raises:
        StateFailedError: it does not exist or failed; the message has its error output.
    """
    answer = await ask(ctx, *argv, stdin=stdin, env=env, runas=runas, is_followed=is_followed)
    if answer.is_missing:
        raise StateFailedError(f"cannot {what} on {ctx.srn}: it has no program `{argv[0]}`; install it there")
    if not answer.is_success:
        raise StateFailedError(f"cannot {what} on {ctx.srn}: {answer.complaint()}")
    return answer
