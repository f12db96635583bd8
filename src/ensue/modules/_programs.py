"""Programs of the target that the modules `pkg`, `user`, `service`, … call: run, and read what they say.

They are run without a shell, in English, and with nothing to read. What is a failure is said here;
what is run is the modules' matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.contracts.connection import Command
from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.contracts.context import FunctionContext

NOT_FOUND: Final = 127
"""The exit code that says that there is no such program."""

_ENGLISH: Final = {"LC_ALL": "C.UTF-8", "LANGUAGE": "C"}
_LINES_SHOWN: Final = 12


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a program left behind.

    Args:
        returncode: its exit code.
        stdout: what it wrote, as text.
        stderr: its errors.
    """

    returncode: int
    stdout: str
    stderr: str

    @property
    def is_success(self) -> bool:
        """Whether it ended with 0."""
        return self.returncode == 0

    @property
    def is_missing(self) -> bool:
        """Whether the target has no such program."""
        return self.returncode == NOT_FOUND

    def complaint(self) -> str:
        """Return what it complained of: the last lines of its errors, else of its output."""
        said = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return "\n".join(said[-_LINES_SHOWN:]) or f"exit code {self.returncode}"


_SYSTEM_FOLDERS: Final = ("/usr/sbin", "/sbin")


async def ask(
    ctx: FunctionContext,
    *argv: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    runas: str | None = None,
) -> Answer:
    """Run a program; whatever its exit code is.

    Args:
        ctx: the target.
        *argv: the program and its arguments.
        stdin: what it reads; what is secret goes here, never into the arguments.
        env: variables beside the language.
        runas: the user of the target who runs it; None is the connection's own.
    """
    program, *arguments = argv
    command_env = {**_ENGLISH, **(env or {})}
    # A folder that anybody may enter, since another user's home folder need not be there.
    cwd = "/" if runas else None
    answer = await _answer(ctx, Command(argv=argv, stdin=stdin, env=command_env, user=runas, cwd=cwd))
    for folder in _SYSTEM_FOLDERS if "/" not in program else ():
        if not answer.is_missing:
            break
        # The PATH of an ordinary user leaves these out on Debian, and what is in them answers him, too.
        found = (f"{folder}/{program}", *arguments)
        answer = await _answer(ctx, Command(argv=found, stdin=stdin, env=command_env, user=runas, cwd=cwd))
    return answer


async def _answer(ctx: FunctionContext, command: Command) -> Answer:
    done = await ctx.connection.run(command)
    return Answer(
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
) -> Answer:
    """Run a program that has to succeed.

    Args:
        ctx: the target.
        *argv: the program and its arguments.
        what: what it is for, after "cannot".
        stdin: what it reads.
        env: variables beside the language.
        runas: the user of the target who runs it; None is the connection's own.

    Raises:
        StateFailedError: it is not there, or it failed; the text says what it complained of.
    """
    answer = await ask(ctx, *argv, stdin=stdin, env=env, runas=runas)
    if answer.is_missing:
        raise StateFailedError(f"cannot {what} on {ctx.srn}: it has no program `{argv[0]}`; install it there")
    if not answer.is_success:
        raise StateFailedError(f"cannot {what} on {ctx.srn}: {answer.complaint()}")
    return answer
