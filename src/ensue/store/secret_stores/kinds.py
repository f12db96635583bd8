"""The kinds of secret stores: environment variables, files below a folder, the output of a command.

A newline at the end of a file or of a command's output is not part of the secret.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final, Protocol

from ensue.core.files.regular_files import read_regular

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.deploy.provisioning.secret_refs import SecretReference

LARGEST_BYTES: Final = 1 << 20
"""The maximum size of a secret."""

_SHOWN_ERROR_CHARS: Final = 2000
_NO_VERSIONS: Final = "a store of this kind has no versions; leave out `version`"


class SecretNotReadError(Exception):
    """A secret cannot be read; the text says why, and how to fix it."""


class SecretStore(Protocol):
    """A store of secrets."""

    def refusal(self, reference: SecretReference) -> str:
        """Return why a reference is invalid for this store; empty if it is valid."""
        ...

    async def read(self, reference: SecretReference) -> str:
        """Return a secret.

        Raises:
            SecretNotReadError: the secret cannot be read.
        """
        ...


class EnvironmentStore:
    """Secrets in the environment variables of ensue's process; `ref` is the name of a variable.

    Args:
        prefix: the common prefix of the variables, which refs omit.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def refusal(self, reference: SecretReference) -> str:
        """Return why a reference is invalid for this store; empty if it is valid."""
        if not reference.ref or "=" in reference.ref or "\0" in reference.ref:
            return "its ref is not the name of an environment variable"
        return _NO_VERSIONS if reference.version else ""

    async def read(self, reference: SecretReference) -> str:
        """Return the value of the variable.

        Raises:
            SecretNotReadError: the variable is not set.
        """
        name = self._prefix + reference.ref
        value = os.environ.get(name)
        if value is None:
            raise SecretNotReadError(f"the environment variable {name} is not set")
        return value


class FolderStore:
    """Secrets in files; `ref` is a path below a folder, and may follow links within that folder.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def refusal(self, reference: SecretReference) -> str:
        """Return why a reference is invalid for this store; empty if it is valid."""
        parts = reference.ref.split("/")
        if any(part in {"", ".", ".."} for part in parts) or "\0" in reference.ref:
            return "its ref is not a path below the folder of the store, such as db/password"
        return _NO_VERSIONS if reference.version else ""

    async def read(self, reference: SecretReference) -> str:
        """Return the content of the file.

        Raises:
            SecretNotReadError: there is no such regular file below the folder, or it is not UTF-8 text.
        """
        return await asyncio.to_thread(self._content, reference.ref)

    def _content(self, ref: str) -> str:
        path = self._folder / ref
        try:
            real = path.resolve(strict=True)
            if not real.is_relative_to(self._folder.resolve()):
                raise SecretNotReadError(f"{path} leads out of the folder {self._folder}")
            return _text(read_regular(real))
        except OSError as error:
            raise SecretNotReadError(f"{path}: {error.strerror or error}") from None


class CommandStore:
    """Secrets that a command prints.

    Args:
        command: the program and its arguments, with `{ref}` and `{version}`; it runs without a shell.
        cwd: its working directory.
        timeout_s: how long it may take, in seconds.
    """

    def __init__(self, command: Sequence[str], cwd: Path, timeout_s: float) -> None:
        self._command = tuple(command)
        self._cwd = cwd
        self._timeout_s = timeout_s

    def refusal(self, reference: SecretReference) -> str:
        """Return why a reference is invalid for this store; empty if it is valid."""
        takes_version = any("{version}" in word for word in self._command)
        if not reference.ref or "\0" in reference.ref + reference.version:
            return "its ref is empty, or contains a NUL byte"
        if reference.version and not takes_version:
            return "the command of the store has no {version}; leave out `version`"
        if takes_version and not reference.version:
            return "the command of the store has {version}, but the reference has no `version`"
        if any(
            given.startswith("-") and not word.startswith("-")
            for word, given in zip(self._command, self._argv(reference), strict=True)
        ):
            return "it must not begin with -, or the command would take it for an option"
        return ""

    async def read(self, reference: SecretReference) -> str:
        """Return the output of the command.

        Raises:
            SecretNotReadError: it cannot be started, fails, takes too long, or its output is not UTF-8.
        """
        from ensue.reach.processes.runner import Launch, OutputBoundError, run_once

        launch = Launch(
            argv=[os.fsencode(word) for word in self._argv(reference)],
            cwd=str(self._cwd),
            env=dict(os.environb),
            timeout_s=self._timeout_s,
            most_bytes=2 * LARGEST_BYTES,
        )
        try:
            done = await run_once(launch)
        except OutputBoundError:
            raise SecretNotReadError(f"{self._command[0]} prints more than a secret's maximum size") from None
        except TimeoutError:
            raise SecretNotReadError(f"{self._command[0]} took more than {self._timeout_s} s") from None
        except OSError as error:
            raise SecretNotReadError(f"{self._command[0]}: {error.strerror or error}") from None
        if done.returncode:
            errors = done.stderr.decode("utf-8", "backslashreplace").strip()[-_SHOWN_ERROR_CHARS:]
            what = f"{self._command[0]} ended with {done.returncode}"
            raise SecretNotReadError(f"{what}: {errors or 'no message'}")
        return _text(done.stdout)

    def _argv(self, reference: SecretReference) -> list[str]:
        # The parts around `{ref}` first, so that a `{version}` within a ref stays as it is.
        return [
            reference.ref.join(part.replace("{version}", reference.version) for part in word.split("{ref}"))
            for word in self._command
        ]


def _text(content: bytes) -> str:
    if len(content) > LARGEST_BYTES:
        raise SecretNotReadError(f"it is larger than {LARGEST_BYTES} bytes")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise SecretNotReadError("it is not UTF-8 text") from None
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\r\n") else text.removesuffix("\n")
