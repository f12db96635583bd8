"""The folder on disk of a sandbox's file root.

`root/` contains what is the sandbox's own from the start: a copy of the world-readable part of /etc, and
empty folders such as /root, /home and /mnt. It is complete when `root.ready` exists beside it. `namespace`
mounts the other parts of the machine on it; otherwise they are missing.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.reach.resources.sandbox.removal import remove_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT_NAME: Final = "root"
READY_NAME: Final = "root.ready"

OWN_FOLDERS: Final = {
    "dev": 0o755,
    "etc": 0o755,
    "home": 0o755,
    "media": 0o755,
    "mnt": 0o755,
    "proc": 0o555,
    "root": 0o700,
    "run": 0o755,
    "sys": 0o555,
    "tmp": 0o1777,
}
"""Top-level folders that are never the machine's, with their modes."""

_FURTHER_FOLDERS: Final = ("opt", "srv", "usr/local/bin", "usr/local/etc", "var/lib", "var/log", "var/tmp")
_LARGEST_COPY_BYTES: Final = 1 << 20
_OTHERS_ENTER: Final = stat.S_IROTH | stat.S_IXOTH


def prepare_root(directory: Path, hostname: str) -> Path:
    """Create the root, or leave a complete one alone.

    Args:
        directory: the sandbox's folder.
        hostname: the sandbox's host name.

    Returns:
        The root.
    """
    root = directory / ROOT_NAME
    ready = directory / READY_NAME
    if ready.exists():
        return root
    # Only an interrupted preparation can have left this: no server has used it yet.
    remove_tree(root)
    root.mkdir(mode=0o755)
    root.chmod(0o755)
    for name, mode in OWN_FOLDERS.items():
        (root / name).mkdir()
        (root / name).chmod(mode)
    for name in _FURTHER_FOLDERS:
        (root / name).mkdir(mode=0o755, parents=True)
    _copy_public(Path("/etc"), root / "etc")
    _name_host(root / "etc", hostname)
    ready.touch(mode=0o600)
    return root


def copy_folders(source: Path, destination: Path, *, depth: int, hidden: Path | None = None) -> None:
    """Recreate the folders below a place, without their files.

    Args:
        source: where to look; symlinks are not followed.
        destination: where to create them; exists.
        depth: how many levels.
        hidden: a folder to leave out.
    """
    if not depth:
        return
    for entry in _entries(source):
        if not entry.is_dir(follow_symlinks=False) or Path(entry.path) == hidden:
            continue
        mode = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
        # A folder that we may not enter is not recreated: ours would show it wrongly.
        if not os.access(entry.path, os.R_OK | os.X_OK):
            continue
        copy = destination / entry.name
        copy.mkdir(exist_ok=True)
        copy.chmod(mode | stat.S_IRWXU)
        copy_folders(Path(entry.path), copy, depth=depth - 1, hidden=hidden)


def _copy_public(source: Path, destination: Path) -> None:
    """Copy what everyone may read, so that no secret of root gets into a sandbox."""
    for entry in _entries(source):
        # A file that disappears meanwhile (a lock, a file being replaced) is skipped.
        with suppress(FileNotFoundError):
            _copy_public_entry(entry, destination / entry.name)


def _copy_public_entry(entry: os.DirEntry[str], copy: Path) -> None:
    if entry.is_symlink():
        _copy_link(Path(entry.path), copy)
        return
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode) and status.st_mode & _OTHERS_ENTER == _OTHERS_ENTER:
        copy.mkdir()
        _copy_public(Path(entry.path), copy)
        copy.chmod(stat.S_IMODE(status.st_mode) & 0o1777 | stat.S_IRWXU)
    elif stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IROTH:
        _copy_file(Path(entry.path), copy, status)


def _copy_file(source: Path, copy: Path, status: os.stat_result) -> None:
    if status.st_size > _LARGEST_COPY_BYTES:
        return
    shutil.copyfile(source, copy)
    copy.chmod(stat.S_IMODE(status.st_mode) & 0o777 | stat.S_IRUSR | stat.S_IWUSR)


def _copy_link(source: Path, copy: Path) -> None:
    # The sandbox has its own /run; files that /etc links to in the machine's (resolv.conf) are copied.
    if str(source.resolve()).startswith("/run/") and source.is_file() and os.access(source, os.R_OK):
        _copy_file(source, copy, source.stat())
    else:
        copy.symlink_to(source.readlink())


def _name_host(etc: Path, hostname: str) -> None:
    (etc / "hostname").unlink(missing_ok=True)
    (etc / "hostname").write_text(f"{hostname}\n", encoding="utf-8")
    with (etc / "hosts").open("a", encoding="utf-8") as hosts:
        hosts.write(f"127.0.1.1\t{hostname}\n")


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except PermissionError:
        return
