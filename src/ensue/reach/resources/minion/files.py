"""File operations on this machine: the file methods of `MinionConnection`.

Most of them are one or two system calls and run on the event loop, because passing them to a thread would
take ten times as long. What can take long (big files, waiting for the disk, trees) runs in a thread. Writing
is in `atomic_write`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import stat as stat_bits
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import FileKind, FileStat
from ensue.core.files.local_content import CHUNK_BYTES, mark_of, part_at
from ensue.reach.resources.faults import CHANGES, FileFaults
from ensue.reach.resources.leftovers import HERE, is_temporary
from ensue.reach.resources.minion.accounts import Accounts, group_number, user_number
from ensue.reach.resources.minion.atomic_write import WriteRequest, copy_across, replace_link
from ensue.reach.resources.minion.chunked_write import write_in_chunks
from ensue.reach.resources.minion.write_batches import WriteBatches
from ensue.reach.resources.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from contextlib import AbstractContextManager

    from ensue.core.contracts.connection import FolderChange
    from ensue.core.contracts.content import Content
    from ensue.core.contracts.leftovers import LeftoverNotes
    from ensue.core.files.local_content import FileMark
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.minion.confine import Confinement

INLINE_SIZE_BYTES: Final = 1 << 20
"""A file up to this size is read and hashed on the event loop; a bigger one in a thread."""

_NEW_DIRECTORY_MODE: Final = 0o755
_KINDS: Final[dict[int, FileKind]] = {
    stat_bits.S_IFREG: "file",
    stat_bits.S_IFDIR: "directory",
    stat_bits.S_IFLNK: "symlink",
    stat_bits.S_IFBLK: "block",
    stat_bits.S_IFCHR: "character",
    stat_bits.S_IFIFO: "fifo",
    stat_bits.S_IFSOCK: "socket",
}


class MinionFiles:
    """The file operations of `contracts.connection`, on this machine.

    Args:
        srn: the target's name.
        confinement: maps its paths to those of this machine.
        leftovers: where temporary files are recorded; None: nowhere.
    """

    def __init__(self, srn: Srn, confinement: Confinement, leftovers: LeftoverNotes | None = None) -> None:
        self._srn = srn
        self._confinement = confinement
        self._leftovers = leftovers
        self._accounts = Accounts()
        self._writes = WriteBatches(self._noted)

    @property
    def srn(self) -> Srn:
        """The target."""
        return self._srn

    async def read(self, path: str) -> bytes:
        """Return the whole content of a file; symlinks are followed."""
        with FileFaults(self._srn, "read", path):
            descriptor, size_bytes = _open_regular(self._confinement.real(path))
            if size_bytes <= INLINE_SIZE_BYTES:
                return _read_and_close(descriptor, size_bytes)
            return await in_thread(lambda: _read_and_close(descriptor, size_bytes))

    async def chunks(self, path: str) -> AsyncGenerator[bytes]:
        """Yield the content of a file in parts; symlinks are followed."""
        with FileFaults(self._srn, "read", path):
            real = self._confinement.real(path)
            descriptor, size_bytes = _open_regular(real)
            mark = mark_of(descriptor)
            if not size_bytes:  # Files of /proc report this size but have content.
                yield await in_thread(lambda: _read_and_close(descriptor, 0))
                return
            os.close(descriptor)
            for at in range(0, size_bytes, CHUNK_BYTES):
                yield await in_thread(partial(_chunk, real, at, mark))

    async def write(
        self,
        path: str,
        content: Content,
        *,
        mode: int | None = None,
        user: str | None = None,
        group: str | None = None,
    ) -> None:
        """Replace or create a file atomically."""
        with FileFaults(self._srn, "write", path):
            request = WriteRequest(
                path=self._confinement.written(path),
                mode=mode,
                uid=user_number(user),
                gid=group_number(group),
            )
            if self._leftovers is not None and is_temporary(path):
                self._leftovers.begin(HERE, request.path)  # Ends when it is removed or renamed.
            if isinstance(content, bytes):
                await self._writes.write(request, content)
            else:
                await write_in_chunks(request, content, self._noted)

    async def stat(self, path: str, *, follow: bool = False) -> FileStat | None:
        """Describe a path, or return None if nothing exists there."""
        with FileFaults(self._srn, "look at", path):
            real = self._confinement.real(path, follow=follow)
            try:
                status = os.stat(real) if follow else os.lstat(real)  # noqa: PTH116 (a Path costs more than the call)
            except (FileNotFoundError, NotADirectoryError):
                return None
            kind = _KINDS[stat_bits.S_IFMT(status.st_mode)]
            user, group = self._accounts.names(status.st_uid, status.st_gid)
            return FileStat(
                kind=kind,
                mode=status.st_mode & 0o7777,
                uid=status.st_uid,
                gid=status.st_gid,
                user=user,
                group=group,
                size_bytes=status.st_size,
                mtime_s=status.st_mtime,
                atime_s=status.st_atime,
                link_target=os.readlink(real) if kind == "symlink" else "",  # noqa: PTH115 (a string)
            )

    async def checksum(self, path: str, kind: str = "sha256") -> str | None:
        """Return the digest of a file's content as hex, or None if nothing exists there."""
        with FileFaults(self._srn, "read", path):
            try:
                descriptor, size_bytes = _open_regular(self._confinement.real(path))
            except (FileNotFoundError, NotADirectoryError):
                return None
            if size_bytes <= INLINE_SIZE_BYTES:
                content = _read_and_close(descriptor, size_bytes)
                return hashlib.new(kind, content, usedforsecurity=False).hexdigest()
            return await in_thread(lambda: _hash_and_close(descriptor, kind))

    async def list_directory(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        with FileFaults(self._srn, "list", path):
            return sorted(os.listdir(self._confinement.real(path)))  # noqa: PTH208 (names are wanted, not Paths)

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Create a folder; an existing one is left alone (its mode too)."""
        with FileFaults(self._srn, "make the folder", path):
            # Without a root, a symlink at the end is left to the kernel, which creates nothing through it.
            follow = bool(self._confinement.root)
            _make_directory(self._confinement.written(path, follow=follow), mode, parents=parents)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, link or folder (a non-empty one only if `recursive`); do nothing if absent."""
        with FileFaults(self._srn, "remove", path):
            real = self._confinement.written(path, follow=False)
            if real in {"/", self._confinement.root}:
                raise OSError(errno.EBUSY, "it is the root of the target")
            try:
                is_folder = stat_bits.S_ISDIR(os.lstat(real).st_mode)
            except (FileNotFoundError, NotADirectoryError):
                return
            if not is_folder:
                os.unlink(real)  # noqa: PTH108 (real is a string)
                self._gone(real)
            elif recursive:
                import shutil

                await in_thread(lambda: shutil.rmtree(real))
            else:
                os.rmdir(real)  # noqa: PTH106 (real is a string)

    async def symlink(self, target: str, path: str) -> None:
        """Create a symlink at `path` that points to `target`; replaces an existing symlink atomically."""
        with FileFaults(self._srn, "make the symlink", path):
            replace_link(target, self._confinement.written(path, follow=False), self._noted)

    async def rename(self, source: str, target: str) -> None:
        """Move a file within the target, replacing what is there."""
        with FileFaults(self._srn, "move", source):
            old = self._confinement.written(source, follow=False)
            new = self._confinement.written(target, follow=False)
            try:
                os.rename(old, new)  # noqa: PTH104 (strings)
            except OSError as fault:
                if fault.errno != errno.EXDEV or not stat_bits.S_ISREG(os.lstat(old).st_mode):
                    raise
                await in_thread(lambda: copy_across(old, new, self._noted))
            self._gone(old)

    async def check_change(self, path: str, change: FolderChange = "write") -> None:
        """Raise what a method would raise because the folder of a path may not be changed."""
        with FileFaults(self._srn, CHANGES[change], path):
            _check_folder(posixpath.dirname(self._confinement.written(path, follow=change == "write")))

    async def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a path; symlinks are followed."""
        with FileFaults(self._srn, "set the mode of", path):
            os.chmod(self._confinement.written(path), mode)  # noqa: PTH101 (a string)

    async def set_owner(
        self, path: str, *, user: str | None = None, group: str | None = None, follow: bool = True
    ) -> None:
        """Set owner and group by name or number."""
        with FileFaults(self._srn, "set the owner of", path):
            real = self._confinement.written(path, follow=follow)
            os.chown(real, user_number(user), group_number(group), follow_symlinks=False)

    async def set_times(self, path: str, *, atime_s: float, mtime_s: float) -> None:
        """Set the times of access and change, seconds since the epoch."""
        with FileFaults(self._srn, "set the times of", path):
            os.utime(self._confinement.written(path), (atime_s, mtime_s), follow_symlinks=False)

    def _noted(self, *paths: str) -> AbstractContextManager[None]:
        return nullcontext() if self._leftovers is None else self._leftovers.noted(HERE, *paths)

    def _gone(self, path: str) -> None:
        if self._leftovers is not None and is_temporary(path):
            self._leftovers.end(HERE, path)


def _check_folder(path: str) -> None:
    """Raise an `OSError` if what is in a folder that exists may not be changed."""
    if os.access(path, os.W_OK | os.X_OK, effective_ids=True) or not os.access(path, os.F_OK):
        return
    number = errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES
    raise OSError(number, os.strerror(number))


def _open_regular(path: str) -> tuple[int, int]:
    """Open a regular file, return descriptor and size; a pipe or device might never end, or never begin."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if stat_bits.S_ISREG(status.st_mode):
        return descriptor, status.st_size
    os.close(descriptor)
    if stat_bits.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    kind = _KINDS[stat_bits.S_IFMT(status.st_mode)]
    raise OSError(errno.EINVAL, f"it is not a regular file ({kind})", path)


def _read_and_close(descriptor: int, size_bytes: int) -> bytes:
    """Read to the end; a file of /proc reports size 0 but has content."""
    try:
        content = os.read(descriptor, size_bytes + 1)
        if len(content) == size_bytes and size_bytes:
            return content
        parts = [content]
        while part := os.read(descriptor, INLINE_SIZE_BYTES):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _hash_and_close(descriptor: int, kind: str) -> str:
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        return hashlib.file_digest(file, partial(hashlib.new, kind, usedforsecurity=False)).hexdigest()


def _chunk(path: str, at: int, mark: FileMark) -> bytes:
    # Opened for each chunk, so that nothing stays open if the reader stops.
    descriptor, _ = _open_regular(path)
    try:
        return part_at(descriptor, at, mark)
    finally:
        os.close(descriptor)


def _make_directory(path: str, mode: int | None, *, parents: bool) -> None:
    try:
        # Narrow at first, so that the umask of ensue does not affect the folder's mode.
        os.mkdir(path, 0o700)  # noqa: PTH102 (a string)
    except FileExistsError:
        if not os.path.isdir(path):  # noqa: PTH112 (a string)
            raise
    except FileNotFoundError:
        if not parents:
            raise
        _make_directory(os.path.dirname(path), None, parents=True)  # noqa: PTH120 (a string)
        _make_directory(path, mode, parents=False)
    else:
        os.chmod(path, _NEW_DIRECTORY_MODE if mode is None else mode)  # noqa: PTH101 (a string)
