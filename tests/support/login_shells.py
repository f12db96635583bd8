"""Real login shells over a real SSH server, each with startup files that print, redefine `cd` and trace.

The login shell of an account is in /etc/passwd, which takes root to change. Therefore a forced command hands
the line of each session to the shell, as sshd does, and with a home folder of its own.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shlex
import shutil
from typing import TYPE_CHECKING, Final

import pytest
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.sshd import Sshd

_POSIX: Final = """
printf 'noise without an end'
echo 'noise of the startup files, $HOME'; echo noise >&2
export BASH_ENV=$HOME/.bashrc ENV=$HOME/.bashrc CDPATH=/usr
cd() { command cd "$@"; echo "now in $PWD"; }
echo() { printf 'echo: %s\\n' "$*"; }
set -x
"""
_FISH: Final = """
printf 'noise without an end'
echo 'noise of the startup files, $HOME'; echo noise >&2
set -gx BASH_ENV $HOME/.bashrc; set -gx ENV $HOME/.bashrc; set -gx CDPATH /usr
function cd; builtin cd $argv; echo now in $PWD; end
function echo; printf 'echo: %s\\n' "$argv"; end
"""
_CSH: Final = """
printf 'noise without an end'
echo 'noise of the startup files, $HOME'; sh -c 'echo noise >&2'
setenv BASH_ENV $HOME/.bashrc; setenv ENV $HOME/.bashrc; setenv CDPATH /usr
alias cd 'cd \\!*; echo now in $PWD'
alias echo 'printf "echo: %s\\n" "\\!*"'
set echo
set verbose
"""
NOISE: Final = {
    ".bashrc": _POSIX,
    ".zshenv": _POSIX,
    ".mkshrc": _POSIX,
    ".kshrc": _POSIX,
    ".yashrc": _POSIX,
    ".config/fish/config.fish": _FISH,
    ".cshrc": _CSH,
}
"""Startup files in a home folder."""

SHELLS: Final = (
    "dash", "bash", "zsh", "mksh", "ksh93", "yash", "busybox", "fish", "tcsh", "bsd-csh",
)  # fmt: skip
"""Login shells."""

_INSTALLED: Final = frozenset(SHELLS) - {"ksh93", "yash"}
"""The shells that `tools/real-parts` installs, with `CI=true` at least."""


def path_of(shell: str) -> str:
    """Return the path of a login shell; skip the test if it is not installed."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"needs {shell}" if shell in _INSTALLED else f"{shell} is not installed")
    return path


def make_noisy(home: Path) -> None:
    """Write startup files that print into a home folder."""
    for name, text in NOISE.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)


@contextlib.contextmanager
def shell_sshd(folder: Path, shell: str, *, sftp: bool = True) -> Iterator[Sshd]:
    """Start a server whose sessions begin in a login shell with noisy startup files.

    Args:
        folder: what the server keeps, and the home folder.
        shell: name of the login shell.
        sftp: whether it offers SFTP, whose server the login shell starts.
    """
    path = path_of(shell)
    home = folder / "home"
    home.mkdir(parents=True)
    make_noisy(home)
    as_login = [path, "ash", "-c"] if shell == "busybox" else [path, "-c"]
    # What sshd sets, without the SHLVL that keeps the shell of the one who runs the tests from its own files.
    words = ["exec", "env", "-u", "SHLVL", "LANG=C.UTF-8", f"HOME={home}", f"SHELL={path}", *as_login]
    options = {"ForceCommand": f'cd {shlex.quote(str(home))}; {shlex.join(words)} "$SSH_ORIGINAL_COMMAND"'}
    if not sftp:
        options["Subsystem"] = ""
    with running_sshd(folder / "server", user=pwd.getpwuid(os.geteuid()).pw_name, options=options) as server:
        yield server
