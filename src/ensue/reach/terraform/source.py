"""The origin of a configuration's files: a Git repository, a local folder, or texts.

They are copied, so that a resource's configuration exists as long as the resource does.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.files.private_files import PRIVATE_DIRECTORY_MODE, make_private_directory, open_private_file
from ensue.reach.terraform.git import RemoteRepository  # noqa: TC001 -- msgspec reads the field's type

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

_LEFT_OUT: Final = (".git", ".terraform", "terraform.tfstate", "terraform.tfstate.backup")
_LOCK_FILE: Final = ".terraform.lock.hcl"
_CHUNK_BYTES: Final = 1 << 20


class ConfigurationSource(msgspec.Struct, frozen=True, kw_only=True):
    """The folder from which a configuration is copied.

    Args:
        repository: the repository that contains it; None if it is on this machine.
        folder: the folder on this machine that is copied as a whole; None if there is no source.
        path: the configuration's subfolder; empty for the whole folder.
    """

    repository: RemoteRepository | None = None
    folder: Path | None = None
    path: str = ""

    async def fingerprint(self) -> str:
        """Return a fingerprint of the files: the commit, or a digest of the folder's content.

        Raises:
            StateFailedError: the source cannot be read.
        """
        if self.repository is not None:
            return await self.repository.commit()
        return "" if self.folder is None else await asyncio.to_thread(_digest, self.folder)

    async def copy_to(self, folder: Path) -> str:
        """Copy the files into a new folder.

        Args:
            folder: the new folder, which must not exist.

        Returns:
            The commit id; empty for a local folder.

        Raises:
            StateFailedError: the files cannot be copied.
        """
        make_private_directory(folder.parent)
        commit = ""
        if self.repository is not None:
            commit = await self.repository.fetch(folder)
        elif self.folder is not None:
            await asyncio.to_thread(_copy, self.folder, folder)
        else:
            make_private_directory(folder)
        await asyncio.to_thread(_close, folder, self.path)
        return commit


def local_folder(url: str, root: Path) -> Path | None:
    """Return the folder on this machine that a URL names, None if it names none.

    Args:
        url: `file:///folder`, or a path that begins with `/` or a dot.
        root: the base of a relative path.
    """
    if url.startswith("file://"):
        return Path(unquote(urlsplit(url).path))
    return root / url if url.startswith(("/", "./", "../")) or url in {".", ".."} else None


def below(folder: Path, path: str) -> Path:
    """Return a path below a folder, which it must not leave, not even through a link.

    Raises:
        StateFailedError: it leaves the folder.
    """
    inner_folder = folder / path
    if not is_inside(path) or not inner_folder.resolve().is_relative_to(folder.resolve()):
        raise StateFailedError(f"{path} leads out of the folder of the configuration")
    return inner_folder


def is_inside(path: str) -> bool:
    """Return whether a relative path stays below its start, judging by its text."""
    return "\0" not in path and not path.startswith("/") and ".." not in PurePosixPath(path).parts


def carry_lock_file(former: Path, folder: Path) -> None:
    """Copy terraform's lock file with the provider versions, unless the configuration contains one."""
    if (former / _LOCK_FILE).is_file() and not (folder / _LOCK_FILE).exists():
        shutil.copyfile(former / _LOCK_FILE, folder / _LOCK_FILE)


@contextmanager
def laid_out(folder: Path, files: Mapping[str, str]) -> Generator[None]:
    """Provide files in a configuration's folder while terraform runs; they may contain secrets.

    Args:
        folder: the folder.
        files: text by relative path.

    Raises:
        StateFailedError: a file would be outside the folder, or cannot be written.
    """
    written: list[Path] = []
    try:
        for name, text in files.items():
            path = _place(folder, name)
            written.append(path)
            _write(path, name, text)
        yield
    finally:
        for path in written:
            with suppress(OSError):
                path.unlink()


def _place(folder: Path, name: str) -> Path:
    """Return the path for a file; a link of that name in the source is replaced, not followed."""
    relative = PurePosixPath(name)
    if not is_inside(name):
        raise StateFailedError(f"files: {name!r} leads out of the folder of the configuration")
    return below(folder, str(relative.parent)) / relative.name


def _write(path: Path, name: str, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        descriptor = open_private_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise StateFailedError(f"files: {name} cannot be written: {error.strerror}") from None


def _close(folder: Path, path: str) -> None:
    """Make a copy private, and check that it contains the configuration."""
    folder.chmod(PRIVATE_DIRECTORY_MODE)
    if not below(folder, path).is_dir():
        raise StateFailedError(f"source.path: there is no folder {path} in the source")


def _copy(source: Path, folder: Path) -> None:
    if not source.is_dir():
        raise StateFailedError(f"source: there is no folder {source}")
    try:
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    except (OSError, shutil.Error) as error:
        raise StateFailedError(f"source: {source} cannot be copied: {error}") from None


def _digest(folder: Path) -> str:
    if not folder.is_dir():
        raise StateFailedError(f"source: there is no folder {folder}")
    digest = hashlib.sha256()
    try:
        for path in _files(folder):
            name = str(path.relative_to(folder)).encode("utf-8", "surrogateescape")
            digest.update(b"%d:%s:%d:" % (len(name), name, path.stat().st_size))
            with path.open("rb") as file:
                while chunk := file.read(_CHUNK_BYTES):
                    digest.update(chunk)
    except OSError as error:
        raise StateFailedError(f"source: {folder} cannot be read: {error}") from None
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in _LEFT_OUT:
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path
