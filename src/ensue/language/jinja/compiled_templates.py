"""Stores compiled templates below the cachedir, so that the next process compiles only changed ones.

Compiling a template takes far longer than rendering it. A template's code is stored under a digest of all its
inputs: the text, its place, the options of its environment, and the versions of ensue, Jinja and Python. A
template that contains a secret is not stored, nor is one that is not a file of the project. What is a secret
is known only after the SLS is compiled and its states have run, so the code is written when the project is
closed.

Code is loaded only from a folder and files that belong to the user of this process and that no other user can
write. Unreadable or damaged code is compiled again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import re
import stat
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from ensue.core.files.private_files import make_private_directory, open_private_file, remove_left
from ensue.core.model.secret_values import secret_text
from ensue.language.marks import LEAD
from ensue.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType

_MOST_FILES: Final = 4000
_KEPT_WHEN_FULL: Final = 3000
_LEFT_FREE_BYTES: Final = 64 << 20
_DIGEST_BYTES: Final = 32
_PRINTED: Final = re.compile(r"\{\{.*?\}\}")
_LEAD_BYTES: Final = LEAD.encode()


class CompiledTemplates:
    """The folder that stores the code of templates.

    Args:
        folder: the folder; made on first use if its parent exists.
        without_secrets: removes secrets from a text; a template whose text it changes is not stored.
    """

    def __init__(self, folder: Path, without_secrets: Callable[[str], str]) -> None:
        self._folder = folder
        self._without_secrets = without_secrets
        self._count: int | None = None
        self._is_ours: bool | None = None
        self._may_write: bool | None = None
        self._waiting: dict[str, tuple[CodeType, str]] = {}
        self._literals: set[str] = set()

    def load(self, key: str) -> CodeType | None:
        """Return the code stored under a key; None if there is none."""
        if self._is_ours is None:
            self._is_ours = _is_private(self._folder)
        content = _read(self._folder / key) if self._is_ours else None
        if content is None:
            return None
        digest, lead = content[:_DIGEST_BYTES], content[_DIGEST_BYTES : _DIGEST_BYTES + len(_LEAD_BYTES)]
        if hashlib.sha256(content[_DIGEST_BYTES:]).digest() != digest:
            return None
        # The marks of the process that compiled it are replaced by this one's, which have the same length.
        code: CodeType = marshal.loads(  # noqa: S302 (nobody else could have written it)
            content[_DIGEST_BYTES + len(lead) :].replace(lead, _LEAD_BYTES)
        )
        return code

    def keep(self, key: str, code: CodeType, source: str) -> None:
        """Have `write` store the code of a template."""
        self._waiting[key] = (code, source)

    def exclude(self, literals: Iterable[str]) -> None:
        """Store no template whose text contains one of these texts, however short."""
        self._literals.update(filter(None, literals))

    def forget(self) -> None:
        """Store nothing of what waits: after an error, it is not known which of its texts are secrets."""
        self._waiting.clear()

    def write(self) -> None:
        """Store the code of the templates whose text contains no secret; a full disk is not an error."""
        waiting, self._waiting = self._waiting, {}
        for key, (code, source) in waiting.items():
            if not self._holds_secret(source):
                self._store(key, code)

    def _holds_secret(self, source: str) -> bool:
        return (
            any(literal in source for literal in self._literals)
            or self._without_secrets(source) != source
            or any(map(_names_secret, source.splitlines()))
        )

    def _store(self, key: str, code: CodeType) -> None:
        content = _LEAD_BYTES + marshal.dumps(code)
        try:
            self._write(self._folder / key, hashlib.sha256(content).digest() + content)
        except OSError:
            return

    def _write(self, path: Path, content: bytes) -> None:
        if not self._has_room():
            return
        make_private_directory(self._folder)
        self._is_ours = _is_private(self._folder)
        if not self._is_ours:
            return
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
        try:
            with os.fdopen(open_private_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(content)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        self._make_room()

    def _has_room(self) -> bool:
        """Return whether the cachedir exists and its disk has ample room: the journal needs the rest."""
        if self._may_write is None:
            try:
                disk = os.statvfs(self._folder.parent)
            except OSError:
                return False
            self._may_write = disk.f_bavail * disk.f_frsize >= _LEFT_FREE_BYTES
        return self._may_write

    def _make_room(self) -> None:
        """Remove the oldest files if there are too many."""
        if self._count is None:
            remove_left(self._folder)
            self._count = sum(1 for _ in self._folder.iterdir())
        else:
            self._count += 1
        if self._count > _MOST_FILES:
            paths = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
            for path in paths[: len(paths) - _KEPT_WHEN_FULL]:
                path.unlink(missing_ok=True)
            self._count = _KEPT_WHEN_FULL


class TemplateCode(BytecodeCache):
    """The stored code of one environment's templates, as Jinja's bytecode cache.

    Args:
        kept: the store.
        options: the options of the environment, as text.
    """

    def __init__(self, kept: CompiledTemplates, options: str) -> None:
        self._kept = kept
        self._options = options

    def get_bucket(self, environment: Any, name: str, filename: str | None, source: str) -> Bucket:
        """Return the stored code of a template."""
        parts = (_versions(), self._options, name, filename or "", source)
        key = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        bucket = _SourceBucket(environment, key, source)
        bucket.code = self._kept.load(key)
        if bucket.code is not None and filename:
            environment.know_file(filename)
        return bucket

    def set_bucket(self, bucket: Bucket) -> None:
        """Store the code that Jinja has compiled."""
        if bucket.code is not None:
            self._kept.keep(bucket.key, bucket.code, bucket.checksum)


class _SourceBucket(Bucket):
    """A Jinja bucket whose checksum is the template's text."""


@cache
def _versions() -> str:
    """Return the versions of the programs that make a template's code; for ensue's own, its files count."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    stamps = [(path.name, status.st_mtime_ns, status.st_size) for path in files for status in [path.stat()]]
    return f"{__version__} {jinja2.__version__} {importlib.util.MAGIC_NUMBER!r} {stamps}"


def _names_secret(line: str) -> bool:
    value = secret_text(line.strip().removeprefix("- "))
    return value is not None and bool(_PRINTED.sub("", value).strip("\"' "))


def _is_private(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _belongs_to_us_alone(status)


def _belongs_to_us_alone(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read(path: Path) -> bytes | None:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
            return file.read() if _belongs_to_us_alone(os.fstat(file.fileno())) else None
    except OSError:
        return None
