"""File operations through commands, for targets that run a POSIX shell and have no file protocol.

Each operation is one script in one round trip. The scripts use `cat dd stat readlink mv chmod chown mkdir rm
ln touch wc` of coreutils or busybox. Content travels unchanged through stdin and stdout. Long content travels
in chunks: one script receives all chunks of a file, and each part of a long file is read by its own script.
Exit codes tell why an operation failed; the output of the tools is only quoted in messages.
"""

from __future__ import annotations

import contextlib
import errno
import posixpath
import secrets
import time
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import Command
from ensue.core.contracts.content import chunks_digest, size_of
from ensue.core.errors import CommandInputError, RemoteError
from ensue.core.model.numbers import whole_number
from ensue.reach.resources import posix_scripts as scripts
from ensue.reach.resources.answers import DIGEST_PROGRAMS, checked_names, digest_in, stat_in
from ensue.reach.resources.faults import CHANGES, FileFaults, file_error, need_path
from ensue.reach.resources.file_parts import PART_BYTES, all_parts, checked_part
from ensue.reach.resources.foreign_links import ForeignLinkError
from ensue.reach.resources.leftovers import TEMPORARY_PREFIX

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from ensue.core.contracts.connection import Completed, FileStat, FolderChange
    from ensue.core.contracts.content import Content, Input
    from ensue.core.errors import RemoteFileError
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.file_parts import FilePart

_MARKS: Final = 4
"""Number of words that the script `PART` prints before the part."""

_REASONS: Final = {
    scripts.ABSENT: (errno.ENOENT, ""),
    scripts.IS_FOLDER: (errno.EISDIR, ""),
    scripts.NOT_REGULAR: (errno.EINVAL, "it is not a regular file"),
    scripts.NOT_A_LINK: (errno.EEXIST, "it exists and is not a symlink"),
    scripts.NOT_A_FOLDER: (errno.EEXIST, "it exists and is not a folder"),
    scripts.CUT_SHORT: (0, "the content did not arrive whole, or the disk is full"),
    scripts.NOT_EMPTY: (errno.ENOTEMPTY, ""),
    scripts.DENIED: (errno.EACCES, ""),
}


