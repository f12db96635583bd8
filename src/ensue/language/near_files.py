"""The files below some folders whose path is similar to one that does not exist."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from ensue.core.files.trees import files_below

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MOST_FILES: Final = 2000
"""How many files are compared; this is only for a better message."""


def near_files(folders: Sequence[Path], relative: str) -> list[str]:
    """Return the paths that may have been meant, best first.

    Args:
        folders: the file roots.
        relative: the path that is in none of them, with forward slashes.
    """
    import difflib

    files = (path for folder in folders for path, _ in files_below(folder))
    known = list(islice(files, _MOST_FILES))
    if near := difflib.get_close_matches(relative, known, n=2, cutoff=0.7):
        return near
    name = relative.rpartition("/")[2]
    return [path for path in known if path.rpartition("/")[2] == name][:2]
