"""Where a project is when `--root` does not say so: in the working directory, or in a folder above it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_MARK: Final = "ensue.yaml"
_OWN: Final = (_MARK, "states", "pillar", ".ensue")
"""Files and folders that make the working directory itself a project."""


def project_root() -> Path:
    """Return the project's folder: relative for the working directory, absolute for one above it.

    A folder above counts if it has an `ensue.yaml` that belongs to this user, to root, or to the user who
    called sudo. The code of a project runs with the rights of this user, and any user may create files in a
    shared folder such as `/tmp`. Without such a file the working directory is the project.
    """
    here = Path()
    try:
        if any((here / name).exists() for name in _OWN):
            return here
        above = Path.cwd().parents
        return next((folder for folder in above if _is_trusted(folder / _MARK)), here)
    except OSError:
        return here


def _is_trusted(mark: Path) -> bool:
    """Return whether a file exists and belongs to someone who may decide what this process runs."""
    if not mark.is_file():
        return False
    owners = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        owners.add(int(os.environ["SUDO_UID"]))
    return mark.stat().st_uid in owners
