"""Reading an archive: what is in it, and the same again as one plain tar that any target's `tar` reads.

tar (plain, gzip, bzip2, xz, lzma) and zip are read here, on the managing minion, so that the target needs no
program but `tar`. What may be in an archive is decided in `layout`, how much in `limits`; a device or pipe
refuses the whole archive. Owners and set-id bits are dropped, and so is the right of others to write, as in
Python's `data` filter.

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
from typing import TYPE_CHECKING, Final, cast

from ensue.errors import StateFailedError
from ensue.states.archive.layout import EntryKind, Layout
from ensue.states.archive.limits import Budget, LimitedReader, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO

    from ensue.states.archive.limits import Readable

TAR_ENDINGS: Final = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz", ".tar.lzma", ".tlz",
)  # fmt: skip
_SHARED_RIGHTS: Final = 0o755
_CHUNK_BYTES: Final = 1 << 20
_SPECIAL: Final = (stat.S_ISBLK, stat.S_ISCHR, stat.S_ISFIFO, stat.S_ISSOCK)
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
        limits: how much it may unpack to.
        strip: how many leading folders are cut off the names.
        password: that of a zip.
        with_modes: whether a zip's modes are kept.
    """

    shown: str
    content: bytes
    is_zip: bool
    limits: Limits
    strip: int = 0
    password: str | None = None
    with_modes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What is in an archive, by relative path.

    Args:
        names: all of it, named as the archive does.
        kinds: what is at each path that has an entry of its own.
        links: where its symlinks point.
        tar: the same as a plain tar.
    """

    names: tuple[str, ...]
    kinds: Mapping[str, EntryKind]
    links: Mapping[str, str]
    tar: bytes

    def folders(self) -> set[str]:
        """Return every folder that something is unpacked in, also those without an entry of their own."""
        found: set[str] = set()
        for path in self.kinds:
            folder = path.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return found

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
        StateFailedError: it is broken, needs a password, is above a limit, or has something in it that must
            not be unpacked.
    """
    names: list[str] = []
    layout = Layout(archive.shown, archive.strip)
    budget = Budget(archive.limits, len(archive.content), archive.shown)
    entries = (_from_zip if archive.is_zip else _from_tar)(archive, layout, budget)
    packed = io.BytesIO()
    try:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as tar:
            for name, info, content in entries:
                if not info.name:
                    continue
                layout.add(info)
                names.append(_printable(info.name if archive.strip else name))
                tar.addfile(info, io.BytesIO(content))
    except _BROKEN as error:
        raise StateFailedError(f"{archive.shown} cannot be read as an archive: {error}") from None
    except RuntimeError as error:  # zipfile's way to say that a password is missing or wrong.
        raise StateFailedError(f"{archive.shown}: {error}") from None
    return Contents(names=tuple(names), kinds=layout.kinds, links=layout.links, tar=packed.getvalue())


def _from_tar(
    archive: Archive, layout: Layout, budget: Budget
) -> Iterator[tuple[str, tarfile.TarInfo, bytes]]:
    stream = LimitedReader(_decompressing(archive.content), budget)
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|", encoding="utf-8") as tar:
        for member in tar:
            info = tarfile.TarInfo(layout.relative(member.name))
            info.mtime = int(member.mtime)
            info.mode = _safe_mode(member.mode, is_folder=member.isdir())
            content = b""
            budget.spend(member.size if member.isreg() else 0)
            if member.isdir():
                info.type = tarfile.DIRTYPE
            elif member.issym():
                info.type, info.linkname = tarfile.SYMTYPE, member.linkname
            elif member.islnk():
                info.type, info.linkname = tarfile.LNKTYPE, layout.relative(member.linkname)
            elif member.isreg():
                read = tar.extractfile(member)
                content = read.read() if read else b""
                info.size = len(content)
            else:
                raise StateFailedError(f"{archive.shown} holds {member.name!r}, which is a device or a pipe")
            yield member.name, info, content
    # To the very end, where the checksums are: tarfile itself stops before them.
    while stream.read(_CHUNK_BYTES):
        pass


def _decompressing(content: bytes) -> Readable:
    packed = io.BytesIO(content)
    if content.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=packed)
    if content.startswith(b"BZh"):
        return bz2.BZ2File(packed)
    if content.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return lzma.LZMAFile(packed)
    return packed


def _from_zip(
    archive: Archive, layout: Layout, budget: Budget
) -> Iterator[tuple[str, tarfile.TarInfo, bytes]]:
    password = archive.password.encode() if archive.password else None
    with zipfile.ZipFile(io.BytesIO(archive.content)) as zipped:
        for member in zipped.infolist():
            info = tarfile.TarInfo(layout.relative(member.filename))
            info.mtime = int(time.mktime((*member.date_time, 0, 0, -1)))
            mode = member.external_attr >> 16
            if any(is_special(mode) for is_special in _SPECIAL):
                raise StateFailedError(
                    f"{archive.shown} holds {member.filename!r}, which is a device or a pipe"
                )
            # The size that it says is enough: zipfile reads no more of an entry than that.
            budget.spend(member.file_size)
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


def _safe_mode(mode: int, *, is_folder: bool) -> int:
    return (mode & _SHARED_RIGHTS) | (0o700 if is_folder else 0o600)


def _printable(name: str) -> str:
    """Return a name without bytes that are not UTF-8: results are text."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
