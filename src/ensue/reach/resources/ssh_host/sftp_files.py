"""File operations through SFTP, which is faster than commands, as the user logged in.

Writing goes to a new file in the same folder, which takes the old one's place through OpenSSH's
`posix-rename`. What SFTP cannot do (hash, move across file systems) is done by commands.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import posixpath
import secrets
import stat as stat_bits
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import Command, FileStat
from ensue.core.contracts.content import chunks_digest
from ensue.core.errors import RemoteError
from ensue.core.model.target_paths import folders_above, is_too_long
from ensue.reach.resources.answers import (
    DIGEST_PROGRAMS,
    KINDS,
    MOST_BYTES,
    MOST_NAMES,
    checked_name,
    checked_names,
    checked_size,
    digest_in,
)
from ensue.reach.resources.faults import file_error, need_path
from ensue.reach.resources.file_parts import PART_BYTES, all_parts, checked_part
from ensue.reach.resources.leftovers import TEMPORARY_PREFIX
from ensue.reach.resources.ssh_host.sftp_messages import SftpAttributes, SftpError, Status
from ensue.reach.resources.ssh_host.sftp_paths import WrittenPaths, found_at
from ensue.reach.resources.ssh_host.sftp_writing import first, need_regular, write_beside

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
    from contextlib import AbstractContextManager

    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.content import Content
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.file_parts import FilePart
    from ensue.reach.resources.ssh_host.accounts import RemoteAccounts
    from ensue.reach.resources.ssh_host.sftp_client import SftpClient
    from ensue.reach.resources.ssh_host.sftp_messages import SftpEntry

_NEW_FILE_MODE: Final = 0o644
_NEW_DIRECTORY_MODE: Final = 0o755
_READ_SIZE_BYTES: Final = 1 << 16
"""Up to this size a file is hashed here: reading it costs no more than a command would."""

_ERRNOS: Final[Mapping[int, int]] = {
    Status.NO_SUCH_FILE: errno.ENOENT,
    Status.NO_SUCH_PATH: errno.ENOENT,
    Status.PERMISSION_DENIED: errno.EACCES,
    Status.FILE_ALREADY_EXISTS: errno.EEXIST,
    Status.WRITE_PROTECT: errno.EROFS,
    Status.NO_SPACE_ON_FILESYSTEM: errno.ENOSPC,
    Status.QUOTA_EXCEEDED: errno.EDQUOT,
    Status.DIR_NOT_EMPTY: errno.ENOTEMPTY,
    Status.NOT_A_DIRECTORY: errno.ENOTDIR,
    Status.LINK_LOOP: errno.ELOOP,
    Status.FILE_IS_A_DIRECTORY: errno.EISDIR,
    Status.INVALID_FILENAME: errno.EINVAL,
}


class SftpFiles:
    """The file operations of `contracts.connection`, over SFTP.

    Args:
        srn: the target's name.
        client: returns the live SFTP session.
        run: runs a command on the target.
        accounts: its users and groups.
        noted: records a temporary file while it exists.
    """

    def __init__(
        self,
        srn: Srn,
        client: Callable[[], Awaitable[SftpClient]],
        run: Callable[[Command], Awaitable[Completed]],
        accounts: RemoteAccounts,
        noted: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._srn = srn
        self._client = client
        self._run = run
        self._accounts = accounts
        self._noted = noted
        self._written = WrittenPaths(run, accounts)

    async def read(self, path: str) -> bytes:
        """Return the whole content of a file; symlinks are followed."""
        async with self._asking("read", path) as sftp:
            return await self._content_of(sftp, path, await sftp.stat(path))

    def chunks(self, path: str) -> AsyncGenerator[bytes]:
        """Yield the content of a file in parts; symlinks are followed."""
        return all_parts(lambda at, before: self.part(path, at, before))

    async def part(self, path: str, at: int, before: FilePart | None) -> FilePart:
        """Return a part of a file; see `file_parts`."""
        async with self._asking("read", path) as sftp:
            attributes = await sftp.stat(path)
            need_regular(attributes)
            size_bytes = attributes.size_bytes or 0
            content = (
                await sftp.content(path, min(PART_BYTES, max(size_bytes - at, 0)), at=at)
                if size_bytes
                else await self._content_of(sftp, path, attributes)
            )
            return checked_part(content, (str(size_bytes), str(attributes.mtime_s)), size_bytes, at, before)

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
        async with self._asking("write", path) as sftp:
            real, old = await self._written.found(sftp, path, follow=True)
            if old is not None:
                need_regular(old)
            uid = await self._accounts.number("passwd", user) if user is not None else None
            gid = await self._accounts.number("group", group) if group is not None else None
            if mode is None:
                mode = stat_bits.S_IMODE(old.permissions or 0) if old else _NEW_FILE_MODE
            async with self._temporary(sftp, real) as temporary:
                if old is not None:
                    uid, gid = first(uid, old.uid), first(gid, old.gid)
                await write_beside(sftp, temporary, content, mode=mode, uid=uid, gid=gid)
                await sftp.rename(temporary, real)

    @contextlib.asynccontextmanager
    async def _temporary(self, sftp: SftpClient, path: str) -> AsyncGenerator[str]:
        """Yield a new name in the folder of a path; on any failure, the file of that name is removed."""
        temporary = posixpath.join(posixpath.dirname(path), f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}")
        with self._noted(temporary):
            try:
                yield temporary
            except BaseException:
                with contextlib.suppress(SftpError, OSError):
                    await sftp.remove(temporary)
                raise

    async def stat(self, path: str, *, follow: bool = False) -> FileStat | None:
        """Describe a path, or return None if nothing exists there."""
        async with self._asking("look at", path) as sftp:
            attributes = await found_at(sftp, path, follow=follow)
            if attributes is None:
                return None
            permissions = attributes.permissions or 0
            kind = KINDS.get(stat_bits.S_IFMT(permissions), "file")
            uid, gid = attributes.uid or 0, attributes.gid or 0
            return FileStat(
                kind=kind,
                mode=stat_bits.S_IMODE(permissions),
                uid=uid,
                gid=gid,
                user=await self._accounts.name("passwd", uid),
                group=await self._accounts.name("group", gid),
                size_bytes=attributes.size_bytes or 0,
                mtime_s=float(attributes.mtime_s or 0),
                atime_s=float(attributes.atime_s or 0),
                link_target=await sftp.readlink(path) if kind == "symlink" else "",
            )

    async def checksum(self, path: str, kind: str = "sha256") -> str | None:
        """Return the digest of a file's content as hex, or None if nothing exists there."""
        async with self._asking("read", path) as sftp:
            attributes = await found_at(sftp, path, follow=True)
            if attributes is None:
                return None
            need_regular(attributes)
            if (attributes.size_bytes or 0) <= _READ_SIZE_BYTES:
                content = await self._content_of(sftp, path, attributes)
                return hashlib.new(kind, content, usedforsecurity=False).hexdigest()
            if program := DIGEST_PROGRAMS.get(kind):
                done = await self._run(Command(argv=[program, "--", path], cwd="/"))
                if done.returncode == 0:
                    return digest_in(self._srn, path, done.stdout, kind)
        return await chunks_digest(self.chunks(path), kind)

    async def list_directory(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        async with self._asking("list", path) as sftp:
            entries = await self._entries(sftp, path)
            return checked_names(self._srn, path, (entry.name for entry in entries))

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Create a folder; an existing one is left alone (its mode too)."""
        async with self._asking("make the folder", path) as sftp:
            real = await self._written.real(sftp, path, follow=False)
            await self._make_directory(sftp, real, mode, parents=parents)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, link or folder (a non-empty one only if `recursive`); do nothing if absent."""
        async with self._asking("remove", path) as sftp:
            if not path.strip("/"):
                raise OSError(errno.EBUSY, "it is the root of the target")
            plain = await self._written.real(sftp, path, follow=False)
            attributes = await found_at(sftp, plain, follow=False)
            if attributes is None:
                return
            if not stat_bits.S_ISDIR(attributes.permissions or 0):
                await sftp.remove(plain)
            elif recursive:
                await self._remove_tree(sftp, plain)
            else:
                await self._remove_empty(sftp, plain)

    async def symlink(self, target: str, path: str) -> None:
        """Create a symlink at `path` that points to `target`; replaces an existing symlink atomically."""
        async with self._asking("make the symlink", path) as sftp:
            path = await self._written.real(sftp, path, follow=False)
            attributes = await found_at(sftp, path, follow=False)
            if attributes is None:
                await sftp.symlink(target, path)
                return
            if not stat_bits.S_ISLNK(attributes.permissions or 0):
                raise FileExistsError(errno.EEXIST, "it exists and is not a symlink")
            async with self._temporary(sftp, path) as temporary:
                await sftp.symlink(target, temporary)
                await sftp.rename(temporary, path)

    async def rename(self, source: str, target: str) -> None:
        """Move a file within the target, replacing what is there."""
        async with self._asking("move", source) as sftp:
            source = await self._written.real(sftp, source, follow=False)
            target = await self._written.real(sftp, target, follow=False)
            if await found_at(sftp, source, follow=False) is None:
                raise FileNotFoundError(errno.ENOENT, "No such file or directory")
            try:
                await sftp.rename(source, target)
            except SftpError as fault:
                if fault.code != Status.FAILURE:
                    raise
                await self._move(sftp, source, target, fault)

    async def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a path; symlinks are followed."""
        async with self._asking("set the mode of", path) as sftp:
            real = await self._written.real(sftp, path, follow=True)
            await sftp.set_attributes(real, SftpAttributes(permissions=mode))

    async def set_owner(
        self, path: str, *, user: str | None = None, group: str | None = None, follow: bool = True
    ) -> None:
        """Set owner and group by name or number."""
        async with self._asking("set the owner of", path) as sftp:
            real = await self._written.real(sftp, path, follow=follow)
            attributes = await sftp.lstat(real)
            uid = await self._accounts.number("passwd", user) if user is not None else attributes.uid
            gid = await self._accounts.number("group", group) if group is not None else attributes.gid
            if (uid, gid) != (attributes.uid, attributes.gid):
                await sftp.set_attributes(real, SftpAttributes(uid=uid, gid=gid), follow=follow)

    async def set_times(self, path: str, *, atime_s: float, mtime_s: float) -> None:
        """Set the times of access and change; SFTP has whole seconds."""
        async with self._asking("set the times of", path) as sftp:
            real = await self._written.real(sftp, path, follow=True)
            await sftp.set_attributes(real, SftpAttributes(atime_s=int(atime_s), mtime_s=int(mtime_s)))

    @contextlib.asynccontextmanager
    async def _asking(self, doing: str, path: str) -> AsyncGenerator[SftpClient]:
        """Yield the session, and turn its errors into `RemoteFileError`s."""
        need_path(self._srn, doing, path)
        sftp = await self._client()
        try:
            yield sftp
        except (ConnectionError, RemoteError):
            raise
        except SftpError as fault:
            number = _ERRNOS.get(fault.code, 0)
            why = "" if number else f"{fault.reason or 'failure'} (SFTP says no more; see `files: shell`)"
            raise file_error(self._srn, doing, path, number=number, why=why) from fault
        except OSError as fault:
            if not fault.errno:
                raise
            remedy = getattr(fault, "remedy", "")
            raise file_error(
                self._srn, doing, path, number=fault.errno, why=fault.strerror or "", remedy=remedy
            ) from fault

    async def _content_of(self, sftp: SftpClient, path: str, attributes: SftpAttributes) -> bytes:
        """Return the content of the file at a path; its known size saves a request if it is small."""
        need_regular(attributes)
        size_bytes = attributes.size_bytes or 0
        checked_size(self._srn, "read", path, size_bytes)
        # Files of /proc report none.
        return (
            await sftp.content(path, size_bytes)
            if size_bytes
            else await sftp.content_to_its_end(path, MOST_BYTES)
        )

    async def _entries(self, sftp: SftpClient, path: str) -> list[SftpEntry]:
        """Return the names in a folder, within limits on their number and size."""
        entries: list[SftpEntry] = []
        size_bytes = 0
        async for entry in sftp.entries(path):
            size_bytes += len(entry.name)
            entries.append(entry)
            if len(entries) > MOST_NAMES or size_bytes > MOST_BYTES:
                why = f"the server lists more than {MOST_NAMES} names, or {MOST_BYTES} bytes of them"
                raise file_error(self._srn, "list", path, why=why)
        return entries

    async def _remove_tree(self, sftp: SftpClient, top: str) -> None:
        """Remove a folder and all below it; asyncssh's own method refuses names with a backslash."""
        folders: list[str] = []
        waiting = [top]
        while waiting:
            path = waiting.pop()
            if is_too_long(path):
                raise OSError(errno.ENAMETOOLONG, "the folders below it go deeper than any path can be")
            folders.append(path)
            for entry in await self._entries(sftp, path):
                name = entry.name
                if name in {".", ".."}:
                    continue
                below = posixpath.join(path, checked_name(self._srn, path, name))
                if stat_bits.S_ISDIR(entry.attributes.permissions or 0):
                    waiting.append(below)
                else:
                    await sftp.remove(below)
        # Each folder was found after the one that it is in.
        for path in reversed(folders):
            await sftp.rmdir(path)

    async def _remove_empty(self, sftp: SftpClient, path: str) -> None:
        try:
            await sftp.rmdir(path)
        except SftpError as fault:
            entries = await self._entries(sftp, path) if fault.code == Status.FAILURE else []
            if any(entry.name not in {".", ".."} for entry in entries):
                raise OSError(errno.ENOTEMPTY, "Directory not empty") from fault
            raise

    async def _make_directory(self, sftp: SftpClient, path: str, mode: int | None, *, parents: bool) -> None:
        missing = [] if await _is_folder(sftp, path) else [path]
        for folder in folders_above(path) if parents and missing else ():
            if await _is_folder(sftp, folder):
                break
            missing.append(folder)
        else:
            if parents and missing:
                raise OSError(errno.ENOENT, "the target has no folder / either")
        for folder in reversed(missing):
            await self._make_one(sftp, folder, mode if folder == path else None)

    async def _make_one(self, sftp: SftpClient, path: str, mode: int | None) -> None:
        try:
            await sftp.mkdir(path, 0o700)
        except SftpError as fault:
            if fault.code != Status.FAILURE or await found_at(sftp, path, follow=True) is None:
                raise
            # Somebody created it at the same moment.
            return
        permissions = _NEW_DIRECTORY_MODE if mode is None else mode
        await sftp.set_attributes(path, SftpAttributes(permissions=permissions))

    async def _move(self, sftp: SftpClient, source: str, target: str, fault: SftpError) -> None:
        """Find out why a rename failed: SFTP reports another file system and an existing folder alike."""
        there = await found_at(sftp, target, follow=False)
        if there is not None and stat_bits.S_ISDIR(there.permissions or 0):
            raise OSError(errno.EISDIR, "the target is a folder") from fault
        done = await self._run(Command(argv=["mv", "-f", source, target], cwd="/"))
        if done.returncode:
            raise OSError(errno.EIO, done.stderr.decode("utf-8", "replace").strip()) from fault


async def _is_folder(sftp: SftpClient, path: str) -> bool:
    """Return whether a folder exists; raise an error for anything else."""
    attributes = await found_at(sftp, path, follow=True)
    if attributes is not None and not stat_bits.S_ISDIR(attributes.permissions or 0):
        raise FileExistsError(errno.EEXIST, "it exists and is not a folder")
    return attributes is not None
