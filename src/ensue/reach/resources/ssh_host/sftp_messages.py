"""The messages of SFTP, version 3: numbers, attributes, and strict parsing of a server's answers.

OpenSSH speaks version 3, and every server falls back to it. This module handles bytes only, no connection.

Source: draft-ietf-secsh-filexfer-02; OpenSSH's PROTOCOL for the extensions.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag
from typing import Final

import msgspec

VERSION: Final = 3
"""The version in use."""

FSYNC: Final = b"fsync@openssh.com"
"""Extension: flush an open file to the disk."""
POSIX_RENAME: Final = b"posix-rename@openssh.com"
"""Extension: rename and replace an existing file in one step."""
LSETSTAT: Final = b"lsetstat@openssh.com"
"""Extension: set attributes of a symlink itself."""

_MOST_REASON_CHARACTERS: Final = 500
_UINT32: Final = struct.Struct(">I")
_UINT64: Final = struct.Struct(">Q")
_PAIR: Final = struct.Struct(">II")
_HEAD: Final = struct.Struct(">IBI")
_KIND_AND_NUMBER_BYTES: Final = 5


class SftpMessageKind(IntEnum):
    """The kinds of messages."""

    INIT = 1
    VERSION = 2
    OPEN = 3
    CLOSE = 4
    READ = 5
    WRITE = 6
    LSTAT = 7
    FSTAT = 8
    SETSTAT = 9
    FSETSTAT = 10
    OPENDIR = 11
    READDIR = 12
    REMOVE = 13
    MKDIR = 14
    RMDIR = 15
    REALPATH = 16
    STAT = 17
    READLINK = 19
    SYMLINK = 20
    STATUS = 101
    HANDLE = 102
    DATA = 103
    NAME = 104
    ATTRS = 105
    EXTENDED = 200


class Status(IntEnum):
    """Why a request failed; servers of later versions than 3 send the ones after 8."""

    OK = 0
    EOF = 1
    NO_SUCH_FILE = 2
    PERMISSION_DENIED = 3
    FAILURE = 4
    BAD_MESSAGE = 5
    OP_UNSUPPORTED = 8
    NO_SUCH_PATH = 10
    FILE_ALREADY_EXISTS = 11
    WRITE_PROTECT = 12
    NO_SPACE_ON_FILESYSTEM = 14
    QUOTA_EXCEEDED = 15
    DIR_NOT_EMPTY = 18
    NOT_A_DIRECTORY = 19
    INVALID_FILENAME = 20
    LINK_LOOP = 21
    FILE_IS_A_DIRECTORY = 24


class OpenFlag(IntFlag):
    """How a file is opened."""

    READ = 1
    WRITE = 2
    CREATE = 8
    EXCLUSIVE = 32


class SftpError(Exception):
    """A request failed.

    Args:
        code: the number that the server gave; `Status` has the known ones.
        reason: its text for people.
    """

    def __init__(self, code: int, reason: str = "") -> None:
        self.code = code
        self.reason = reason
        super().__init__(f"{reason or 'failure'} (SFTP status {code})")


class SftpAttributes(msgspec.Struct, frozen=True, kw_only=True):
    """Attributes of a file, reported by a server or to be set; None: not given.

    Args:
        size_bytes: its size.
        uid: owner's number.
        gid: group's number.
        permissions: type and permission bits.
        atime_s: time of last access, whole seconds since the epoch.
        mtime_s: time of last change, whole seconds since the epoch.
    """

    size_bytes: int | None = None
    uid: int | None = None
    gid: int | None = None
    permissions: int | None = None
    atime_s: int | None = None
    mtime_s: int | None = None

    def encoded(self) -> bytes:
        """Return the bytes of a request; owner and group are sent together, and so are the two times."""
        flags, body = 0, b""
        if self.uid is not None and self.gid is not None:
            flags |= 2
            body += _PAIR.pack(self.uid, self.gid)
        if self.permissions is not None:
            flags |= 4
            body += _UINT32.pack(self.permissions)
        if self.atime_s is not None and self.mtime_s is not None:
            flags |= 8
            body += _PAIR.pack(self.atime_s, self.mtime_s)
        return _UINT32.pack(flags) + body


class SftpEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One name in a folder.

    Args:
        name: as it is, `.` and `..` included.
        attributes: its attributes; a symlink is not followed.
    """

    name: str
    attributes: SftpAttributes


