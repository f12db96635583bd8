"""Reads an archive, and converts it to a plain tar that every target's `tar` can read.

tar (plain, gzip, bzip2, xz, lzma) and zip are read on the managing minion, so that the target needs no
program but `tar`. `layout` decides what an archive may contain, `limits` how much. An archive with a device
or pipe is refused. Owners, set-id bits and write permission for others are dropped, as in Python's `data`
filter.

An archive is read twice, in chunks, and is never in memory as a whole: first to list its content, then
while it is unpacked.

Source: Python's `tarfile` and `zipfile`; PEP 706.
"""

from __future__ import annotations

import asyncio
import bz2
import contextlib
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

from ensue.core.contracts.content import size_of
from ensue.core.errors import StateFailedError
from ensue.core.model.target_paths import LONGEST_PATH_BYTES
from ensue.library.states.archive.layout import ArchiveLayout, EntryKind
from ensue.library.states.archive.limits import Budget, LimitedReader, Limits

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping
    from typing import IO, BinaryIO

    from ensue.core.contracts.content import SourceContent
    from ensue.library.states.archive.limits import Readable

    _Entry = tuple[str, tarfile.TarInfo, Readable]

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
    """An archive that has not been read yet.

    Args:
        shown: its source, for messages.
        content: its bytes, or the file.
        is_zip: whether it is a zip; otherwise it is a tar.
        limits: limits for the unpacked size.
        strip: number of leading folders to strip from the names.
        password: password of a zip.
        with_modes: whether the modes in a zip are kept.
    """

    shown: str
    content: SourceContent
    is_zip: bool
    limits: Limits
    strip: int = 0
    password: str | None = None
    with_modes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The content of an archive, by relative path.

    Args:
        names: the names of all entries, as in the archive.
        kinds: kind of each path that has an entry.
        links: targets of symlinks.
    """

    names: tuple[str, ...]
    kinds: Mapping[str, EntryKind]
    links: Mapping[str, str]

    def folders(self) -> set[str]:
        """Return every folder that something is unpacked in, including those without an entry."""
        names: set[str] = set()
        for path in self.kinds:
            folder = path.rpartition("/")[0]
            while folder and folder not in names:
                names.add(folder)
                folder = folder.rpartition("/")[0]
        return names

    def top_folders(self) -> list[str]:
        """Return the top-level folders, including those without an entry."""
        longer = {path.partition("/")[0] for path in self.kinds if "/" in path}
        return sorted(longer | {path for path, kind in self.kinds.items() if self._is_top(path, kind)})

    def top_others(self) -> list[str]:
        """Return the top-level files and symlinks."""
        return sorted(path for path, kind in self.kinds.items() if "/" not in path and kind != "directory")

    def top_files(self) -> list[str]:
        """Return the top-level files."""
        return [path for path in self.top_others() if self.kinds[path] == "file"]

    @staticmethod
    def _is_top(path: str, kind: str) -> bool:
        return "/" not in path and kind == "directory"


def read_contents(archive: Archive) -> Contents:
    """Read an archive and return its content. This takes a while; call it in a thread.

    Raises:
        StateFailedError: the archive is damaged, requires a password, exceeds a limit, or contains something
            that must not be unpacked.
    """
    names: list[str] = []
    layout = ArchiveLayout(archive.shown, archive.strip)
    with _faults(archive), contextlib.closing(_entries(archive, layout)) as entries:
        for name, info, content in entries:
            while content.read(_CHUNK_BYTES):
                pass
            if info.name:
                layout.add(info)
                names.append(_printable(info.name if archive.strip else name))
    return Contents(names=tuple(names), kinds=layout.kinds, links=layout.links)


class PlainTar:
    """Converts an archive to a plain tar.

    Args:
        archive: an archive that `read_contents` has read.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield the tar in chunks.

        Raises:
            StateFailedError: the archive has changed since it was read.
        """
        with contextlib.closing(_in_chunks(_tar_pieces(self._archive))) as chunks:
            while chunk := await asyncio.to_thread(next, chunks, b""):
                yield chunk


def _tar_pieces(archive: Archive) -> Generator[bytes]:
    packed_bytes = 0
    layout = ArchiveLayout(archive.shown, archive.strip)
    with _faults(archive), contextlib.closing(_entries(archive, layout)) as entries:
        for _, info, content in entries:
            if not info.name:
                continue
            header = info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
            yield header
            while piece := content.read(_CHUNK_BYTES):
                yield piece
            padding = b"\0" * (-info.size % tarfile.BLOCKSIZE)
            yield padding
            packed_bytes += len(header) + info.size + len(padding)
    end_bytes = 2 * tarfile.BLOCKSIZE
    yield b"\0" * (end_bytes + -(packed_bytes + end_bytes) % tarfile.RECORDSIZE)


def _in_chunks(pieces: Generator[bytes]) -> Generator[bytes]:
    """Join pieces, many of which are small, into chunks."""
    with contextlib.closing(pieces):
        waiting = bytearray()
        for piece in pieces:
            waiting += piece
            if len(waiting) >= _CHUNK_BYTES:
                yield bytes(waiting)
                waiting.clear()
        if waiting:
            yield bytes(waiting)


def _entries(archive: Archive, layout: ArchiveLayout) -> Generator[_Entry]:
    """Yield the entries of an archive: name, tar member with the relative name, content."""
    with _opened(archive.content) as packed:
        budget = Budget(archive.limits, size_of(archive.content), archive.shown)
        yield from (_from_zip if archive.is_zip else _from_tar)(archive, packed, layout, budget)


@contextlib.contextmanager
def _faults(archive: Archive) -> Generator[None]:
    """Turn the errors of a damaged archive into messages that name the archive."""
    try:
        yield
    except _BROKEN as error:
        raise StateFailedError(f"{archive.shown} cannot be read as an archive: {error}") from None
    except RuntimeError as error:  # zipfile raises it for a missing or wrong password.
        raise StateFailedError(f"{archive.shown}: {error}") from None


def _opened(content: SourceContent) -> BinaryIO:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open()


def _from_tar(archive: Archive, packed: BinaryIO, layout: ArchiveLayout, budget: Budget) -> Generator[_Entry]:
    stream = LimitedReader(_decompressing(packed), budget)
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|", encoding="utf-8") as tar:
        for member in tar:
            info = tarfile.TarInfo(layout.relative(member.name))
            info.mtime = int(member.mtime)
            info.mode = _safe_mode(member.mode, is_folder=member.isdir())
            content: Readable = io.BytesIO()
            budget.spend(member.size if member.isreg() else 0)
            if member.isdir():
                info.type = tarfile.DIRTYPE
            elif member.issym():
                info.type, info.linkname = tarfile.SYMTYPE, member.linkname
            elif member.islnk():
                info.type, info.linkname = tarfile.LNKTYPE, layout.relative(member.linkname)
            elif member.isreg():
                info.size = member.size
                content = _SizedContent(cast("Readable", tar.extractfile(member)), member.size)
            else:
                raise StateFailedError(f"{archive.shown} holds {member.name!r}, which is a device or a pipe")
            yield member.name, info, content
    # Read to the end, where the checksums are: tarfile stops before them.
    while stream.read(_CHUNK_BYTES):
        pass


class _SizedContent:
    """The content of an entry, which must have the size that the archive records.

    Args:
        stream: yields the content.
        size_bytes: the recorded size.
    """

    def __init__(self, stream: Readable, size_bytes: int) -> None:
        self._stream = stream
        self._left_bytes = size_bytes

    def read(self, size_bytes: int, /) -> bytes:
        """Return at most `size_bytes` bytes, none at the end.

        Raises:
            EOFError: the content is shorter than recorded.
        """
        content = self._stream.read(min(size_bytes, self._left_bytes))
        if not content and self._left_bytes:
            raise EOFError("unexpected end of data")
        self._left_bytes -= len(content)
        return content


def _decompressing(packed: BinaryIO) -> Readable:
    start = packed.read(6)
    packed.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=packed)
    if start.startswith(b"BZh"):
        return bz2.BZ2File(packed)
    if start.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return lzma.LZMAFile(packed)
    return packed


def _from_zip(archive: Archive, packed: BinaryIO, layout: ArchiveLayout, budget: Budget) -> Generator[_Entry]:
    password = archive.password.encode() if archive.password else None
    with zipfile.ZipFile(packed) as zipped:
        for member in zipped.infolist():
            info = tarfile.TarInfo(layout.relative(member.filename))
            info.mtime = int(time.mktime((*member.date_time, 0, 0, -1)))
            mode = member.external_attr >> 16
            if any(is_special(mode) for is_special in _SPECIAL):
                raise StateFailedError(
                    f"{archive.shown} holds {member.filename!r}, which is a device or a pipe"
                )
            known = stat.S_IMODE(mode) if archive.with_modes else 0
            info.mode = _safe_mode(known or (0o755 if member.is_dir() else 0o644), is_folder=member.is_dir())
            # The recorded size is enough: zipfile reads no more of an entry than that.
            budget.spend(member.file_size)
            if member.is_dir():
                info.type = tarfile.DIRTYPE
                yield member.filename, info, io.BytesIO()
                continue
            with zipped.open(member, pwd=password) as content:
                if stat.S_ISLNK(mode):
                    info.type, info.linkname = tarfile.SYMTYPE, _link_target(archive, member, content)
                    yield member.filename, info, io.BytesIO()
                else:
                    info.size = member.file_size
                    yield member.filename, info, _SizedContent(content, member.file_size)


def _link_target(archive: Archive, member: zipfile.ZipInfo, content: IO[bytes]) -> str:
    if member.file_size > LONGEST_PATH_BYTES:
        raise StateFailedError(f"{archive.shown} holds the symlink {member.filename!r} to what is not a path")
    return content.read().decode("utf-8", "surrogateescape")


def _safe_mode(mode: int, *, is_folder: bool) -> int:
    return (mode & _SHARED_RIGHTS) | (0o700 if is_folder else 0o600)


def _printable(name: str) -> str:
    """Return a name without bytes that are not UTF-8, because results are text."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
