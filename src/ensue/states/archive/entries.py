"""Reading an archive: what is in it, and the same again as one plain tar that any target's `tar` reads.

tar (plain, gzip, bzip2, xz, lzma) and zip are read here, on the managing minion, so that the target needs no
program but `tar`. Names are made relative; one that leads out of the archive's folder refuses the whole
archive, and so does a device. Owners and set-id bits are dropped, and so is the right of others to write,
as in Python's `data` filter.

Source: Python's `tarfile` and `zipfile`; PEP 706.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import time
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Iterator

TAR_ENDINGS: Final = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz", ".tar.lzma", ".tlz",
)  # fmt: skip
_SHARED_RIGHTS: Final = 0o755
_BROKEN: Final = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive as it came.

    Args:
        shown: its source, for messages.
        content: its bytes.
        is_zip: whether it is a zip, else a tar.
        strip: how many leading folders are cut off the names.
        password: that of a zip.
        with_modes: whether a zip's modes are kept.
    """

    shown: str
    content: bytes
    is_zip: bool
    strip: int = 0
    password: str | None = None
    with_modes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What is in an archive, by relative path.

    Args:
        names: all of it, named as the archive does.
        kinds: `file`, `directory` or `symlink` by path, what stands in no entry of its own left out.
        tar: the same as a plain tar.
    """

    names: tuple[str, ...]
    kinds: dict[str, str]
    tar: bytes

    def top_folders(self) -> list[str]:
        """Return the folders at the top, also those that only show in longer paths."""
        longer = {path.partition("/")[0] for path in self.kinds if "/" in path}
        return sorted(longer | {path for path, kind in self.kinds.items() if self._is_top(path, kind)})

    def top_others(self) -> list[str]:
        """Return the files and symlinks at the top."""
        return sorted(path for path, kind in self.kinds.items() if "/" not in path and kind != "directory")

    def top_files(self) -> list[str]:
        """Return the files at the top."""
        return [path for path in self.top_others() if self.kinds[path] == "file"]

    @staticmethod
    def _is_top(path: str, kind: str) -> bool:
        return "/" not in path and kind == "directory"


def read_contents(archive: Archive) -> Contents:
    """Read an archive whole. This takes a while; call it in a thread.

    Raises:
        StateFailedError: it is broken, needs a password, or has something in it that must not be unpacked.
    """
    names: list[str] = []
    kinds: dict[str, str] = {}
    packed = io.BytesIO()
    try:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as tar:
            for name, info, content in _from_zip(archive) if archive.is_zip else _from_tar(archive):
                if not info.name:
                    continue
                names.append(info.name if archive.strip else name)
                kinds[info.name] = _kind(info)
                tar.addfile(info, io.BytesIO(content))
    except _BROKEN as error:
        raise StateFailedError(f"{archive.shown} cannot be read as an archive: {error}") from None
    except RuntimeError as error:  # zipfile's way to say that a password is missing or wrong.
        raise StateFailedError(f"{archive.shown}: {error}") from None
    return Contents(names=tuple(names), kinds=kinds, tar=packed.getvalue())


def _from_tar(archive: Archive) -> Iterator[tuple[str, tarfile.TarInfo, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(_decompressed(archive.content)), mode="r:", encoding="utf-8") as tar:
        for member in tar:
            info = tarfile.TarInfo(_relative(member.name, archive))
            info.mtime = int(member.mtime)
            info.mode = _safe_mode(member.mode, is_folder=member.isdir())
            content = b""
            if member.isdir():
                info.type = tarfile.DIRTYPE
            elif member.issym():
                info.type, info.linkname = tarfile.SYMTYPE, member.linkname
            elif member.islnk():
                info.type, info.linkname = tarfile.LNKTYPE, _relative(member.linkname, archive)
            elif member.isreg():
                read = tar.extractfile(member)
                content = read.read() if read else b""
                info.size = len(content)
            else:
                raise StateFailedError(f"{archive.shown} holds {member.name!r}, which is a device or a pipe")
            yield member.name, info, content


def _decompressed(content: bytes) -> bytes:
    """Decompress to the very end, where the checksums are: tarfile itself stops before them."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"BZh"):
        return bz2.decompress(content)
    if content.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return lzma.decompress(content)
    return content


def _from_zip(archive: Archive) -> Iterator[tuple[str, tarfile.TarInfo, bytes]]:
    password = archive.password.encode() if archive.password else None
    with zipfile.ZipFile(io.BytesIO(archive.content)) as zipped:
        for member in zipped.infolist():
            info = tarfile.TarInfo(_relative(member.filename, archive))
            info.mtime = int(time.mktime((*member.date_time, 0, 0, -1)))
            mode = member.external_attr >> 16
            content = b"" if member.is_dir() else zipped.read(member, pwd=password)
            if member.is_dir():
                info.type = tarfile.DIRTYPE
            elif stat.S_ISLNK(mode):
                info.type, info.linkname, content = (
                    tarfile.SYMTYPE,
                    content.decode("utf-8", "surrogateescape"),
                    b"",
                )
            info.size = len(content)
            known = stat.S_IMODE(mode) if archive.with_modes else 0
            info.mode = _safe_mode(known or (0o755 if member.is_dir() else 0o644), is_folder=member.is_dir())
            yield member.filename, info, content


def _relative(name: str, archive: Archive) -> str:
    """Return a name without what makes it absolute, `.` and stripped folders; empty when nothing is left."""
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise StateFailedError(
            f"{archive.shown} holds {name!r}, which leads out of the folder it is unpacked in"
        )
    return "/".join(parts[archive.strip :])


def _safe_mode(mode: int, *, is_folder: bool) -> int:
    return (mode & _SHARED_RIGHTS) | (0o700 if is_folder else 0o600)


def _kind(info: tarfile.TarInfo) -> str:
    if info.isdir():
        return "directory"
    return "symlink" if info.issym() else "file"
