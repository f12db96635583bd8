"""`salt.utils.files`: files of this machine."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.files.trees import entries_below
from ensue.language.salt_names.absent import not_there

if TYPE_CHECKING:
    from collections.abc import Generator

TEMPFILE_PREFIX: Final = "__salt.tmp."


def fopen(*args: Any, **kwargs: Any) -> Any:
    """Open a file, as UTF-8 in text mode; set its owner if `uid` or `gid` is given."""
    own = {name: kwargs.pop(name) for name in ("uid", "gid") if name in kwargs}
    path, *_ = args
    mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
    if isinstance(mode, str) and "b" not in mode:
        kwargs.setdefault("encoding", "utf-8")
    opened = open(*args, **kwargs)  # noqa: PTH123, SIM115 -- the caller closes it
    if "uid" in own or "gid" in own:
        os.chown(path, own.get("uid", -1), own.get("gid", -1))
    return opened


@contextlib.contextmanager
def flopen(*args: Any, **kwargs: Any) -> Generator[Any]:
    """Open a file and lock it while it is open."""
    with fopen(*args, **kwargs) as opened:
        fcntl.flock(opened.fileno(), fcntl.LOCK_SH)
        try:
            yield opened
        finally:
            fcntl.flock(opened.fileno(), fcntl.LOCK_UN)


@contextlib.contextmanager
def fpopen(*args: Any, **kwargs: Any) -> Generator[Any]:
    """Open a file and set its owner and mode (`uid`, `gid`, `mode`)."""
    mode, owner = kwargs.pop("mode", None), (kwargs.pop("uid", -1), kwargs.pop("gid", -1))
    with fopen(*args, **kwargs) as opened:
        os.chown(args[0], *owner)
        if mode is not None:
            Path(args[0]).chmod(mode)
        yield opened


def mkstemp(*args: Any, **kwargs: Any) -> Any:
    """Create a temporary file; return its path, with `close_fd=False` its descriptor and path."""
    close = kwargs.pop("close_fd", True)
    kwargs.setdefault("prefix", TEMPFILE_PREFIX)
    descriptor, path = tempfile.mkstemp(*args, **kwargs)
    if not close:
        return descriptor, path
    os.close(descriptor)
    return path


def normalize_mode(mode: Any) -> str | None:
    """Return a file mode as a string with a leading zero; None for None."""
    if mode is None:
        return None
    return str(mode if isinstance(mode, str) else str(mode)).strip("\"'").lstrip("0Oo").zfill(4)


def safe_rm(tgt: Any) -> None:
    """Remove a file if it exists."""
    with contextlib.suppress(OSError):
        Path(tgt).unlink()


def remove(path: Any) -> None:
    """Remove a file if it exists."""
    Path(path).unlink(missing_ok=True)


def rm_rf(path: Any) -> None:
    """Remove a folder with everything in it."""
    shutil.rmtree(path)


def rename(src: Any, dst: Any) -> None:
    """Rename a file, replacing an existing one."""
    Path(src).replace(dst)


def copyfile(source: Any, dest: Any, *_options: Any) -> None:
    """Copy a file over another one, which keeps its owner and mode."""
    before = Path(dest).stat() if Path(dest).exists() else None
    new = mkstemp(dir=str(Path(dest).parent))
    shutil.copyfile(source, new)
    if before is not None:
        os.chown(new, before.st_uid, before.st_gid)
        Path(new).chmod(before.st_mode & 0o7777)
    Path(new).replace(dest)


def recursive_copy(source: Any, dest: Any) -> None:
    """Copy a folder into another one."""
    shutil.copytree(source, dest, dirs_exist_ok=True)


@contextlib.contextmanager
def set_umask(mask: int | None) -> Generator[None]:
    """Set the umask within a block; None leaves it as it is."""
    before = None if mask is None else os.umask(mask)
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


def is_empty(filename: Any) -> bool:
    """Return whether a file is empty or cannot be examined."""
    try:
        return Path(filename).stat().st_size == 0
    except OSError:
        return False


def is_binary(path: Any) -> bool:
    """Return whether a file contains binary data."""
    try:
        return b"\0" in Path(path).read_bytes()[:2048]
    except OSError:
        return False


def is_text(path: Any, blocksize: int = 512) -> bool:
    """Return whether the beginning of a file is text."""
    try:
        start = Path(path).read_bytes()[:blocksize]
        start.decode()
    except (OSError, UnicodeDecodeError):
        return False
    return b"\0" not in start


def list_files(directory: Any) -> list[str]:
    """Return the paths of a folder and everything below it."""
    below = (entry.path for _, entry in entries_below(Path(directory)))
    return sorted({str(directory), *below})


def human_size_to_bytes(human_size: str) -> int:
    """Return a size with a unit (`1k`) in bytes."""
    from ensue.language.salt_names.utils.stringutils import human_to_bytes

    return human_to_bytes(human_size)


__getattr__ = not_there(__name__)
