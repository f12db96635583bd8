"""What this machine refuses a command: permission, space, memory, threads. None of it is a bug in ensue.

An error belongs here by its class and its `errno`, wherever it was raised.
"""

from __future__ import annotations

import errno
import os
import pwd
import resource
from pathlib import Path
from typing import Final

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import StoreError, ThreadRefusedError

_MEBIBYTE: Final = 1 << 20
_MORE_PROCESSES: Final = "raise the limit of processes (`ulimit -u`, or that of the container)"
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_REMEDIES: Final = {
    errno.EACCES: "run ensue as a user who may, or change the owner or the mode",
    errno.EPERM: "run ensue as a user who may",
    errno.EROFS: "use a file system that is not mounted read-only",
    errno.ENOSPC: "make room on the file system",
    errno.EDQUOT: "make room, or raise the quota",
    errno.EFBIG: "raise the limit of file sizes (`ulimit -f`)",
    errno.EMFILE: "raise the limit of open files (`ulimit -n`), or lower `--concurrency`",
    errno.ENFILE: "close programs, or raise the limit `fs.file-max` of the kernel",
    errno.EAGAIN: f"{_MORE_PROCESSES}, or lower `--concurrency`",
    errno.ENOMEM: "free memory, raise the limit (`ulimit -v`), or lower `--concurrency`",
    errno.EIO: "check the disk",
}
"""Errors with which a machine refuses something, and how to mend each; others may be bugs."""


def machine_trouble(error: Exception, cachedir: Path | None) -> Diagnostic | None:
    """Return what the machine refused; None for an error of another kind.

    Args:
        error: what a command raised.
        cachedir: the project's cachedir; None if no project is open.
    """
    match error:
        case MemoryError():
            return _memory()
        case ThreadRefusedError():
            return _threads()
        case StoreError(__cause__=OSError() as cause) if cause.errno in _FORBIDDEN and cachedir:
            return _cachedir(str(error), _path(cause) or cachedir, cachedir)
        case OSError(errno=number) if number in _REMEDIES:
            return _refused(error, cachedir)
        case _:
            return None


def _refused(error: OSError, cachedir: Path | None) -> Diagnostic:
    path = _path(error)
    reason = f"{path}: {error.strerror}" if path else f"{error.strerror}"
    if cachedir and path and error.errno in _FORBIDDEN and path.is_relative_to(cachedir):
        return _cachedir(reason, path, cachedir)
    return Diagnostic(
        code="E0114",
        summary="this machine refused an operation",
        detail=reason,
        help=_REMEDIES[error.errno or 0],
    )


def _cachedir(reason: str, path: Path, cachedir: Path) -> Diagnostic:
    held, owner = _owner(path)
    users = f"; {held} belongs to {owner}, and ensue runs as {_user(os.geteuid())}" if owner else ""
    return Diagnostic(
        code="E0113",
        summary=f"the cachedir {cachedir} cannot be used",
        detail=reason + users,
        help="run ensue as its owner, change the owner of all of it, or set `cachedir:` in ensue.yaml",
    )


def _path(error: OSError) -> Path | None:
    return Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None


def _owner(path: Path) -> tuple[Path, str]:
    """Return the path, or the first folder above it that can be seen, with its owner; empty if unknown."""
    for place in (path, *path.parents):
        try:
            return place, _user(place.stat().st_uid)
        except OSError:
            continue
    return path, ""


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _memory() -> Diagnostic:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    is_limited = limit != resource.RLIM_INFINITY
    return Diagnostic(
        code="E0115",
        summary="there is not enough memory",
        detail=f"the process may have {limit // _MEBIBYTE:,} MiB of address space" if is_limited else "",
        help=_REMEDIES[errno.ENOMEM],
    )


def _threads() -> Diagnostic:
    processes, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    stack, _ = resource.getrlimit(resource.RLIMIT_STACK)
    limits: list[str] = []
    if processes != resource.RLIM_INFINITY:
        limits.append(f"{_user(os.getuid())} may have {processes:,} processes and threads")
    if stack != resource.RLIM_INFINITY:
        limits.append(f"each thread has {stack // _MEBIBYTE:,} MiB of stack")
    return Diagnostic(
        code="E0116",
        summary="this machine starts no more threads",
        detail=", and ".join(limits),
        help=f"{_MORE_PROCESSES}, or lower that of stacks (`ulimit -s`)",
    )
