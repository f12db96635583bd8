"""Removes a tree that others have written: never through a symlink, never across a mount.

Overlay file systems leave folders without any permission bits, so a folder gets permissions before it is
entered.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: Path) -> None:
    """Remove a file, link or folder with everything below it; do nothing if absent.

    Raises:
        OSError: something below it cannot be removed, or is on another file system.
    """
    try:
        status = path.lstat()
        parent = os.open(path.parent, _FOLDER)
    except FileNotFoundError:
        return
    try:
        _remove(path.name, parent, status.st_dev)
    finally:
        os.close(parent)


def _remove(name: str, parent: int, device: int) -> None:
    status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode):
        os.unlink(name, dir_fd=parent)
        return
    if status.st_dev != device:
        message = "a file system is mounted here; unmount it first"
        raise OSError(errno.EBUSY, message, name)
    folder = _opened(name, parent, status)
    try:
        for child in os.listdir(folder):  # noqa: PTH208 - by descriptor, which a path cannot be
            _remove(child, folder, device)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=parent)


def _opened(name: str, parent: int, status: os.stat_result) -> int:
    if status.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        # Through the folder's descriptor, not its name, which could have become a symlink meanwhile.
        anchor = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        try:
            Path(f"/proc/self/fd/{anchor}").chmod(stat.S_IRWXU)
        finally:
            os.close(anchor)
    return os.open(name, _FOLDER, dir_fd=parent)
