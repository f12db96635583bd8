"""The project lock: one apply of a project at a time, and no deployment meanwhile.

It is the file `<cachedir>/lock`. Deployments share it: the lock of an environment keeps them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.store.registry.file_lock import FileLock

if TYPE_CHECKING:
    from pathlib import Path

LOCK_FILE: Final = "lock"
"""Name of the lock below the cachedir."""


def project_lock(cachedir: Path, *, shared: bool = False) -> FileLock:
    """Return the lock of a project, which is not held yet.

    Args:
        cachedir: the project's cachedir.
        shared: whether to share it with others that share it.
    """
    return FileLock(cachedir / LOCK_FILE, "this project is being applied", shared=shared)
