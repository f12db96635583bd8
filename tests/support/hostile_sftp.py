"""SFTP servers of which something is wrong, by the kind of wrong: `FILES`; see `hostile_sshd`."""

from __future__ import annotations

import asyncio
import stat
from typing import TYPE_CHECKING, Any

import asyncssh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

_CHUNK = b"x" * 32768


class _Files(asyncssh.SFTPServer):
    """Those of this machine."""


class _NoSuchFile(_Files):
    """Whatever it is asked for is not there."""

    def _none(self, *_: object, **__: object) -> Any:
        raise asyncssh.SFTPNoSuchFile("no such file")

    lstat = stat = mkdir = open = remove = rmdir = realpath = readlink = rename = posix_rename = symlink = (
        _none
    )
    setstat = scandir = _none


class _Mute(_Files):
    async def stat(self, path: bytes) -> Any:  # type: ignore[override]
        del path
        await asyncio.Event().wait()

    lstat = stat  # type: ignore[assignment]


class _DropsInFiles(_Files):
    def stat(self, path: bytes) -> Any:
        del path
        self.channel.get_connection().abort()
        raise asyncssh.SFTPFailure("gone")

    lstat = stat


def _attrs(mode: int = stat.S_IFREG | 0o644, size: int = 5, **more: Any) -> asyncssh.SFTPAttrs:
    return asyncssh.SFTPAttrs(permissions=mode, size=size, uid=0, gid=0, atime=0, mtime=0, **more)


class _SaysAnything(_Files):
    """Every path is there, with numbers that no file has."""

    def stat(self, path: bytes) -> Any:
        del path
        return asyncssh.SFTPAttrs(
            permissions=0xFFFFFFFF, size=2**64 - 1, uid=2**32 - 1, gid=2**32 - 1,
            atime=2**32 - 1, mtime=2**32 - 1, extended=[(b"x" * 1000, b"y" * 100_000)],
        )  # fmt: skip

    lstat = stat


class _EndlessFiles(_Files):
    """Every path is a file of five bytes, or of more than any disk has; reading has no end."""

    size = 5
    data = _CHUNK

    def stat(self, path: bytes) -> Any:
        return _attrs(stat.S_IFDIR | 0o755) if path in {b"/", b"/tmp"} else _attrs(size=self.size)

    lstat = stat

    def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:
        del path, pflags, attrs
        return object()

    def fstat(self, file_obj: object) -> Any:
        del file_obj
        return _attrs(size=self.size)

    def read(self, file_obj: object, offset: int, size: int) -> bytes:
        del file_obj, offset
        more_than_asked = size + 100
        return (self.data * (more_than_asked // len(_CHUNK) + 1))[:more_than_asked]

    def write(self, file_obj: object, offset: int, data: bytes) -> int:
        del file_obj, offset
        return len(data)

    def close(self, file_obj: object) -> None:
        pass

    fsync = close


class _HugeFiles(_EndlessFiles):
    size = 2**62


class _LargeFiles(_EndlessFiles):
    size = 300 << 20


class _EmptyReads(_EndlessFiles):
    size = 100_000
    data = b""


class _Folders(_Files):
    """Every path is a folder."""

    def stat(self, path: bytes) -> Any:
        del path
        return _attrs(stat.S_IFDIR | 0o755)

    lstat = stat

    async def scandir(self, path: bytes) -> AsyncIterator[asyncssh.SFTPName]:
        for name in self.names(path):
            yield asyncssh.SFTPName(name, attrs=_attrs(stat.S_IFDIR | 0o755))

    def names(self, path: bytes) -> Iterator[bytes]:
        del path
        return iter((b".", b"..", b"a"))

    def remove(self, path: bytes) -> None:
        pass

    rmdir = mkdir = remove  # type: ignore[assignment]

    def setstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        pass


class _EndlessListing(_Folders):
    def names(self, path: bytes) -> Iterator[bytes]:
        del path
        return (b"%0250d" % number for number in iter(int, 1))


class _Forking(_Folders):
    def names(self, path: bytes) -> Iterator[bytes]:
        del path
        return iter((b"a", b"b"))


class _HostileNames(_Folders):
    def names(self, path: bytes) -> Iterator[bytes]:
        return iter((b"../../../etc", b"a\0b", b"") if path.endswith(b"1") else (b"x" * 1_000_000, b"fine"))


class _OddNames(_Folders):
    def names(self, path: bytes) -> Iterator[bytes]:
        return iter((b"\n", b"\x1b[2J\x07", b"\xff\xfe", b"-rf", b"a\\b") if path.count(b"/") < 3 else ())


class _LinkLoops(_Files):
    """Every path is a link, to itself and to everything else."""

    def lstat(self, path: bytes) -> Any:
        del path
        return _attrs(stat.S_IFLNK | 0o777)

    stat = lstat

    def readlink(self, path: bytes) -> bytes:
        return path

    def realpath(self, path: bytes) -> bytes:
        return path + b"/again"


FILES: dict[str, type[asyncssh.SFTPServer]] = {
    "no_such_file": _NoSuchFile,
    "mute_files": _Mute,
    "drops_in_files": _DropsInFiles,
    "says_anything": _SaysAnything,
    "endless_files": _EndlessFiles,
    "huge_files": _HugeFiles,
    "large_files": _LargeFiles,
    "empty_reads": _EmptyReads,
    "bottomless": _Folders,
    "forking": _Forking,
    "endless_listing": _EndlessListing,
    "hostile_names": _HostileNames,
    "odd_names": _OddNames,
    "link_loops": _LinkLoops,
}
