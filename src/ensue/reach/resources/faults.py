"""Builds `RemoteFileError`s with the same wording for every transport: what, where, why, how to fix it."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

from ensue.core.errors import RemoteError, RemoteFileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from ensue.core.contracts.connection import FolderChange
    from ensue.core.model.srn import Srn

CHANGES: Final[Mapping[FolderChange, str]] = {
    "write": "write",
    "make_directory": "make the folder",
    "remove": "remove",
    "symlink": "make the symlink",
    "rename": "move",
}
"""What the methods that change a folder do, as in "cannot <doing> <path>"."""

_MAY_NOT: Final = "connect as a user who may, or use sudo"
_REMEDIES: Final = {
    errno.EACCES: _MAY_NOT,
    errno.EPERM: _MAY_NOT,
    errno.ENOSPC: "free some space there",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the limit on the size of files is reached",
    errno.EROFS: "that file system is mounted read-only",
    errno.ENOTEMPTY: "remove what is in it first, or remove it recursively",
}


def file_error(
    srn: Srn, doing: str, path: str, *, number: int = 0, why: str = "", remedy: str = ""
) -> RemoteFileError:
    """Build the error of a file operation.

    Args:
        srn: the target.
        doing: what was tried, as in "cannot <doing> <path>".
        path: the path on the target.
        number: the errno, 0 if it is unknown; becomes the error's `errno`.
        why: the cause in words; by default the system's text for `number`.
        remedy: how to fix it; by default the usual remedy for `number`.
    """
    cause = why or (os.strerror(number) if number else "the target does not say why")
    remedy = remedy or _REMEDIES.get(number, "")
    if remedy == _MAY_NOT and srn.type == "ssh_host":
        remedy = "give the entry of the host `sudo: true`, or a `user` who may"
    mend = f" ({remedy})" if remedy else ""
    error = RemoteFileError(
        f"cannot {doing} {printable(path)} on {srn}: {cause}{mend}", path=path, target=str(srn)
    )
    error.errno = number or None
    return error


def printable(path: str) -> str:
    """Return a path for a message: control characters and bytes that are not UTF-8 are escaped."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "backslashreplace")
    text = raw.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else repr(text)[1:-1]


def need_path(srn: Srn, doing: str, path: str) -> None:
    """Refuse what cannot be a path on any target, before it is sent.

    Raises:
        RemoteFileError: the path is not absolute, or contains a NUL byte or a lone surrogate.
    """
    why = ""
    if not path.startswith("/"):
        why = "not an absolute path"
    elif "\0" in path:
        why = "a path cannot hold a NUL byte"
    else:
        try:
            path.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as fault:
            why = f"a path cannot hold text that is no text: {fault.reason}"
    if why:
        raise file_error(srn, doing, path, number=errno.EINVAL, why=why)


class FileFaults:
    """A context that turns `OSError`, and the `ValueError` of an invalid path, into `RemoteFileError`.

    Args:
        srn: the target.
        doing: what is tried.
        path: the path on the target.
    """

    __slots__ = ("_doing", "_path", "_srn")

    def __init__(self, srn: Srn, doing: str, path: str) -> None:
        self._srn = srn
        self._doing = doing
        self._path = path

    def __enter__(self) -> None:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None
    ) -> None:
        """Translate what was raised."""
        if fault is None or isinstance(fault, RemoteError):
            return  # An error of content from another target names that target itself.
        if isinstance(fault, OSError):
            number, why = fault.errno or 0, fault.strerror or str(fault)
            remedy = getattr(fault, "remedy", "")
            raise file_error(
                self._srn, self._doing, self._path, number=number, why=why, remedy=remedy
            ) from fault
        if isinstance(fault, ValueError):
            # A NUL byte or a lone surrogate: the system cannot even be asked.
            raise file_error(
                self._srn, self._doing, self._path, number=errno.EINVAL, why=str(fault)
            ) from fault
