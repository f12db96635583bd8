"""Reading sources: `salt://` below the file roots, `http(s)://`, `file://` and paths of this machine."""

from __future__ import annotations

import asyncio
import hashlib
import os
import posixpath
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ensue.core.contracts.deadlines import HTTP_SILENCE_S, HTTP_TOTAL_S
from ensue.core.errors import MissingOnTargetError, StateFailedError
from ensue.core.files.local_content import CHUNK_BYTES, SHORT_BYTES, DownloadedContent, LocalDigests
from ensue.core.files.regular_files import is_regular, obstacle
from ensue.core.files.trees import files_below, links_below

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ensue.core.contracts.content import SourceContent
    from ensue.language.settings.roots import Roots
    from ensue.reach.processes.http_exchange import HttpExchange


_T = TypeVar("_T")


class FilesByEnvironment:
    """The readers of a project's sources, by the environment of sources that name none.

    Args:
        roots: the file roots.
        downloads: see `ProjectFiles`.
        http_total_s: see `ProjectFiles`.
    """

    def __init__(self, roots: Roots, *, downloads: Path, http_total_s: float) -> None:
        self._roots = roots
        self._downloads = downloads
        self._http_total_s = http_total_s
        self._digests = LocalDigests()
        self._made: dict[str, ProjectFiles] = {}

    def of(self, saltenv: str) -> ProjectFiles:
        """Return the reader for an environment."""
        if saltenv not in self._made:
            self._made[saltenv] = ProjectFiles(
                self._roots,
                saltenv,
                digests=self._digests,
                downloads=self._downloads,
                http_total_s=self._http_total_s,
            )
        return self._made[saltenv]


class ProjectFiles:
    """Reads the sources that a project's states name.

    Args:
        roots: the file roots.
        saltenv: the default environment of sources.
        digests: the digests of long files, shared by all readers of a project.
        downloads: a folder on disk for downloads that are too long for memory; None: the system's.
        http_total_s: how long a download may take.
    """

    def __init__(
        self,
        roots: Roots,
        saltenv: str = "base",
        *,
        digests: LocalDigests | None = None,
        downloads: Path | None = None,
        http_total_s: float = HTTP_TOTAL_S,
    ) -> None:
        self._roots = roots
        self._digests = digests or LocalDigests()
        self._downloads = downloads
        self._http_total_s = http_total_s
        self._saltenv = saltenv

    async def read(self, source: str, *, saltenv: str = "") -> bytes:
        """Return the content of a source.

        Raises:
            StateFailedError: it does not exist, or cannot be read.
        """
        if source.startswith(("http://", "https://")):
            return await self._exchanged(source, partial(_download, source=source))
        path = self.local_path(source, saltenv=saltenv)
        if path is None:
            raise self._missing(source, saltenv)
        try:
            is_short = path.stat().st_size <= SHORT_BYTES
            return path.read_bytes() if is_short else await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            raise StateFailedError(f"the source {source} cannot be read: {error.strerror}") from None

    async def open(self, source: str, *, saltenv: str = "") -> SourceContent:
        """Return the content of a source, in chunks if it is long; targets share the digest of a file.

        Raises:
            StateFailedError: it does not exist, or cannot be read.
        """
        if source.startswith(("http://", "https://")):
            download = partial(_download_long, source=source, folder=self._downloads)
            return await self._exchanged(source, download)
        path = self._path_of(source, saltenv)
        if path is None:
            raise self._missing(source, saltenv)
        try:
            return await self._digests.content(path)
        except OSError as error:
            raise StateFailedError(f"the source {source} cannot be read: {error.strerror}") from None

    async def _exchanged(self, source: str, work: Callable[[HttpExchange], _T]) -> _T:
        from ensue.reach.processes.http_exchange import exchanged

        try:
            return await exchanged(work, total_s=self._http_total_s)
        except TimeoutError as error:
            raise StateFailedError(f"the source {source} cannot be fetched: {error}") from None

    def local_path(self, source: str, *, saltenv: str = "") -> Path | None:
        """Return the file of this machine that a source names; None if there is none."""
        path = self._path_of(source, saltenv)
        return None if path is None else Path(path)

    def list_tree(self, source: str, *, saltenv: str = "") -> list[str]:
        """Return the relative paths of all files below a `salt://` folder; see the contract."""

        def fail(error: OSError) -> None:
            msg = f"the folder {self._roots.shown(error.filename)} cannot be listed: {error.strerror}"
            raise StateFailedError(msg)

        folders = self._roots.find_folders(*self._split(source, saltenv))
        return sorted(
            {relative for _, folder in folders for relative, _ in files_below(folder, on_error=fail)}
        )

    def list_links(self, source: str, *, saltenv: str = "") -> dict[str, str]:
        """Return what the links below a `salt://` folder say, by relative path; see the contract."""
        links: dict[str, str] = {}
        for root, folder in reversed(self._roots.find_folders(*self._split(source, saltenv))):
            links |= links_below(folder, root)
        return dict(sorted(links.items()))

    def _path_of(self, source: str, saltenv: str) -> str | None:
        if source.startswith("salt://"):
            return self._roots.path_of(*self._split(source, saltenv))
        path = source.removeprefix("file://")
        return path if path.startswith("/") and is_regular(path) else None

    def _missing(self, source: str, saltenv: str) -> StateFailedError:
        """Return the error for a source that is no file; a state may make one that is a path here."""
        from ensue.language.near_files import near_files

        if not source.startswith("salt://"):
            path = source.removeprefix("file://")
            obstruction = obstacle(Path(path))
            message = f"the source {source} is {obstruction or 'not there'}{self._in_roots(source, saltenv)}"
            return (
                MissingOnTargetError(message, missing=path)
                if path.startswith("/")
                else StateFailedError(message)
            )
        relative, saltenv = self._split(source, saltenv)
        obstruction = self._roots.obstacle(relative, saltenv)
        problem = f"is {obstruction}" if obstruction else "was not found"
        folders = self._roots.folders(saltenv)
        searched = ", ".join(map(self._roots.shown, folders)) or "no file roots"
        near = near_files(folders, relative)
        meant = f"; did you mean {' or '.join(f'salt://{path}' for path in near)}?" if near else ""
        return StateFailedError(f"the source {source} {problem} (searched below {searched}{meant})")

    def _in_roots(self, source: str, saltenv: str) -> str:
        """Return how to write a relative path, which a source cannot be; empty for any other source."""
        from ensue.language.near_files import near_files

        if source.startswith(("/", "~")) or "://" in source:
            return ""
        relative = posixpath.normpath(source)
        path = f"salt://{relative}"
        if self._roots.path_of(relative, saltenv or self._saltenv) is None:
            near = near_files(self._roots.folders(saltenv or self._saltenv), relative)
            path = f"salt://{near[0]}" if near else path
        return f" (a file below the file roots is {path})"

    def _split(self, source: str, saltenv: str) -> tuple[str, str]:
        """Return a source's path below the roots, and its environment."""
        relative, mark, query = source.removeprefix("salt://").partition("?")
        if not mark:
            return relative, saltenv or self._saltenv
        from urllib.parse import parse_qs

        return relative, parse_qs(query).get("saltenv", [saltenv or self._saltenv])[0]