class PosixFiles:
    """The file operations of `contracts.connection`, over `run`.

    Args:
        srn: the target's name.
        run: runs a command on it.
    """

    def __init__(self, srn: Srn, run: Callable[[Command], Awaitable[Completed]]) -> None:
        self._srn = srn
        self._run = run
        self._changeable: set[str] = set()

    async def read(self, path: str) -> bytes:
        """Return the whole content of a file; symlinks are followed."""
        return (await self._do("read", path, scripts.READ)).stdout

    def chunks(self, path: str) -> AsyncGenerator[bytes]:
        """Yield the content of a file in parts; symlinks are followed."""
        return all_parts(lambda at, before: self.part(path, at, before))

    async def part(self, path: str, at: int, before: FilePart | None) -> FilePart:
        """Return a part of a file, as the function `read` of `file_parts.all_parts`."""
        done = await self._do("read", path, scripts.PART, str(at >> 20), str(PART_BYTES >> 20))
        line, _, content = done.stdout.partition(b"\n")
        marks = tuple(line.decode("ascii", "replace").split())
        size_bytes = whole_number(marks[2]) if len(marks) == _MARKS else None
        if size_bytes is None:
            raise file_error(self._srn, "read", path, why="`stat` of the target printed something else")
        with FileFaults(self._srn, "read", path):
            return checked_part(content, marks, size_bytes, at, before)

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
        token = secrets.token_hex(8)
        arguments = (
            token,
            str(size_of(content)),
            "" if mode is None else f"{mode:04o}",
            user or "",
            group or "",
        )
        try:
            await self._do("write", path, scripts.WRITE, *arguments, stdin=content)
        except CommandInputError as fault:
            # The script removes its temporary file when it is ended, but not when it has to be killed.
            with contextlib.suppress(RemoteError):
                await self.remove(posixpath.join(posixpath.dirname(path), f"{TEMPORARY_PREFIX}{token}"))
            raise file_error(
                self._srn, "read the source of", path, number=fault.errno or 0, why=fault.why
            ) from fault

    async def stat(self, path: str, *, follow: bool = False) -> FileStat | None:
        """Describe a path, or return None if nothing exists there."""
        flag = "-L" if follow else ""
        done = await self._do("look at", path, scripts.STAT, flag, absent_is_fine=True)
        if done.returncode == scripts.ABSENT:
            return None
        return stat_in(self._srn, path, done.stdout)

    async def checksum(self, path: str, kind: str = "sha256") -> str | None:
        """Return the digest of a file's content as hex, or None if nothing exists there."""
        program = DIGEST_PROGRAMS.get(kind, "")
        done = await self._do("read", path, scripts.CHECKSUM, program, absent_is_fine=True)
        if done.returncode == scripts.ABSENT:
            return None
        if done.returncode == scripts.NO_TOOL:
            return await chunks_digest(self.chunks(path), kind)
        return digest_in(self._srn, path, done.stdout, kind)

    async def list_directory(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        done = await self._do("list", path, scripts.LIST)
        names = (name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name)
        return checked_names(self._srn, path, names)

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Create a folder; an existing one is left alone (its mode too)."""
        mode_text = "0755" if mode is None else f"{mode:04o}"
        await self._do("make the folder", path, scripts.MAKE_DIRECTORY, mode_text, "-p" if parents else "")

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, link or folder (a non-empty one only if `recursive`); do nothing if absent."""
        if not path.strip("/"):
            raise file_error(
                self._srn, "remove", path, number=errno.EBUSY, why="it is the root of the target"
            )
        await self._do("remove", path, scripts.REMOVE, "yes" if recursive else "")

    async def symlink(self, target: str, path: str) -> None:
        """Create a symlink at `path` that points to `target`; replaces an existing symlink atomically."""
        await self._do("make the symlink", path, scripts.SYMLINK, target, secrets.token_hex(8))

    async def rename(self, source: str, target: str) -> None:
        """Move a file within the target, replacing what is there."""
        await self._do("move", source, scripts.RENAME, target)

    async def check_change(self, path: str, change: FolderChange = "write") -> None:
        """Raise what a method would raise because the folder of a path may not be changed.

        A folder that may be changed is asked about once; otherwise a plan of many files would wait for each.
        """
        folder = posixpath.dirname(path)
        if folder in self._changeable:
            return
        follow = "follow" if change == "write" else ""
        done = await self._do(CHANGES[change], path, scripts.CHECK_CHANGE, follow)
        if done.stdout:  # The path is no symlink: its folder is the one that was looked at.
            self._changeable.add(folder)

    async def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a path; symlinks are followed."""
        await self._do("set the mode of", path, scripts.SET_MODE, f"{mode:04o}")

    async def set_owner(
        self, path: str, *, user: str | None = None, group: str | None = None, follow: bool = True
    ) -> None:
        """Set owner and group by name or number."""
        flag = "" if follow else "-h"
        await self._do("set the owner of", path, scripts.SET_OWNER, user or "", group or "", flag)

    async def set_times(self, path: str, *, atime_s: float, mtime_s: float) -> None:
        """Set the times of access and change; fractions of a second are dropped, as in POSIX touch."""
        await self._do(
            "set the times of", path, scripts.SET_TIMES, _touch_time(atime_s), _touch_time(mtime_s)
        )

    async def _do(
        self,
        doing: str,
        path: str,
        script: str,
        *arguments: str,
        stdin: Input = b"",
        absent_is_fine: bool = False,
    ) -> Completed:
        need_path(self._srn, doing, path)
        argv = ["/bin/sh", "-c", scripts.COMMON + script, "ensue", path.rstrip("/") or "/", *arguments]
        done = await self._run(Command(argv=argv, cwd="/", stdin=stdin))
        if done.returncode in {0, scripts.NO_TOOL} or (absent_is_fine and done.returncode == scripts.ABSENT):
            return done
        raise self._error(doing, path, done)

    def _error(self, doing: str, path: str, done: Completed) -> RemoteFileError:
        if done.returncode == scripts.FOREIGN_LINK:
            owner, _, link = done.stdout.decode("utf-8", "surrogateescape").partition("\n")
            foreign = ForeignLinkError(link, owner)
            return file_error(
                self._srn, doing, path, number=errno.EACCES, why=foreign.why, remedy=foreign.remedy
            )
        number, why = _REASONS.get(done.returncode, (0, ""))
        errors = done.stderr.decode("utf-8", "replace").strip()
        if number == errno.EACCES:
            why = errors.rpartition(": ")[2]  # The shell begins with its own name and a line of the script.
        if not number and errors:
            why = f"{why}: {errors}" if why else errors
        if not number and not why:
            why = f"the command ended with {done.returncode}"
        return file_error(self._srn, doing, path, number=number, why=why)


def _touch_time(moment_s: float) -> str:
    return time.strftime("%Y%m%d%H%M.%S", time.gmtime(moment_s))
