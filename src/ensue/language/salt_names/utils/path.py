"""`salt.utils.path`: paths and programs of this machine."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

import os
import posixpath
import shutil
from typing import Any

from ensue.language.salt_names.absent import not_there


def which(exe: str | None = None) -> str | None:
    """Return the path of a program, None if it is not installed."""
    return shutil.which(exe) if exe else None


def which_bin(exes: Any) -> str | None:
    """Return the path of the first installed program of a list."""
    if not isinstance(exes, (list, tuple, set)):
        return None
    return next((path for exe in exes if (path := which(exe))), None)


def join(*parts: str, **_options: Any) -> str:
    """Join the parts of a path; only the first part can make it absolute."""
    if not parts:
        return ""
    first, *rest = parts
    return posixpath.normpath(posixpath.join(first, *(part.lstrip("/") for part in rest)))


def readlink(path: str) -> str:
    """Return the target of a symlink."""
    return os.readlink(path)  # noqa: PTH115 -- the text of the link


def islink(path: str) -> bool:
    """Return whether a path is a symlink."""
    return os.path.islink(path)  # noqa: PTH114


def os_walk(top: str, *args: Any, **kwargs: Any) -> Any:
    """Walk a folder like `os.walk`."""
    return os.walk(top, *args, **kwargs)


def expand(path: str) -> str:
    """Return a path with `~` and variables expanded."""
    return os.path.expandvars(os.path.expanduser(path))  # noqa: PTH111


def safe_path(path: str, allow_path: str | None = None) -> bool:
    """Return whether a path leads only to places below a folder."""
    real = os.path.realpath(path)
    return allow_path is None or real.startswith(os.path.realpath(allow_path))


__getattr__ = not_there(__name__)
