"""Lists what is below a folder of this machine, through links to folders as well.

Unlike `os.walk` with `followlinks`, a walk enters no folder that it is in already, so it ends.

Source: Salt's file server, `fileserver_followsymlinks`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def files_below(
    top: Path,
    *,
    skips: Callable[[str], bool] | None = None,
    on_error: Callable[[OSError], None] | None = None,
) -> Iterator[tuple[str, Path]]:
    """Yield everything below a folder that is not a folder, or a link to one.

    A link that leads nowhere is yielded, so that its reader reports it.

    Args:
        top: the folder; without one, nothing is yielded.
        skips: says of the name of a folder whether it is left out.
        on_error: called for each folder that cannot be listed.

    Yields:
        The path below the folder, with forward slashes, and the file.
    """
    for relative, entry in entries_below(top, skips=skips, on_error=on_error):
        if not _is_folder(entry):
            yield relative, Path(entry.path)


def links_below(top: Path, root: Path) -> dict[str, str]:
    """Return the links below a folder by their path; a link that leads out of the root is not among them.

    Args:
        top: the folder.
        root: the folder itself, or one above it.

    Returns:
        What each link says, by the path of the link below the folder, with forward slashes.
    """
    real_root = os.path.realpath(root)
    return {
        relative: str(Path(entry.path).readlink())
        for relative, entry in entries_below(top)
        if entry.is_symlink() and Path(os.path.realpath(entry.path)).is_relative_to(real_root)
    }


def entries_below(
    top: Path,
    *,
    skips: Callable[[str], bool] | None = None,
    on_error: Callable[[OSError], None] | None = None,
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield everything below a folder, folders too, in no particular order; see `files_below`."""
    # Each folder with the folders that lead to it, by device and inode: only these make a loop. A folder that
    # two links lead to is listed twice.
    waiting: list[tuple[str, str, frozenset[tuple[int, int]]]] = [(os.fspath(top), "", frozenset())]
    while waiting:
        folder, prefix, above = waiting.pop()
        try:
            status = Path(folder).stat()
            if (identity := (status.st_dev, status.st_ino)) in above:
                continue
            with os.scandir(folder) as listed:
                entries = list(listed)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            if on_error:
                on_error(error)
            continue
        for entry in entries:
            relative = prefix + entry.name
            if not _is_folder(entry):
                yield relative, entry
            elif not (skips and skips(entry.name)):
                yield relative, entry
                waiting.append((entry.path, f"{relative}/", above | {identity}))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # A link that leads back to itself.
        return False