def _download(exchange: HttpExchange, *, source: str) -> bytes:
    with _answer(exchange, source) as answer:
        content: bytes = answer.read()
        return content


def _download_long(exchange: HttpExchange, *, source: str, folder: Path | None) -> SourceContent:
    """Fetch a source; a long one goes to an unnamed temporary file."""
    import tempfile

    with _answer(exchange, source) as answer:
        start: bytes = answer.read(SHORT_BYTES + 1)
        if len(start) <= SHORT_BYTES:
            _need_the_end(answer, source)
            return start
        digest = hashlib.sha256(start)
        with tempfile.TemporaryFile(dir=folder if folder and folder.is_dir() else None) as file:
            file.write(start)
            while chunk := answer.read(CHUNK_BYTES):
                digest.update(chunk)
                file.write(chunk)
            _need_the_end(answer, source)
            file.flush()
            return DownloadedContent(os.dup(file.fileno()), digest.hexdigest())


def _need_the_end(answer: Any, source: str) -> None:
    """Refuse an answer that is shorter than announced; the library does not report it for partial reads.

    Raises:
        StateFailedError: it is shorter.
    """
    if answer.length:
        raise StateFailedError(f"the source {source} ended {answer.length} bytes early")


@contextmanager
def _answer(exchange: HttpExchange, source: str) -> Generator[Any]:
    """Yield the HTTP response for a source.

    Raises:
        StateFailedError: it is not a URL, or cannot be fetched.
    """
    import urllib.parse

    if urllib.parse.urlsplit(source).scheme not in ("http", "https"):
        raise StateFailedError(f"the source {source} is neither http nor https")
    try:
        with exchange.open(source, silence_s=HTTP_SILENCE_S) as answer:
            yield answer
    except OSError as error:
        msg = f"the source {source} cannot be fetched: {getattr(error, 'reason', error)}"
        raise StateFailedError(msg) from None
