"""`salt.utils.path`: paths and programs of this machine."""
# pyright: basic
# What custom code hands over may be anything.

from __future__ import annotations

import os
import posixpath
import shutil
from typing import Any

from ensue.salt_names.absent import not_there


def which(exe: str | None = None) -> str | None:
    """Return where a program is, None when it is not installed."""
    return shutil.which(exe) if exe else None


def which_bin(exes: Any) -> str | None:
    """Return where the first of several programs is that is installed."""
    if not isinstance(exes, (list, tuple, set)):
        return None
    return next((found for exe in exes if (found := which(exe))), None)


def join(*parts: str, **_options: Any) -> str:
    """Return a path of its parts; a part after the first one is never taken for absolute."""
    if not parts:
        return ""
    first, *rest = parts
    return posixpath.normpath(posixpath.join(first, *(part.lstrip("/") for part in rest)))


def readlink(path: str) -> str:
    """Return what a link points to."""
    return os.readlink(path)  # noqa: PTH115 -- the text of the link


def islink(path: str) -> bool:
    """Return whether a path is a link."""
    return os.path.islink(path)  # noqa: PTH114


def os_walk(top: str, *args: Any, **kwargs: Any) -> Any:
    """Walk a folder, as `os.walk`."""
    return os.walk(top, *args, **kwargs)


def expand(path: str) -> str:
    """Return a path with `~` and variables filled in."""
    return os.path.expandvars(os.path.expanduser(path))  # noqa: PTH111


def safe_path(path: str, allow_path: str | None = None) -> bool:
    """Return whether a path leads to no place but those below a folder."""
    real = os.path.realpath(path)
    return allow_path is None or real.startswith(os.path.realpath(allow_path))


__getattr__ = not_there(__name__)
