"""Finds pillar keys of the command line that no file of the project mentions: nothing can read them by name.

Usually they are misspelt. Nothing is reported of a key that is configuration of a module, which reads it for
itself, or of a project with more files than are looked at. Salt says nothing about such keys.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_FILES: Final = 5000
_LARGEST_BYTES: Final = 1 << 20
_MOST_NAMED: Final = 5
_OF_MODULES: Final = frozenset({"docker-registries", "master", "mine_functions", "venv_bin"})
"""Keys that modules read for themselves, beside those with a dot in them."""
_READ: Final = re.compile(rb"""(?:pillar|params)(?:\.get)?(?:['"]\])?[(\[.]\s*['"]?([A-Za-z_][\w-]*)""")


def unmentioned_pillar(
    given: Iterable[object], own: Iterable[str], files: Iterable[Path], folders: Iterable[Path]
) -> Iterator[Diagnostic]:
    """Yield a warning for each key that no file mentions; this blocks.

    Args:
        given: the top keys of the pillar of the command line; those that are no texts do not count.
        own: the keys that ensue itself reads.
        files: files outside the folders.
        folders: the file roots and pillar roots.
    """
    left = {key for key in given if isinstance(key, str) and "." not in key} - {*own, *_OF_MODULES}
    if not left:
        return
    known: set[str] = set()
    for number, path in enumerate(chain(files, _below(folders))):
        content = _content(path)
        if number == _MOST_FILES or content is None:
            return
        left = {key for key in left if key.encode("utf-8", "backslashreplace") not in content}
        if not left:
            return
        known.update(name.decode() for name in _READ.findall(content))
    for key in sorted(left)[:_MOST_NAMED]:
        yield Diagnostic(
            code="E0895",
            summary=f"the command line gives the pillar key {key!r}, which no file of the project mentions",
            help=near_names(key, known) or "correct the key, or leave it out",
            severity=Severity.WARNING,
        )


def _below(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        for path, names, files in os.walk(folder):
            names[:] = [name for name in names if not name.startswith(".")]
            yield from (Path(path, name) for name in files)


def _content(path: Path) -> bytes | None:
    """Return what a file holds; empty if it cannot be read, None if it is too large."""
    try:
        if not path.is_file():
            return b""
        return path.read_bytes() if path.stat().st_size <= _LARGEST_BYTES else None
    except OSError:
        return b""
