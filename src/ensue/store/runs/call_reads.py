"""Record what a call of a state function reads besides its arguments: files, pillar, and grains in templates.

Each item has a name (`file base salt://a.j2`, `pillar minion:web-01 port`) and a digest of its content.
The journal records the names but not the digests: see `call_inputs`.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.content import sha256_of
from ensue.core.errors import StateFailedError
from ensue.core.files.local_content import SHORT_BYTES
from ensue.core.model.call_fingerprint import encoded
from ensue.store.runs.read_mapping import ReadMapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.content import SourceContent
    from ensue.core.contracts.context import FileSources
    from ensue.core.model.srn import Srn

ABSENT: Final = b""
"""The digest of an item that does not exist."""

WHOLE: Final = ""
"""The key that is noted when a whole mapping was read."""

_OF_THE_CALLER: Final = frozenset({"path", "shell", "systempath"})
"""Grains that describe the caller, not the machine: resuming from another shell changes them."""


class Name(msgspec.Struct, frozen=True):
    """The name of an item that a call has read.

    Args:
        kind: `file`, `marks` (size and time of change of a long file), `tree` (the names below a folder),
            `template`, `pillar`, `grains` or `arguments`.
        where: the environment of a source, or the SRN that the pillar or grains belong to.
        what: the source, the template's path, the top-level key.
    """

    kind: str
    where: str = ""
    what: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, self.where, self.what)))

    @classmethod
    def parse(cls, text: str) -> Name:
        """Read a name that was written as text."""
        return cls(*text.split(" ", 2))


class CallReads:
    """Everything that one call has read."""

    def __init__(self) -> None:
        self._digests: dict[str, bytes] = {}
        self._mappings: dict[tuple[str, str, bool], tuple[ReadMapping, Mapping[str, Any]]] = {}

    def note(self, name: Name, digest: bytes) -> None:
        """Record that an item was read."""
        self._digests[str(name)] = digest

    def knows(self, name: Name) -> bool:
        """Return whether an item was recorded as read and existed."""
        return self._digests.get(str(name), ABSENT) != ABSENT

    def note_templates(self, paths: Iterable[str]) -> None:
        """Record the templates that a rendering has included."""
        for path in paths:
            self.note(Name("template", "-", path), file_digest(path))

    def noting(self, files: FileSources, saltenv: str) -> FileSources:
        """Return a reader of sources that records what is read.

        Args:
            files: what reads.
            saltenv: the environment of sources that name none.
        """
        return NotingFiles(files, saltenv, self)

    def seen(
        self, kind: str, srn: Srn, original: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None
    ) -> ReadMapping:
        """Return a pillar or grains in the form that the call sees; keys that it reads are recorded.

        Args:
            kind: `pillar` or `grains`.
            srn: the resource that they belong to.
            original: the values that are compared when the run is resumed.
            shown: the values in the form that the call sees, where that differs.
        """
        key = (kind, str(srn), shown is not None)
        if key not in self._mappings:
            content = original if shown is None else shown
            mapping = ReadMapping(content if isinstance(content, dict) else dict(content))
            self._mappings[key] = mapping, original
        return self._mappings[key][0]

    def digests(self) -> dict[str, bytes]:
        """Return a digest of everything that was read, by its name as text."""
        digests_ = dict(self._digests)
        for (kind, srn, _), (mapping, original) in self._mappings.items():
            keys = [key for key in mapping.keys_read if kind != "grains" or key not in _OF_THE_CALLER]
            if mapping.is_read_whole:
                keys.append(WHOLE)
            digests_.update({str(Name(kind, srn, key)): key_digest(original, key) for key in keys})
        return digests_


class NotingFiles:
    """A `FileSources` that records what is read.

    Args:
        files: what reads.
        saltenv: the environment of sources that name none.
        reads: where reads are recorded.
    """

    def __init__(self, files: FileSources, saltenv: str, reads: CallReads) -> None:
        self._files = files
        self._saltenv = saltenv
        self._reads = reads

    async def read(self, source: str, *, saltenv: str = "") -> bytes:
        """Return the content of a source; see the contract."""
        name = self._name("file", source, saltenv)
        try:
            content = await self._files.read(source, saltenv=saltenv)
        except StateFailedError:
            self._note(name, ABSENT)
            raise
        self._note(name, await _digest_of_any(content))
        return content

    async def open(self, source: str, *, saltenv: str = "") -> SourceContent:
        """Return the content of a source, long content in chunks; see the contract."""
        name = self._name("file", source, saltenv)
        try:
            content = await self._files.open(source, saltenv=saltenv)
        except StateFailedError:
            self._note(name, ABSENT)
            raise
        self._note(name, bytes.fromhex(sha256_of(content)))
        return content

    def local_path(self, source: str, *, saltenv: str = "") -> Path | None:
        """Return the file of this machine that a source names; see the contract."""
        path = self._files.local_path(source, saltenv=saltenv)
        name = self._name("file", source, saltenv)
        if path is None:
            self._note(name, ABSENT)
        elif not self._reads.knows(name):
            if is_long(path):
                # Only the path is needed here, and hashing a long file would block the event loop.
                self._note(self._name("marks", source, saltenv), marks_digest(path))
            else:
                self._note(name, file_digest(path))
        return path

    def list_tree(self, source: str, *, saltenv: str = "") -> list[str]:
        """Return the relative paths of all files below a folder; see the contract."""
        names = self._files.list_tree(source, saltenv=saltenv)
        self._note(self._name("tree", source, saltenv), tree_digest(names))
        return names

    def list_links(self, source: str, *, saltenv: str = "") -> dict[str, str]:
        """Return what the links below a folder say, by relative path; see the contract."""
        links = self._files.list_links(source, saltenv=saltenv)
        self._note(self._name("links", source, saltenv), data_digest(links))
        return links

    def _name(self, kind: str, source: str, saltenv: str) -> Name:
        return Name(kind, saltenv or self._saltenv, source)

    def _note(self, name: Name, digest: bytes) -> None:
        # A URL is not fetched a second time only to compare its content.
        if not name.what.startswith(("http://", "https://")):
            self._reads.note(name, digest)


def file_digest(path: Path | str) -> bytes:
    """Return the digest of a file's content."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (a path or its text)
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return ABSENT


