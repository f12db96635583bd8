"""Where a project is when `--root` does not say so: in the working directory, or in a folder above it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_MARK: Final = "ensue.yaml"
_OWN: Final = (_MARK, "states", "pillar", ".ensue")
"""What makes the working directory itself a project."""


def project_root() -> Path:
    """Return the project's folder: relative for the working directory, absolute for one above it.

    A folder above counts if it has an `ensue.yaml`. Without one the working directory is the project.
    """
    here = Path()
    try:
        if any((here / name).exists() for name in _OWN):
            return here
        above = Path.cwd().parents
        return next((folder for folder in above if (folder / _MARK).is_file()), here)
    except OSError:
        return here
