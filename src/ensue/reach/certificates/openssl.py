"""Runs the target's `openssl`, with public input in a temporary folder and passphrases on standard input.

This module does not know what the commands are for.
"""

from __future__ import annotations

import secrets
import shlex
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.context import FunctionContext

_Parsed = TypeVar("_Parsed")

_NOT_FOUND: Final = 127
_LINES_SHOWN: Final = 3


class TargetKey(msgspec.Struct, frozen=True, kw_only=True):
    """A private key of the target.

    Args:
        path: its path.
        passphrase: its passphrase.
    """

    path: str
    passphrase: str | None = None

    def options(self) -> list[str]:
        """Return openssl's option for the source of the passphrase, so that it never prompts."""
        return ["-passin", "stdin" if self.passphrase else "pass:"]


async def run(
    ctx: FunctionContext,
    *argv: str,
    passphrases: Sequence[str | None] = (),
    files: Mapping[str, str] | None = None,
    first: Sequence[str] = (),
) -> Completed:
    """Run openssl and return its outcome, whatever the exit code.

    Args:
        ctx: the target.
        *argv: its arguments; `@name` stands for the path of one of the files.
        passphrases: its standard input, one per line, without empty ones and None; they are masked.
        files: public input, by file name.
        first: arguments of another openssl command that runs before and must succeed.

    Raises:
        StateFailedError: the target has no openssl, or a passphrase has several lines.
    """
    texts = files or {}
    commands = [f"openssl {_words(argv, texts)}"]
    if first:
        commands.insert(0, f"openssl {_words(first, texts)} </dev/null")
    return await _shell(ctx, _script(commands, texts), [each for each in passphrases if each])


async def pipe(
    ctx: FunctionContext,
    source: Sequence[str],
    sink: Sequence[str],
    *,
    passphrases: tuple[str | None, str | None] = (None, None),
) -> Completed:
    """Run two openssl commands in a pipe, so that the data between them is never in a file.

    Args:
        ctx: the target.
        source: the arguments of the first command; it reads its passphrase from `stdin`.
        sink: the arguments of the second command; it reads its passphrase from `fd:3`.
        passphrases: those of the first and of the second command; they are masked.

    Raises:
        StateFailedError: the target has no openssl, or a passphrase has several lines.
    """
    # `printf` is a shell builtin, so its arguments appear in no process list.
    line = (
        "IFS= read -r given; IFS= read -r asked\n"
        f"printf '%s\\n' \"$given\" | openssl {shlex.join(source)} |\n"
        f"openssl {shlex.join(sink)} 3<<END-asked\n"
        "$asked\nEND-asked"
    )
    return await _shell(ctx, line, [each or "" for each in passphrases])


async def must(
    ctx: FunctionContext,
    *argv: str,
    what: str,
    passphrases: Sequence[str | None] = (),
    files: Mapping[str, str] | None = None,
    first: Sequence[str] = (),
) -> bytes:
    """Run openssl and return its output; fail if it does not succeed.

    Args:
        ctx: the target.
        *argv: its arguments; `@name` stands for the path of one of the files.
        what: its purpose, as in "cannot …".
        passphrases: its standard input, one per line.
        files: public input, by file name.
        first: arguments of another openssl command that runs before.

    Raises:
        StateFailedError: it failed; the message contains its error output.
    """
    done = await run(ctx, *argv, passphrases=passphrases, files=files, first=first)
    return succeeded(done, what)


def succeeded(done: Completed, what: str) -> bytes:
    """Return the output of a command; fail if it did not succeed.

    Args:
        done: the outcome of the command.
        what: its purpose, as in "cannot …".

    Raises:
        StateFailedError: it failed; the message contains its error output.
    """
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise StateFailedError(f"cannot {what}: " + "\n".join(errors[-_LINES_SHOWN:]))
    return done.stdout


def parsed(load: Callable[[bytes], _Parsed], printed: bytes, what: str) -> _Parsed:
    """Return what openssl printed, parsed; the answer of a host may be anything.

    Args:
        load: the function that parses it, which raises a ValueError.
        printed: the output.
        what: its purpose, as in "cannot …".

    Raises:
        StateFailedError: it cannot be parsed.
    """
    try:
        return load(printed)
    except ValueError as error:
        raise StateFailedError(f"cannot {what}: the output of openssl cannot be read: {error}") from None


def digest_name(digest: str) -> str:
    """Return openssl's name of a digest, which has hyphens where Salt's has underscores."""
    return digest.replace("_", "-")


async def _shell(ctx: FunctionContext, line: str, passphrases: Sequence[str]) -> Completed:
    ctx.masker.add(*(each for each in passphrases if each))
    if any("\n" in each for each in passphrases):
        raise StateFailedError("a passphrase must be one line")
    stdin = "".join(f"{each}\n" for each in passphrases).encode()
    done = await ctx.connection.run(Command(shell_line=line, stdin=stdin, cwd="/", env={"LC_ALL": "C"}))
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `openssl`; install it there")
    return done


def _words(argv: Sequence[str], files: Mapping[str, str]) -> str:
    return " ".join(
        f'"$d"/{word[1:]}' if word[:1] == "@" and word[1:] in files else shlex.quote(word) for word in argv
    )


def _script(commands: Sequence[str], files: Mapping[str, str]) -> str:
    if not files:
        return "\n".join(["set -eu", *commands])
    lines = ["set -eu", "umask 077", "d=$(mktemp -d)", "export d", "trap 'rm -rf \"$d\"' EXIT"]
    for name, text in files.items():
        end = f"END-{secrets.token_hex(8)}"
        lines += [f"cat > \"$d\"/{name} <<'{end}'", text.rstrip("\n"), end]
    return "\n".join([*lines, *commands])