class SftpReply:
    """Reads a message from the beginning.

    Args:
        body: the message without length, kind and number.

    Each method raises `SftpError` with `BAD_MESSAGE` if the message ends too early.
    """

    __slots__ = ("_at", "_body")

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    @property
    def is_empty(self) -> bool:
        """Whether everything was read."""
        return self._at >= len(self._body)

    def uint32(self) -> int:
        """Read a number of 4 bytes."""
        return int(_UINT32.unpack(self._bytes(4))[0])

    def uint64(self) -> int:
        """Read a number of 8 bytes."""
        return int(_UINT64.unpack(self._bytes(8))[0])

    def string(self) -> bytes:
        """Read a string with its length before it."""
        return self._bytes(self.uint32())

    def path(self) -> str:
        """Read a path, which need not be UTF-8."""
        return self.string().decode("utf-8", "surrogateescape")

    def attributes(self) -> SftpAttributes:
        """Read attributes; extended ones are skipped."""
        flags = self.uint32()
        size_bytes = self.uint64() if flags & 1 else None
        uid, gid = (self.uint32(), self.uint32()) if flags & 2 else (None, None)
        permissions = self.uint32() if flags & 4 else None
        atime_s, mtime_s = (self.uint32(), self.uint32()) if flags & 8 else (None, None)
        if flags & 0x80000000:
            for _ in range(2 * self.uint32()):
                self.string()
        return SftpAttributes(
            size_bytes=size_bytes, uid=uid, gid=gid, permissions=permissions, atime_s=atime_s, mtime_s=mtime_s
        )

    def entries(self) -> list[SftpEntry]:
        """Read the names of a folder; how `ls -l` would print each is skipped."""
        sftp_entries: list[SftpEntry] = []
        for _ in range(self.uint32()):
            name = self.path()
            self.string()
            sftp_entries.append(SftpEntry(name=name, attributes=self.attributes()))
        return sftp_entries

    def one_path(self) -> str:
        """Read the single name of an answer that is a path."""
        if self.uint32() != 1:
            raise SftpError(Status.BAD_MESSAGE, "the server answers with several paths, or none")
        return self.path()

    def failure(self) -> SftpError | None:
        """Read a status; None if the request succeeded. Its text may be missing."""
        code = self.uint32()
        if code == Status.OK:
            return None
        reason = b"" if self.is_empty else self.string()
        return SftpError(code, reason.decode("utf-8", "replace")[:_MOST_REASON_CHARACTERS])

    def extensions(self) -> frozenset[bytes]:
        """Read the names of the extensions after the version of a server."""
        names: set[bytes] = set()
        while not self.is_empty:
            names.add(self.string())
            self.string()
        return frozenset(names)

    def _bytes(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._body):
            raise SftpError(Status.BAD_MESSAGE, "the server sent a message that is cut short")
        part = self._body[self._at : end]
        self._at = end
        return part


def string(content: bytes) -> bytes:
    """Return content preceded by its length."""
    return _UINT32.pack(len(content)) + content


def path_bytes(path: str) -> bytes:
    """Return a path, encoded for requests."""
    return string(path.encode("utf-8", "surrogateescape"))


def uint32(number: int) -> bytes:
    """Return a number as 4 bytes."""
    return _UINT32.pack(number)


def uint64(number: int) -> bytes:
    """Return a number as 8 bytes."""
    return _UINT64.pack(number)


def message(kind: SftpMessageKind, number: int, body: bytes) -> bytes:
    """Return a whole message.

    Args:
        kind: the kind of request.
        number: the request's number, which the answer repeats.
        body: the rest.
    """
    return _HEAD.pack(len(body) + _KIND_AND_NUMBER_BYTES, kind, number) + body
