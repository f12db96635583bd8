"""Turns a `Command` into a script for a POSIX shell, for targets that take one line: SSH, containers, pods.

The script changes folder, umask and environment and then becomes the command, so that no shell
stays in between. The sender of the script decides which user runs it.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.contracts.shells import shell_argv
from ensue.core.errors import RemoteError

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Command

NO_FOLDER_EXIT_CODE: Final = 113
"""Exit code which, with the token on stderr, means that the folder to run in cannot be entered."""

_READ_VARIABLES: Final = """v=
while IFS= read -r l && [ "$l" != {token} ]; do
v="$v$l
"
done
eval "unset v l
$v\""""
"""A shell reads a pipe byte by byte, so that the command's own input is not lost."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class CommandScript(NamedTuple):
    """A command for a POSIX shell.

    Args:
        text: the script.
        stdin_first: input of the script, which precedes the standard input of the command.
    """

    text: str
    stdin_first: bytes = b""


def command_script(command: Command, *, token: str, first: str = "") -> CommandScript:
    """Return a command as a script.

    The values of variables go through standard input, since they may be secrets: every user of the
    target sees a script that is an argument of a shell.

    Args:
        command: what to run; `user`, `stdin` and `timeout_s` are left to the sender.
        token: a word that nothing else prints; it marks the script's own messages on stderr, and the end
            of the variables.
        first: what precedes everything else in the script.

    Raises:
        RemoteError: neither or both of `shell_line` and `argv`, a NUL byte, or an invalid variable name.
    """
    steps = [_enter_folder(command.cwd, token)]
    if command.umask is not None:
        steps.append(f"umask {command.umask:04o}")
    settings = _settings(command)
    given = [f"export {name}={quote(value)}" for name, value in settings.items() if value is not None]
    last = [_READ_VARIABLES.format(token=token), f"exec {_program(command)}"] if given else []
    if not command.clean_env:
        steps += [f"unset {name}" for name, value in settings.items() if value is None]
        steps += last or [f"exec {_program(command)}"]
    else:
        clean = shell_word("\n".join(["unset OLDPWD PWD SHLVL", *last])) if last else _program(command)
        steps.append(f"exec env -i {clean}")
    script = "\n".join([first, *steps] if first else steps)
    variables = "\n".join([*given, token, ""]) if given else ""
    if "\0" in script or "\0" in variables:
        raise RemoteError("a command cannot hold a NUL byte")
    try:
        script.encode("utf-8", "surrogateescape")
        return CommandScript(script, variables.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError as fault:
        raise RemoteError(f"a command holds text that is no text: {fault.reason}") from fault


def quote(text: str) -> str:
    """Quote a word for a POSIX shell."""
    return shlex.quote(text)


def shell_word(script: str, *, shell: str = "/bin/sh") -> str:
    """Return a script as one line that any login shell hands to a POSIX shell."""
    return f"{shell} -c {quote(script)}"


def _enter_folder(cwd: str | None, token: str) -> str:
    if cwd is None:
        return "cd 2>/dev/null || cd /"
    folder = cwd if cwd.startswith("/") else f"./{cwd}"
    return f"cd {quote(folder)} || {{ echo {token} >&2; exit {NO_FOLDER_EXIT_CODE}; }}"


def _settings(command: Command) -> dict[str, str | None]:
    settings = dict(command.env or {})
    for name in settings:
        if not _VARIABLE.match(name):
            raise RemoteError(f"not a name for an environment variable: {name!r} (letters, digits and _)")
    return settings


def _program(command: Command) -> str:
    if (command.shell_line is None) == (command.argv is None):
        raise RemoteError("a command is either a shell line or an argv")
    if command.shell_line is not None:
        return shlex.join(shell_argv(command.shell, command.shell_line))
    if not command.argv:
        raise RemoteError("a command's argv is empty")
    return shlex.join(command.argv)
