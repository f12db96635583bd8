"""Validates the answers of targets, which may be broken or compromised.

An invalid answer is a `RemoteFileError` with the path, like any other failure of a file operation.
"""

from __future__ import annotations

import hashlib
import re
import stat as stat_bits
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import FileKind, FileStat
from ensue.core.model.numbers import whole_number
from ensue.core.model.target_paths import LONGEST_PATH_BYTES
from ensue.reach.resources.faults import file_error, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.srn import Srn

MOST_BYTES: Final = 256 << 20
"""Maximum size of a command's output, or of a file, that is read over the network into memory."""

MOST_NAMES: Final = 1_000_000
"""Maximum number of names in a folder."""

KINDS: Final[dict[int, FileKind]] = {
    stat_bits.S_IFREG: "file",
    stat_bits.S_IFDIR: "directory",
    stat_bits.S_IFLNK: "symlink",
    stat_bits.S_IFBLK: "block",
    stat_bits.S_IFCHR: "character",
    stat_bits.S_IFIFO: "fifo",
    stat_bits.S_IFSOCK: "socket",
}
"""File types by the type bits of a mode."""

DIGEST_PROGRAMS: Final = {
    kind: f"{kind}sum" for kind in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
}
"""Programs that print the digest of a file on a target, by its kind."""

_DIGEST: Final = re.compile(rb"\\?([0-9a-f]+)(?:\s|\Z)")
_LONGEST_MODE: Final = 8
"""Hexadecimal digits; a mode has four."""

_LATEST_S: Final = 1 << 40
"""Maximum time of a file; later times do not fit every calendar."""


def checked_names(srn: Srn, path: str, names: Iterable[str]) -> list[str]:
    """Return the names in a folder, sorted, without `.` and `..`.

    Raises:
        RemoteFileError: a name is invalid, or there are too many.
    """
    names_: list[str] = []
    for name in names:
        if name in {".", ".."}:
            continue
        names_.append(checked_name(srn, path, name))
        if len(names_) > MOST_NAMES:
            raise file_error(srn, "list", path, why=f"it contains more than {MOST_NAMES} names")
    return sorted(names_)


def checked_name(srn: Srn, path: str, name: str) -> str:
    """Return a name in a folder.

    Raises:
        RemoteFileError: the name is empty, a path, or too long.
    """
    if not name or "/" in name or "\0" in name or len(name) > LONGEST_PATH_BYTES:
        shown = printable(name[:80])
        raise file_error(srn, "list", path, why=f"the target names `{shown}` in it, which is not a name")
    return name


def checked_size(srn: Srn, doing: str, path: str, size_bytes: int) -> None:
    """Refuse content that is too large for memory.

    Raises:
        RemoteFileError: the content is too large.
    """
    if size_bytes > MOST_BYTES:
        why = f"it has {size_bytes} bytes; at most {MOST_BYTES} are read over the network"
        raise file_error(srn, doing, path, why=why)


def digest_in(srn: Srn, path: str, printed: bytes, kind: str = "sha256") -> str:
    """Return the checksum that a program such as `sha256sum` printed.

    Raises:
        RemoteFileError: the program printed something else.
    """
    # For a name with a backslash or newline, the program prints a backslash before the hash.
    match = _DIGEST.match(printed)
    if match is None or len(match[1]) != 2 * hashlib.new(kind, usedforsecurity=False).digest_size:
        raise file_error(
            srn, "read", path, why=f"`{DIGEST_PROGRAMS[kind]}` of the target printed no checksum"
        )
    return match[1].decode()


def stat_in(srn: Srn, path: str, printed: bytes) -> FileStat:
    """Return the attributes of a path that the script `STAT` printed.

    Raises:
        RemoteFileError: the script printed something else.
    """
    first, _, target = printed.partition(b"\n")
    fields = first.decode("utf-8", "surrogateescape").split()
    status = _described(fields, target.decode("utf-8", "surrogateescape"))
    if status is None:
        raise file_error(srn, "look at", path, why="`stat` of the target printed something else")
    return status


def _described(fields: list[str], target: str) -> FileStat | None:
    try:
        raw_mode, raw_uid, raw_gid, user, group, raw_size, raw_mtime, raw_atime = fields
        mode = int(raw_mode[:_LONGEST_MODE], 16)
        mtime_s, atime_s = float(raw_mtime), float(raw_atime)
    except ValueError:
        return None
    uid, gid, size_bytes = map(whole_number, (raw_uid, raw_gid, raw_size))
    kind = KINDS.get(stat_bits.S_IFMT(mode)) if mode >= 0 else None
    if kind is None or uid is None or gid is None or size_bytes is None:
        return None
    if not (abs(mtime_s) < _LATEST_S and abs(atime_s) < _LATEST_S):
        return None
    return FileStat(
        kind=kind,
        mode=mode & 0o7777,
        uid=uid,
        gid=gid,
        user=raw_uid if user == "UNKNOWN" else user,
        group=raw_gid if group == "UNKNOWN" else group,
        size_bytes=size_bytes,
        mtime_s=mtime_s,
        atime_s=atime_s,
        link_target=target.removesuffix("\n"),
    )
