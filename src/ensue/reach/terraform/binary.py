"""Finds and runs the binary.

Cancelling a run interrupts terraform, which then finishes its current operations and writes its state; a
second cancellation kills it, and so does the end of `TERRAFORM_END_S`. If this process is killed, terraform
lives on and writes its state. Its output therefore does not go to a pipe: an unread pipe would end it at its
next line.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import msgspec

from ensue.core.contracts.deadlines import TERRAFORM_END_S
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAMES: Final = ("terraform", "tofu")
_KEPT_FROM_IT: Final = frozenset({"ENSUE_KEY", "TF_CLI_ARGS", "TF_WORKSPACE"})
"""Environment variables that are hidden from terraform: ensue's key, and those that change its arguments."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a command.

    Args:
        code: its exit code; a negative number is the signal that ended it.
        stdout: its output.
        stderr: its error output.
    """

    code: int
    stdout: bytes
    stderr: bytes


def find_binary(program: str = "") -> str:
    """Return the path of the binary.

    Args:
        program: a name or a path; empty for `terraform`, else `tofu`.

    Raises:
        StateFailedError: it is not installed on this machine.
    """
    for name in (program,) if program else _NAMES:
        if path := shutil.which(name):
            return path
    names = program or " or ".join(_NAMES)
    msg = f"{names} is not on this machine's PATH (install it, or name another with `binary`)"
    raise StateFailedError(msg)


async def run_binary(
    argv: Sequence[str],
    *,
    variables: Mapping[str, str],
    cwd: str,
    stdin: bytes = b"",
    files: Sequence[int] = (),
) -> Ended:
    """Run a command of the binary to its end.

    Args:
        argv: the binary and its arguments.
        variables: environment variables in addition to this process's.
        cwd: its working directory.
        stdin: its input.
        files: descriptors of files that it inherits; it finds them below `/proc/self/fd`.
    """
    ours = {name: value for name, value in os.environ.items() if name not in _KEPT_FROM_IT}
    with in_memory("output") as stdout, in_memory("output") as stderr:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            env={**ours, "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1", **variables},
            cwd=cwd,
            start_new_session=True,
            pass_fds=files,
        )
        talking = asyncio.ensure_future(process.communicate(stdin))
        try:
            await asyncio.shield(talking)
        except asyncio.CancelledError:
            await _end(process, talking)
            raise
        return Ended(code=process.returncode or 0, stdout=_read(stdout), stderr=_read(stderr))


def in_memory(name: str) -> BinaryIO:
    """Open a file that may contain secrets and is on no disk."""
    return os.fdopen(os.memfd_create(name), "r+b")


def _read(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


async def _end(process: asyncio.subprocess.Process, talking: asyncio.Future[Any]) -> None:
    _send(process, signal.SIGINT)
    try:
        await asyncio.wait([talking], timeout=TERRAFORM_END_S)
    finally:
        if not talking.done():
            _send(process, signal.SIGKILL)
            await talking


def _send(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        # Its providers are processes of the same session.
        os.killpg(process.pid, number)
