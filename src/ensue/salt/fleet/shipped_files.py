"""The files that minions fetch from the master, and which of them a run may still need.

A run claims each file before it names it to a minion. A claim is a file in a folder of the master's cache:
its first line is the path of what is kept to resume the run, the others are names. It is valid while its run
has a lock on it, which the kernel takes back when the process ends, however it ends; and after that as long
as what is kept to resume the run is there. A file with a valid claim is never removed; of the others those
stay that were used last.

Claims are taken, and files removed, under an exclusive lock, so that nothing is removed between the look
whether a file is there and the claim on it.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.store.registry.lock_waits import LockWaits

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Self

_KEEP: Final = 5
"""How many files of a kind are kept that no run claims."""


class ShippedFiles:
    """The files of one run in the folder that the master serves. A context manager, which ends the lock.

    Args:
        folder: the folder that the master serves.
        claims: the folder of the claims of all runs; created when it is needed.
        run_id: the run, as minions know it.
        kept: what is kept to resume the run; None: it cannot be resumed.
        waits: how to wait for other runs, which lock the claims for a moment.

    Raises:
        OSError: the claim cannot be written.
        StoreError: another process does not unlock the claims, or waits were ended.
    """

    def __init__(
        self,
        folder: Path,
        claims: Path,
        run_id: str,
        kept: Path | None = None,
        *,
        waits: LockWaits | None = None,
    ) -> None:
        self.folder = folder
        self._waits = waits or LockWaits()
        self._claims = claims
        self._run_id = run_id
        claims.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked():
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._descriptor = os.open(claims / run_id, flags, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
            if not os.fstat(self._descriptor).st_size:
                self._write(str(kept or ""))

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *failure: object) -> None:
        """Let the claim end, unless the run can be resumed."""
        os.close(self._descriptor)

    @property
    def scratch(self) -> str:
        """What the name of a file ends with that this run is still writing."""
        return f".{self._run_id}"

    def claim(self, name: str) -> bool:
        """Claim a file; return whether it is there.

        Args:
            name: its name in the folder.

        Raises:
            OSError: the claim cannot be written.
        """
        with self._locked():
            self._write(name)
            try:
                os.utime(self.folder / name)
            except FileNotFoundError:
                return False
            return True

    def put(self, scratch: Path, name: str, kind: str) -> None:
        """Claim a file that was written, give it its name, and remove others of its kind that nobody claims.

        Args:
            scratch: the file, in the same folder.
            name: its name from now on.
            kind: the beginning of the names of its kind.

        Raises:
            OSError: it cannot be claimed or renamed.
        """
        with self._locked():
            self._write(name)
            scratch.replace(self.folder / name)
            self._forget(f"{kind}-", Path(name).suffix)

    def _forget(self, start: str, suffix: str) -> None:
        claimed, running = self._claimed()
        unclaimed: list[tuple[int, Path]] = []
        for path in self.folder.iterdir():
            if path.name.startswith("."):
                # Left by a process that was killed while it wrote it.
                if path.name.rpartition(".")[2] not in running:
                    path.unlink(missing_ok=True)
            elif path.name.startswith(start) and path.suffix == suffix and path.name not in claimed:
                unclaimed.append((path.stat().st_mtime_ns, path))
        for _, path in sorted(unclaimed, reverse=True)[_KEEP:]:
            path.unlink(missing_ok=True)

    def _claimed(self) -> tuple[set[str], set[str]]:
        """Return the names with valid claims, and the runs that go on; remove the claims that are over."""
        claimed: set[str] = set()
        running: set[str] = set()
        for path in self._claims.iterdir():
            kept, *names = os.fsdecode(path.read_bytes()).split("\n")
            if _is_held(path):
                running.add(path.name)
            elif not (kept and Path(kept).exists()):
                path.unlink(missing_ok=True)
                continue
            claimed.update(names)
        return claimed, running

    def _write(self, line: str) -> None:
        content = os.fsencode(f"{line}\n")
        try:
            is_whole = os.write(self._descriptor, content) == len(content)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._claims)) from error
        if not is_whole:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._claims))

    @contextmanager
    def _locked(self) -> Generator[None]:
        descriptor = os.open(self._claims, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._waits.lock(descriptor, self._claims)
            yield
        finally:
            os.close(descriptor)


def _is_held(claim: Path) -> bool:
    """Return whether the run of a claim goes on; its own run has a lock on another descriptor."""
    descriptor = os.open(claim, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
