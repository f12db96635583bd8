"""Running the target's `openssl`: public texts go to it as files of a folder that is gone afterwards.

A passphrase goes to its input. It knows nothing of what is made.
"""

from __future__ import annotations

import secrets
import shlex
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.contracts.connection import Command
from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.contracts.connection import Completed
    from ensue.contracts.context import StateContext

_NOT_FOUND: Final = 127
_LINES_SHOWN: Final = 3


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A private key of the target.

    Args:
        path: where it is.
        passphrase: what it is encrypted with.
    """

    path: str
    passphrase: str | None = None

    def options(self) -> list[str]:
        """Return how openssl is to get the passphrase; it never asks a terminal."""
        return ["-passin", "stdin" if self.passphrase else "pass:"]


async def run(ctx: StateContext, *argv: str, key: Key, files: Mapping[str, str] | None = None) -> Completed:
    """Run openssl, whatever its exit code is.

    Args:
        ctx: the state's context.
        *argv: its arguments; `@name` is the path of one of the files.
        key: the key that it reads; its passphrase is masked.
        files: public texts, by name.
    """
    if key.passphrase:
        ctx.masker.add(key.passphrase)
    stdin = f"{key.passphrase}\n".encode() if key.passphrase else b""
    line = _script(argv, files or {})
    done = await ctx.connection.run(Command(shell_line=line, stdin=stdin, cwd="/", env={"LC_ALL": "C"}))
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `openssl`; install it there")
    return done


async def must(
    ctx: StateContext, *argv: str, what: str, key: Key, files: Mapping[str, str] | None = None
) -> str:
    """Run openssl, which has to succeed, and return what it prints; see `run`.

    Args:
        ctx: the state's context.
        *argv: its arguments.
        what: what it is for, after "cannot".
        key: the key that it reads.
        files: public texts, by name.

    Raises:
        StateFailedError: it failed; the text says what it complained of.
    """
    done = await run(ctx, *argv, key=key, files=files)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise StateFailedError(f"cannot {what}: " + "\n".join(said[-_LINES_SHOWN:]))
    return done.stdout.decode("utf-8", "replace")


def _script(argv: Sequence[str], files: Mapping[str, str]) -> str:
    words = " ".join(
        f'"$d"/{word[1:]}' if word[1:] in files and word[0] == "@" else shlex.quote(word) for word in argv
    )
    if not files:
        return f"exec openssl {words}"
    lines = ["set -eu", "umask 077", "d=$(mktemp -d)", "export d", "trap 'rm -rf \"$d\"' EXIT"]
    for name, text in files.items():
        end = f"END-{secrets.token_hex(8)}"
        lines += [f"cat > \"$d\"/{name} <<'{end}'", text.rstrip("\n"), end]
    return "\n".join([*lines, f"openssl {words}"])
