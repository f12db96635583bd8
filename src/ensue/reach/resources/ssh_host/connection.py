"""`SshConnection`: one SSH host as a target.

It is a cheap handle until its first use, which loads asyncssh. Commands are in
`channel`, files in `sftp_files` or, with sudo or without SFTP, in `posix_files`.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from typing import TYPE_CHECKING

from ensue.core.contracts.deadlines import TRANSFER_S
from ensue.core.contracts.reach import Reach
from ensue.core.errors import RemoteFileError, RemoteTimeoutError, ResourceError, UnreachableError
from ensue.reach.resources.file_parts import all_parts
from ensue.reach.resources.leftovers import is_temporary
from ensue.reach.resources.posix_files import PosixFiles
from ensue.reach.resources.ssh_host.client_config import resolved

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from contextlib import AbstractContextManager

    from ensue.core.contracts.connection import Command, Completed, Connection, FileStat, FolderChange
    from ensue.core.contracts.content import Content
    from ensue.core.contracts.leftovers import LeftoverNotes
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.file_parts import FilePart
    from ensue.reach.resources.ssh_host.channel import Channel
    from ensue.reach.resources.ssh_host.settings import SshSettings
    from ensue.reach.resources.ssh_host.sftp_files import SftpFiles
    from ensue.reach.resources.ssh_host.transport import Transport


class SshConnection:
    """An SSH host as a target.

    Args:
        srn: its name.
        settings: how to reach it.
        connect_to: opens the pooled connection of a jump host.
        pause: waits a number of seconds between attempts to connect.
        leftovers: where temporary files are recorded; None: nowhere.
        reach: what is known of hosts that cannot be reached; None: nothing is remembered.
    """

    def __init__(
        self,
        srn: Srn,
        settings: SshSettings,
        connect_to: Callable[[Srn], Connection],
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        leftovers: LeftoverNotes | None = None,
        reach: Reach | None = None,
    ) -> None:
        self._srn = srn
        self.settings = settings
        self._connect_to = connect_to
        self._pause = pause
        self._leftovers = leftovers
        self._reach = reach or Reach()
        self._channel: Channel | None = None
        self._own_jumps: list[Transport] = []
        self._shell_files = PosixFiles(srn, self._run)
        self._sftp_files: SftpFiles | None = None
        self._sftp_refused = bool(settings.become) or settings.files == "shell"

    @property
    def srn(self) -> Srn:
        """The target."""
        return self._srn

    @property
    def can_run(self) -> bool:
        """Always: an SSH host runs commands."""
        return True

    async def run(self, command: Command) -> Completed:
        """Run a command to its end.

        Raises:
            RemoteTimeoutError: it did not end in time, and was asked to end.
            RemoteFileError: the folder to run in does not exist.
            RemoteError: as described in `contracts.connection`.
        """
        return await self._run(command)

    async def read(self, path: str) -> bytes:
        """Return the whole content of a file; symlinks are followed."""
        async with self._files() as files:
            return await files.read(path)

    def chunks(self, path: str) -> AsyncGenerator[bytes]:
        """Yield the content of a file in parts; symlinks are followed."""
        return all_parts(lambda at, before: self._part(path, at, before))

    async def _part(self, path: str, at: int, before: FilePart | None) -> FilePart:
        async with self._files() as files:
            return await files.part(path, at, before)

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
        async with self._files() as files:
            if self._leftovers is not None and is_temporary(path):
                self._leftovers.begin(str(self._srn), path)  # Ends when it is removed or renamed.
            await files.write(path, content, mode=mode, user=user, group=group)

    async def stat(self, path: str, *, follow: bool = False) -> FileStat | None:
        """Describe a path, or return None if nothing exists there."""
        async with self._files() as files:
            return await files.stat(path, follow=follow)

    async def checksum(self, path: str, kind: str = "sha256") -> str | None:
        """Return the digest of a file's content as hex, or None if nothing exists there."""
        async with self._files() as files:
            return await files.checksum(path, kind)

    async def list_directory(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        async with self._files() as files:
            return await files.list_directory(path)

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Create a folder; an existing one is left alone (its mode too)."""
        async with self._files() as files:
            await files.make_directory(path, mode=mode, parents=parents)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, link or folder; do nothing if absent."""
        async with self._files() as files:
            await files.remove(path, recursive=recursive)
        self._gone(path)

    async def symlink(self, target: str, path: str) -> None:
        """Create a symlink at `path` that points to `target`."""
        async with self._files() as files:
            await files.symlink(target, path)

    async def rename(self, source: str, target: str) -> None:
        """Move a file within the target, replacing what is there."""
        async with self._files() as files:
            await files.rename(source, target)
        self._gone(source)

    async def check_change(self, path: str, change: FolderChange = "write") -> None:
        """Raise what a method would raise because the folder of a path may not be changed."""
        await self._shell_files.check_change(path, change)  # SFTP has no such request.

    async def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a path; symlinks are followed."""
        async with self._files() as files:
            await files.set_mode(path, mode)

    async def set_owner(
        self, path: str, *, user: str | None = None, group: str | None = None, follow: bool = True
    ) -> None:
        """Set owner and group by name or number."""
        async with self._files() as files:
            await files.set_owner(path, user=user, group=group, follow=follow)

    async def set_times(self, path: str, *, atime_s: float, mtime_s: float) -> None:
        """Set the times of access and change, seconds since the epoch."""
        async with self._files() as files:
            await files.set_times(path, atime_s=atime_s, mtime_s=mtime_s)

    async def close(self) -> None:
        """Close the connection, and those to jump hosts outside the pool; the next use connects again."""
        if self._channel is not None:
            await self._channel.close()
            self._channel = None
        for transport in reversed(self._own_jumps):
            await transport.close()
        self._own_jumps = []
        self._sftp_files = None

    async def _run(self, command: Command) -> Completed:
        await self._load()
        return await self.channel().run(command)

    async def _load(self) -> None:
        """Load asyncssh before the first use, in a thread: it takes a fifth of a second.

        Raises:
            UnreachableError: the user's file cannot be read, which has settings of the host.
        """
        if self._channel is not None:
            return
        await asyncio.to_thread(importlib.import_module, "ensue.reach.resources.ssh_host.channel")
        self._check_circle(())
        for srn in self.settings.jump:
            await self._jump(srn)._load()  # noqa: SLF001 (another of this class)
        if self.settings.ssh_config and not self.settings.alias:
            try:
                self.settings = await asyncio.to_thread(resolved, self.settings)
            except (OSError, ValueError) as fault:
                message = f"{self._srn} is not connected to, because of `ssh_config`: {fault}"
                raise UnreachableError(message, target=str(self._srn)) from fault

    def channel(self) -> Channel:
        """Return the channel for commands and SFTP; connections through a jump host use its transport.

        Raises:
            UnreachableError: the jump hosts form a cycle.
        """
        if self._channel is None:
            from ensue.reach.resources.ssh_host.channel import Channel
            from ensue.reach.resources.ssh_host.transport import Transport

            before = self._jump_transport()
            transport = Transport(
                self._srn, self.settings, through=before, pause=self._pause, reach=self._reach
            )
            self._channel = Channel(transport)
        return self._channel

    @contextlib.asynccontextmanager
    async def _files(self) -> AsyncGenerator[SftpFiles | PosixFiles]:
        """Yield the file operations; report a lost session as such."""
        await self._load()
        files = await self._chosen_files()
        limit_s = self.settings.timeout_s or TRANSFER_S
        try:
            async with asyncio.timeout(limit_s):
                await self._remove_left(files)
                with self.channel().losses("a file was worked on"):
                    yield files
        except TimeoutError as fault:
            if isinstance(fault, RemoteTimeoutError):
                raise
            message = f"a file operation on {self._srn} took longer than {limit_s:g} s (see `timeout_s`)"
            raise RemoteTimeoutError(message, target=str(self._srn), timeout_s=limit_s) from None

    async def _chosen_files(self) -> SftpFiles | PosixFiles:
        if self._sftp_refused:
            return self._shell_files
        channel = self.channel()
        if await channel.sftp() is None:
            if self.settings.files == "sftp":
                message = f"{self._srn} ({self.settings.place}) offers no SFTP (set `files: shell`)"
                raise UnreachableError(message, target=str(self._srn))
            self._sftp_refused = True
            return self._shell_files
        if self._sftp_files is None:
            from ensue.reach.resources.ssh_host.sftp_files import SftpFiles

            self._sftp_files = SftpFiles(
                self._srn, channel.need_sftp, self._run, channel.accounts, self._noted
            )
        return self._sftp_files

    async def _remove_left(self, files: SftpFiles | PosixFiles) -> None:
        """Remove what killed processes left on the host; what cannot be removed stays recorded."""
        for path in self._leftovers.left(str(self._srn)) if self._leftovers is not None else ():
            with contextlib.suppress(RemoteFileError):
                status = await files.stat(path)
                if status is not None and status.kind in {"file", "symlink"} and is_temporary(path):
                    await files.remove(path)
                self._gone(path)

    def _noted(self, path: str) -> AbstractContextManager[None]:
        if self._leftovers is None:
            return contextlib.nullcontext()
        return self._leftovers.noted(str(self._srn), path)

    def _gone(self, path: str) -> None:
        if self._leftovers is not None and is_temporary(path):
            self._leftovers.end(str(self._srn), path)

    def _jump_transport(self) -> Transport | None:
        """Return the transport of the last jump host, building the chain of those before it."""
        self._check_circle(())
        before: Transport | None = None
        for index, srn in enumerate(self.settings.jump):
            jump = self._jump(srn)
            if index == 0 or jump.settings.jump == self.settings.jump[:index]:
                before = jump.channel().transport
            else:
                # Its own route is a different one, so it gets a connection for this chain only.
                from ensue.reach.resources.ssh_host.transport import Transport

                before = Transport(srn, jump.settings, through=before, pause=self._pause, reach=self._reach)
                self._own_jumps.append(before)
        return before

    def _check_circle(self, path: tuple[Srn, ...]) -> None:
        if self._srn in path:
            circle = " → ".join(str(srn) for srn in [*path, self._srn])
            raise UnreachableError(f"jump hosts form a cycle: {circle} (mend `jump`)", target=str(self._srn))
        for srn in self.settings.jump:
            self._jump(srn)._check_circle((*path, self._srn))  # noqa: SLF001 (another of this class)

    def _jump(self, srn: Srn) -> SshConnection:
        connection = self._connect_to(srn)
        if not isinstance(connection, SshConnection):
            raise ResourceError(
                f"{srn} cannot be a jump host for {self._srn}: it is no ssh_host (mend `jump`)"
            )
        return connection
