"""The way to a target: run commands, read and write files.

Every state and execution function works through a `Connection`, so that it runs on this machine
and on an `ssh_host` alike. A connection is a cheap handle: it connects on first use, may be shared
by any number of functions at once, and belongs to a pool that closes it.

Paths are absolute paths on the target. File operations raise `RemoteFileError` (never a bare
OSError), a missing file included, except where a method says that it returns None or ignores it;
the other errors are `UnreachableError`, `HostKeyError`, `AuthenticationError` and `RemoteTimeoutError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from ensue.core.contracts.content import Content, Input
    from ensue.core.model.srn import Srn

FileKind = Literal["file", "directory", "symlink", "block", "character", "fifo", "socket"]
FolderChange = Literal["write", "make_directory", "remove", "symlink", "rename"]
"""The methods of a `Connection` that change what is in a folder."""


class FileStat(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a target reports about one path.

    Args:
        kind: its kind.
        mode: permission bits (`0o644`), without the file type.
        uid: owner's number.
        gid: group's number.
        user: owner's name, or the number as text where it has none.
        group: group's name, or the number as text where it has none.
        size_bytes: its size.
        mtime_s: time of last change of content, seconds since the epoch.
        atime_s: time of last access, seconds since the epoch.
        link_target: the target of a symlink, else empty.
    """

    kind: FileKind
    mode: int
    uid: int
    gid: int
    user: str
    group: str
    size_bytes: int
    mtime_s: float
    atime_s: float = 0.0
    link_target: str = ""


class OutputListener(Protocol):
    """Receives what a command writes while it runs. Its methods must not raise."""

    def output(self, data: bytes) -> None:
        """Take a piece of its output."""
        ...

    def errors(self, data: bytes) -> None:
        """Take a piece of its error output."""
        ...


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command to run.

    Args:
        shell_line: a line for the target's shell; exactly one of this and `argv` is given.
        argv: a program with its arguments, no shell in between.
        shell: the shell that reads `shell_line`.
        cwd: the folder to run in; None is the home folder of the user.
        env: variables added to the environment; a value of None removes the variable.
        stdin: its standard input, bytes or chunks that are read as fast as the command reads; empty is an
            empty input, never the terminal.
        user: run as this user (setuid here, `sudo -u` over SSH).
        umask: file mode mask, None leaves it.
        timeout_s: after this many seconds the command is ended with `RemoteTimeoutError`; None: no limit.
        clean_env: start from an empty environment instead of the user's.
        on_start: called with the process id once the command runs, if that is a process of this machine; an
            exception from it ends the command.
        is_followed: whether `--follow` shows its output while it runs.
        listener: receives its output as it is written; `Completed` contains all of it as well.
    """

    shell_line: str | None = None
    argv: Sequence[str] | None = None
    shell: str = "/bin/sh"
    cwd: str | None = None
    env: Mapping[str, str | None] | None = None
    stdin: Input = b""
    user: str | None = None
    umask: int | None = None
    timeout_s: float | None = None
    clean_env: bool = False
    on_start: Callable[[int], None] | None = None
    is_followed: bool = False
    listener: OutputListener | None = None


class Completed(msgspec.Struct, frozen=True, kw_only=True):
    """A command that has ended.

    Args:
        returncode: its exit code; the negative signal number when a signal ended it.
        stdout: all of its output.
        stderr: all of its error output.
        pid: its process id on the target, 0 if the target does not report it.
    """

    returncode: int
    stdout: bytes
    stderr: bytes
    pid: int = 0


@runtime_checkable
class Connection(Protocol):
    """What every target offers. A type that cannot run commands sets `can_run` False."""

    @property
    def srn(self) -> Srn:
        """The target."""
        ...

    @property
    def can_run(self) -> bool:
        """Whether `run` works; if not, it raises `NotAvailableError`."""
        ...

    async def run(self, command: Command) -> Completed:
        """Run a command to its end; a non-zero exit code is a value, not an exception.

        It ends when it has exited and nothing that it started holds its output open any more. Only a command
        that is ended (`timeout_s`, cancellation) has its output closed while something may still write to it.

        If chunks of its input cannot be read, it is ended and `CommandInputError` is raised.
        """
        ...

    async def read(self, path: str) -> bytes:
        """Return the whole content of a file; symlinks are followed."""
        ...

    def chunks(self, path: str) -> AsyncGenerator[bytes]:
        """Yield the content of a file, which may be too long for memory, in parts of a few megabytes.

        Symlinks are followed. A file that changes while it is read raises `RemoteFileError`.
        """
        ...

    async def write(
        self,
        path: str,
        content: Content,
        *,
        mode: int | None = None,
        user: str | None = None,
        group: str | None = None,
    ) -> None:
        """Replace or create a file atomically: readers see the old content or the new, never a part.

        Long content is read chunk by chunk while it is written, so it is never in memory as a whole.

        On any failure (disk full, no permission) the old file stays as it was and nothing is left
        behind. Mode and owner of an existing file are kept if they are not given; a new file
        gets 0644. A symlink is followed: its target is replaced.

        A name that begins with `.ensue-` is that of a temporary file: it is recorded until it is removed or
        renamed, and the next apply removes it if this process is killed.
        """
        ...

    async def stat(self, path: str, *, follow: bool = False) -> FileStat | None:
        """Describe a path, or return None when nothing is there."""
        ...

    async def checksum(self, path: str, kind: str = "sha256") -> str | None:
        """Return the digest of a file's content as hex, or None when nothing is there.

        Args:
            path: the file; symlinks are followed.
            kind: which digest, a name that `hashlib` knows (`md5`, `sha512`).
        """
        ...

    async def list_directory(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        ...

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Create a folder; an existing one is left as it is, with its mode."""
        ...

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, link or folder (one that is not empty only when `recursive`); absent is fine."""
        ...

    async def symlink(self, target: str, path: str) -> None:
        """Create a symlink at `path` that points to `target`; replaces an existing symlink atomically."""
        ...

    async def rename(self, source: str, target: str) -> None:
        """Move a file within the target; replaces an existing file."""
        ...

    async def check_change(self, path: str, change: FolderChange = "write") -> None:
        """Raise what a method would raise because the folder of a path may not be changed; change nothing.

        The target itself decides for the user of the connection. No error is no promise: a disk may be full,
        and a connection may remember that a folder may be changed.

        Args:
            path: the path; nothing is raised if its folder does not exist.
            change: the method.
        """
        ...

    async def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a path; symlinks are followed."""
        ...

    async def set_owner(
        self, path: str, *, user: str | None = None, group: str | None = None, follow: bool = True
    ) -> None:
        """Set owner and group by name or number."""
        ...

    async def set_times(self, path: str, *, atime_s: float, mtime_s: float) -> None:
        """Set the times of access and change, seconds since the epoch."""
        ...

    async def close(self) -> None:
        """Close the connection; using it again connects again."""
        ...
