"""How a shell is started for a command line: without the startup files that it would read before the line.

What they print or define is no part of a command, on any target. `/etc/zshenv` is read even so.
"""

from __future__ import annotations

import posixpath
from typing import Final

_WITHOUT_STARTUP_FILES: Final = {
    "bash": ("--norc",),
    "zsh": ("-f",),
    "csh": ("-f",),
    "bsd-csh": ("-f",),
    "tcsh": ("-f",),
    "fish": ("--no-config",),
}
"""Options by the name of the shell. Other shells read no files before a command line."""

SHELL_ON_REQUEST: Final = frozenset(
    f"cmd.{name}" for name in ("retcode", "run", "run_all", "run_bg", "run_stderr", "run_stdout")
)
"""Functions whose text a shell reads only with `python_shell`; `ensue call` passes it, templates do not."""


def shell_argv(shell: str, line: str) -> list[str]:
    """Return the words that start a shell for one command line.

    Args:
        shell: name or path of the shell.
        line: the command line.

    Example:
        >>> shell_argv("/bin/bash", "ls | wc -l")
        ['/bin/bash', '--norc', '-c', 'ls | wc -l']
    """
    return [shell, *_WITHOUT_STARTUP_FILES.get(posixpath.basename(shell), ()), "-c", line]
