"""A `Command` as a script for a POSIX shell, for targets that take one line: SSH, containers, pods.

The script changes folder, umask and environment and then becomes the command, so that no shell
stays in between. Becoming another user is the business of whoever sends the script.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from ensue.errors import RemoteError

if TYPE_CHECKING:
    from ensue.contracts.connection import Command

NO_FOLDER_EXIT_CODE: Final = 113
"""With this code, and the token on stderr, a script says that the folder to run in cannot be entered."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def command_script(command: Command, *, token: str) -> str:
    """Return the script.

    Args:
        command: what to run; `user`, `stdin` and `timeout_s` are not the script's business.
        token: a word that nothing else prints; it marks the script's own messages on stderr.

    Raises:
        RemoteError: neither or both of `shell_line` and `argv`, a NUL byte, or an improper variable name.
    """
    steps = [_enter_folder(command.cwd, token)]
    if command.umask is not None:
        steps.append(f"umask {command.umask:04o}")
    settings = _settings(command)
    if not command.clean_env:
        steps += [f"unset {name}" for name, value in settings.items() if value is None]
        steps += [f"export {name}={quote(value)}" for name, value in settings.items() if value is not None]
        steps.append(f"exec {_program(command)}")
    else:
        given = [f"{name}={quote(value)}" for name, value in settings.items() if value is not None]
        steps.append(" ".join(["exec env -i", *given, _program(command)]))
    script = "\n".join(steps)
    if "\0" in script:
        raise RemoteError("a command cannot hold a NUL byte")
    try:
        script.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as fault:
        raise RemoteError(f"a command holds text that is no text: {fault.reason}") from fault
    return script


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
        return f"{quote(command.shell)} -c {quote(command.shell_line)}"
    if not command.argv:
        raise RemoteError("a command's argv is empty")
    return shlex.join(command.argv)
