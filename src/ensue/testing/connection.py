"""`FakeConnection`: a target in memory, for tests of state functions.

Its files behave as `contracts.connection` says (it passes the file part of the contract suite);
commands are scripted: `fake.on_run("systemctl start *", stdout=b"ok")`. It records what was asked of it.
"""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import posixpath
import shlex
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensue.core.contracts.connection import Command, Completed, FileStat, FolderChange
from ensue.core.contracts.content import whole
from ensue.core.errors import NotOfferedError, RemoteError, RemoteFileError
from ensue.core.model.srn import Srn
from ensue.testing.memory_tree import NUMBERS, MemoryNode, MemoryTree, number_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator

    from ensue.core.contracts.content import Content

_PART_BYTES = 1 << 20
_NEW_FILE_MODE = 0o644
_NEW_DIRECTORY_MODE = 0o755


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call of a `FakeConnection`.

    Args:
        method: the method's name (`write`).
        path: the path, or for `run` the command line.
    """

    method: str
    path: str


class FakeConnection:
    """A target in memory.

    Args:
        srn: its name.
        can_run: False makes `run` raise `NotAvailableError`, as for type `dummy`.
        files: content by path, created at the start with the folders that it needs.
        clock: returns the time of changes, in seconds since the epoch.
    """

    def __init__(
        self,
        srn: Srn | None = None,
        *,
        can_run: bool = True,
        files: dict[str, bytes] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._srn = srn or Srn("fake", "target")
        self._can_run = can_run
        self._clock = clock
        self._answers: list[tuple[str, Completed | Callable[[Command], Completed]]] = []
        self.tree = MemoryTree(clock)
        self.calls: list[RecordedCall] = []
        self.commands: list[Command] = []
        self.closed_times = 0
        for folder in ("/tmp", "/etc", "/root"):  # noqa: S108 (a path in memory)
            self.tree.put(folder, MemoryNode(kind="directory", mode=_NEW_DIRECTORY_MODE))
        for path, content in (files or {}).items():
            self._make_parents(path)
            self.tree.put(path, MemoryNode(kind="file", mode=_NEW_FILE_MODE, content=content))

    @property
    def srn(self) -> Srn:
        """The target's name."""
        return self._srn

    @property
    def can_run(self) -> bool:
        """Whether `run` works."""
        return self._can_run

    def on_run(
        self,
        pattern: str,
        answer: Callable[[Command], Completed] | None = None,
        *,
        stdout: bytes = b"",
        stderr: bytes = b"",
        returncode: int = 0,
    ) -> None:
        """Script the answer to commands; the latest script that matches applies.

        Args:
            pattern: a glob over the shell line, or over the argv joined as a shell would read it.
            answer: called with the command; without it the values below are the answer.
            stdout: what the command writes.
            stderr: what the command writes to its error output.
            returncode: its exit code.
        """
        fixed = Completed(returncode=returncode, stdout=stdout, stderr=stderr, pid=1)
        self._answers.insert(0, (pattern, answer or fixed))

    async def run(self, command: Command) -> Completed:
        """Answer as scripted; an unscripted command is not found (127)."""
        if not self._can_run:
            raise NotOfferedError("run", target_type=self._srn.type)
        line = command.shell_line if command.shell_line is not None else shlex.join(command.argv or ())
        self.calls.append(RecordedCall(method="run", path=line))
        self.commands.append(command)
        for pattern, answer in self._answers:
            if fnmatch.fnmatchcase(line, pattern):
                done = answer(command) if callable(answer) else answer
                if command.listener is not None:
                    command.listener.output(done.stdout)
                    command.listener.errors(done.stderr)
                return done
        return Completed(returncode=127, stdout=b"", stderr=f"not scripted: {line}\n".encode())

    async def read(self, path: str) -> bytes:
        """Return a file's content."""
        with self._asked("read", path):
            return self._file(path).content

    async def chunks(self, path: str) -> AsyncGenerator[bytes]:
        """Yield a file's content in parts."""
        content = await self.read(path)
        for at in range(0, len(content), _PART_BYTES):
            if self.tree.need(path).content is not content:
                with self._asked("read", path):
                    raise OSError(errno.EBUSY, "it changes while it is read")
            yield content[at : at + _PART_BYTES]

    async def write(
        self,
        path: str,
        content: Content,
        *,
        mode: int | None = None,
        user: str | None = None,
        group: str | None = None,
    ) -> None:
        """Replace or create a file."""
        with self._asked("write", path):
            all_of_it = await whole(content)
            real = self.tree.resolve(path, writes=True)
            old = self.tree.nodes.get(real)
            if old is not None and old.kind == "directory":
                raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
            new = MemoryNode(
                kind="file",
                mode=mode if mode is not None else old.mode if old else _NEW_FILE_MODE,
                user=_known(user) or (old.user if old else "root"),
                group=_known(group) or (old.group if old else "root"),
                content=all_of_it,
            )
            self.tree.put(real, new)

    async def stat(self, path: str, *, follow: bool = False) -> FileStat | None:
        """Describe a path."""
        with self._asked("stat", path):
            node = self.tree.find(path, follow=follow)
        return None if node is None else _described(node)

    async def checksum(self, path: str, kind: str = "sha256") -> str | None:
        """Return the digest of a file."""
        with self._asked("checksum", path):
            if self.tree.find(path) is None:
                return None
            return hashlib.new(kind, self._file(path).content, usedforsecurity=False).hexdigest()

    async def list_directory(self, path: str) -> list[str]:
        """Return the names in a folder."""
        with self._asked("list_directory", path):
            return self.tree.children(path)

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Create a folder."""
        with self._asked("make_directory", path):
            there = self.tree.find(path)
            if there is not None:
                if there.kind != "directory":
                    raise FileExistsError(errno.EEXIST, "File exists", path)
                return
            if parents:
                self._make_parents(path)
            new = MemoryNode(kind="directory", mode=_NEW_DIRECTORY_MODE if mode is None else mode)
            self.tree.put(self.tree.resolve(path, writes=True), new)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove what is at a path."""
        with self._asked("remove", path):
            if self.tree.find(path, follow=False) is self.tree.nodes["/"]:
                raise OSError(errno.EBUSY, "it is the root of the target")
            if self.tree.find(path, follow=False) is not None:
                self.tree.remove(path, recursive=recursive)

    async def symlink(self, target: str, path: str) -> None:
        """Create or replace a symlink."""
        with self._asked("symlink", path):
            real = self.tree.resolve(path, follow=False, writes=True)
            old = self.tree.nodes.get(real)
            if old is not None and old.kind != "symlink":
                raise FileExistsError(errno.EEXIST, "File exists", path)
            content = target.encode("utf-8", "surrogateescape")
            self.tree.put(real, MemoryNode(kind="symlink", mode=0o777, content=content))

    async def rename(self, source: str, target: str) -> None:
        """Move a file."""
        with self._asked("rename", source):
            self.tree.rename(source, target)

    async def check_change(self, path: str, change: FolderChange = "write") -> None:
        """Have no objection: everybody may change everything."""

    async def set_mode(self, path: str, mode: int) -> None:
        """Set permission bits."""
        with self._asked("set_mode", path):
            self.tree.need(path, writes=True).mode = mode

    async def set_owner(
        self, path: str, *, user: str | None = None, group: str | None = None, follow: bool = True
    ) -> None:
        """Set owner and group."""
        with self._asked("set_owner", path):
            node = self.tree.need(path, follow=follow, writes=True)
            node.user = _known(user) or node.user
            node.group = _known(group) or node.group

    async def set_times(self, path: str, *, atime_s: float, mtime_s: float) -> None:
        """Set times."""
        with self._asked("set_times", path):
            node = self.tree.need(path, writes=True)
            node.atime_s, node.mtime_s = atime_s, mtime_s

    async def close(self) -> None:
        """Record that it was closed."""
        self.closed_times += 1

    def _file(self, path: str) -> MemoryNode:
        node = self.tree.need(path)
        if node.kind == "directory":
            raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
        return node

    def _make_parents(self, path: str) -> None:
        missing: list[str] = []
        folder = posixpath.dirname(self.tree.resolve(path, writes=True))
        while folder not in self.tree.nodes:
            missing.append(folder)
            folder = posixpath.dirname(folder)
        for each in reversed(missing):
            self.tree.put(each, MemoryNode(kind="directory", mode=_NEW_DIRECTORY_MODE))

    @contextmanager
    def _asked(self, method: str, path: str) -> Generator[None]:
        self.calls.append(RecordedCall(method=method, path=path))
        try:
            yield
        except RemoteError:
            raise  # An error of content that comes from another target.
        except OSError as fault:
            message = f"cannot {method} {path} on {self._srn}: {fault.strerror}"
            error = RemoteFileError(message, path=path, target=str(self._srn))
            error.errno = fault.errno
            raise error from fault


def _known(name: str | None) -> str | None:
    """Return the name in its displayed form; an unknown one is an error, as on a real target."""
    if name is None:
        return None
    if name.isdecimal():
        return next((known for known, number in NUMBERS.items() if number == int(name)), name)
    if name not in NUMBERS:
        raise OSError(errno.EINVAL, f"no such user or group: {name}")
    return name


def _described(node: MemoryNode) -> FileStat:
    return FileStat(
        kind=node.kind,
        mode=node.mode,
        uid=number_of(node.user),
        gid=number_of(node.group),
        user=node.user,
        group=node.group,
        size_bytes=len(node.content),
        mtime_s=node.mtime_s,
        atime_s=node.atime_s,
        link_target=node.content.decode("utf-8", "surrogateescape") if node.kind == "symlink" else "",
    )
