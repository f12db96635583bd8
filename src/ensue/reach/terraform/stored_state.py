"""Stores the state, variables and outputs of a configuration between runs, encrypted.

Terraform reads and writes its state, and the settings of a backend, only unencrypted. Those files exist,
readable by their owner only, while the binary runs, and are encrypted and removed when it ends. A state that
a killed process left behind is newer than the encrypted one, so the next run uses it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.files.private_files import make_private_directory, open_private_file, replace_whole

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from ensue.core.contracts.vault import Vault

_SEALED_NAME: Final = "terraform.sealed"
_STATE_NAME: Final = "terraform.tfstate"
_LOCK_NAME: Final = "lock"
_LONGEST_PID: Final = 20
_FLOCK: Final = "hhqqi"
"""`struct flock` of Linux: the kind of lock, what its start counts from, start, length, and its process."""
_BACKEND_NAME: Final = "backend.sealed"


class Output(msgspec.Struct, frozen=True):
    """One output of a configuration.

    Args:
        value: its value.
        sensitive: whether the configuration declares it sensitive.
    """

    value: Any
    sensitive: bool = False


class StoredConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """The stored data of one configuration.

    Args:
        source: its folder, absolute.
        variables: the values of its variables in the last run.
        outputs: its outputs after the last run.
        state: the text of terraform's state; empty if a backend of the configuration has it.
        is_whole: whether the last run succeeded.
    """

    source: str
    variables: dict[str, Any]
    outputs: dict[str, Output]
    state: str = ""
    is_whole: bool = True


class KeptFolder(msgspec.Struct, frozen=True, kw_only=True):
    """The folder of one configuration below the cachedir.

    Args:
        path: the folder; mode 0700.
        vault: encrypts the data.
        context: the purpose of the encrypted data (`terraform:vm-01`).
    """

    path: Path
    vault: Vault
    context: str

    def load(self) -> StoredConfiguration | None:
        """Return the stored data, None if there is none.

        Raises:
            StoreError: the data cannot be decrypted.
        """
        try:
            sealed = (self.path / _SEALED_NAME).read_bytes()
        except FileNotFoundError:
            return None
        return msgspec.json.decode(self.vault.open(sealed, context=self.context), type=StoredConfiguration)

    def keep(self, kept: StoredConfiguration) -> None:
        """Encrypt and store the data, and remove the state that terraform wrote."""
        make_private_directory(self.path)
        sealed = self.vault.seal(msgspec.json.encode(kept), context=self.context)
        replace_whole(self.path / _SEALED_NAME, sealed)
        self.state_path.unlink(missing_ok=True)

    @property
    def state_path(self) -> Path:
        """The path of the unencrypted state while terraform runs."""
        return self.path / _STATE_NAME

    def lay_out_state(self, kept: StoredConfiguration | None) -> None:
        """Write the state for terraform, unless a killed run left a newer one."""
        make_private_directory(self.path)
        if kept is not None and kept.state and not self.state_path.exists():
            replace_whole(self.state_path, kept.state.encode())

    def written_state(self) -> str:
        """Return the state that terraform has written, empty if there is none."""
        try:
            return self.state_path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def is_begun(self) -> bool:
        """Return whether an apply may have begun: there is a state, or a backend for one is set up."""
        paths = (self.state_path, self.path / _BACKEND_NAME, self.data_path / _STATE_NAME)
        return any(path.exists() for path in paths)

    @property
    def data_path(self) -> Path:
        """The folder of terraform's data: providers, modules, and the settings of the backend."""
        return self.path / "data"

    @contextmanager
    def backend_laid_out(self) -> Generator[None]:
        """Provide the settings of the backend, including credentials, unencrypted while terraform runs."""
        clear, sealed = self.data_path / _STATE_NAME, self.path / _BACKEND_NAME
        context = f"{self.context} backend"
        if sealed.exists() and not clear.exists():
            make_private_directory(self.data_path)
            replace_whole(clear, self.vault.open(sealed.read_bytes(), context=context))
        try:
            yield
        finally:
            if clear.exists():
                replace_whole(sealed, self.vault.seal(clear.read_bytes(), context=context))
                clear.unlink()

    @contextmanager
    def locked(self) -> Generator[None]:
        """Lock the folder for one run of the binary.

        Raises:
            StateFailedError: another run has locked it, or a terraform process of a killed run still works.
        """
        make_private_directory(self.path)
        descriptor = open_private_file(self.path / _LOCK_NAME, os.O_RDWR | os.O_CREAT)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(descriptor, _LONGEST_PID, 0).decode("ascii", "replace")
                raise StateFailedError(f"{self.context} is in use {_used_by(holder)}") from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
            self._check_state_is_free()
            yield
        finally:
            os.close(descriptor)

    def _check_state_is_free(self) -> None:
        """Refuse to go on while a terraform process of a killed run still writes its state.

        Raises:
            StateFailedError: there is such a process; the error names it.
        """
        with contextlib.suppress(FileNotFoundError), self.state_path.open("r+b") as file:
            # Terraform itself holds this lock.
            asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, *_, pid = struct.unpack(_FLOCK, fcntl.fcntl(file, fcntl.F_GETLK, asked))
            if kind != fcntl.F_UNLCK:
                # A process of another container has no number here.
                which, end_it = (
                    (f" as process {pid}", f", or end it: kill -INT {pid}") if pid > 0 else ("", "")
                )
                raise StateFailedError(
                    f"{self.context} is in use: terraform of a run that was killed still runs{which} "
                    f"(wait until it ends{end_it})"
                )


def _used_by(holder: str) -> str:
    """Return who has locked a folder, and what to do.

    Args:
        holder: the process that has noted itself.
    """
    if holder == str(os.getpid()):
        return "by another state of this run (give each its own name, or let one require the other)"
    return f"by process {holder or 'of another run'} (wait until it has ended)"


class _Resource(msgspec.Struct, frozen=True):
    mode: str
    type: str
    name: str
    provider: str
    module: str = ""


class _State(msgspec.Struct, frozen=True):
    resources: list[_Resource] = []
    lineage: str = ""


def resources_in(state: str) -> dict[str, str]:
    """Return what a state has, by address: the provider of each, as the state names it (with its alias).

    Args:
        state: the text of the state; empty: there is none.

    Raises:
        StateFailedError: it is of a version that is not known.
    """
    if not state.strip():
        return {}
    return {
        ".".join(filter(None, (resource.module, resource.type, resource.name))): resource.provider
        for resource in _read(state).resources
        if resource.mode == "managed"
    }


def lineage_in(state: str) -> str:
    """Return the id that a state keeps as long as it exists, wherever it is stored; empty: there is none.

    Args:
        state: the text of the state; empty: there is none.

    Raises:
        StateFailedError: it is of a version that is not known.
    """
    return _read(state).lineage if state.strip() else ""


def _read(state: str) -> _State:
    try:
        return msgspec.json.decode(state, type=_State)
    except msgspec.MsgspecError:
        raise StateFailedError("terraform's state is of a version that is not known") from None