def is_long(path: Path | str) -> bool:
    """Return whether a file is too long to be hashed on the event loop; False for one that is not there."""
    try:
        return os.stat(path).st_size > SHORT_BYTES  # noqa: PTH116 (a path or its text)
    except OSError:
        return False


def marks_digest(path: Path | str | None) -> bytes:
    """Return a digest of the size and the time of change of a file."""
    try:
        status = os.stat(path or "")  # noqa: PTH116 (a path or its text)
    except OSError:
        return ABSENT
    return hashlib.sha256(b"%d %d" % (status.st_size, status.st_mtime_ns)).digest()


def tree_digest(names: Sequence[str]) -> bytes:
    """Return the digest of the names below a folder."""
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).digest()


def key_digest(values: Mapping[str, Any], key: str) -> bytes:
    """Return the digest of one value of a pillar or of grains, or of all when the key is `WHOLE`."""
    if key == WHOLE:
        names = sorted((name for name in values if name not in _OF_THE_CALLER), key=str)
        return data_digest({name: values[name] for name in names})
    return data_digest(values[key]) if key in values else ABSENT


def content_digest(content: bytes) -> bytes:
    """Return the digest of a file's content."""
    return hashlib.sha256(content).digest()


async def _digest_of_any(content: bytes) -> bytes:
    """Return the digest of content, of long content in a thread."""
    if len(content) <= SHORT_BYTES:
        return content_digest(content)
    return await asyncio.to_thread(content_digest, content)


def data_digest(data: Any) -> bytes:
    """Return the digest of data."""
    return hashlib.sha256(encoded(data)).digest()
