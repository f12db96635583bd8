"""Recognises command lines that need no shell: starting one takes longer than most such commands do.

A line of plain words means the same to every Bourne-like shell: look up the first word in PATH and execute it
with the others. Make runs such lines without a shell for the same reason. Anything that could mean more goes
to the shell: quotes, variables, globs, redirections, assignments, built-in commands and keywords, functions
from the environment, and a program that is not found (the shell has its own message for that).

Source: GNU Make manual, "Recipe Execution"; POSIX.1-2017 Shell Command Language, 2.9.1.
"""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "ksh"})
_PLAIN_LINE: Final = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./:@%+,=-]*(?: +[A-Za-z0-9_./:@%+,=-]+)*\Z")
_WORDS_OF_SHELLS: Final = (
    ". : [ [[ alias autoload bg bind break builtin caller case cd chdir command compgen complete "
    "compopt continue coproc declare dirs disown do done echo elif else enable esac eval exec exit "
    "export fc fg fi for function functions getconf getopts hash help hist history if in integer jobs "
    "kill let local login logout mapfile nameref newgrp nohup popd print printf pushd pwd read "
    "readarray readonly return select set shift shopt sleep source stop suspend test then time times "
    "trap type typeset ulimit umask unalias unset until wait whence while "
)
_TAKEN: Final = frozenset(_WORDS_OF_SHELLS.split())
"""Keywords and built-ins of sh, bash, dash and ksh, except `true` and `false`, which are also programs."""

_FUNCTION_PREFIX: Final = b"BASH_FUNC_"
_DEFAULT_PATH: Final = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def program_of(line: str, shell: str, env: Mapping[bytes, bytes]) -> bytes | None:
    """Return the program that a shell would execute for a line; None if only a shell can tell.

    Its arguments are the line's words, beginning with its name as written.

    Args:
        line: the command line.
        shell: the shell that the line is for.
        env: the environment it would run in.
    """
    if shell.rpartition("/")[2] not in _SHELLS or not _PLAIN_LINE.match(line):
        return None
    word = line.partition(" ")[0]
    if word in _TAKEN or "=" in word or _changes_the_shell(env):
        return None
    return _found(word.encode(), env.get(b"PATH", _DEFAULT_PATH))


def _changes_the_shell(env: Mapping[bytes, bytes]) -> bool:
    # All names are searched at once, because this runs for every command.
    return b"ENV" in env or b"BASH_ENV" in env or _FUNCTION_PREFIX in b"\0".join(env)


def _found(word: bytes, path: bytes) -> bytes | None:
    if b"/" in word:
        # A relative path is looked up from the folder that the command is to run in.
        return word if word.startswith(b"/") and _is_program(word) else None
    for folder in _absolute_folders(path):
        if _is_program(candidate := folder + word):
            return candidate
    return None


@lru_cache(maxsize=1)
def _absolute_folders(path: bytes) -> list[bytes]:
    """Return the absolute folders of PATH; each ends with a slash."""
    folders = path.split(b":")
    return [folder + b"/" for folder in takewhile(lambda folder: folder.startswith(b"/"), folders)]


def _is_program(path: bytes) -> bool:
    # Most folders of PATH do not have the name, and `access` is the fastest check.
    if not os.access(path, os.X_OK):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 (bytes)
    except OSError:
        return False
