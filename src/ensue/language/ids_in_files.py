"""The states that SLS files of a project declare by an ID, found in their text, only for better messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_ID: Final = (
    r"^(?P<quote>['\"]?){}(?P=quote):[ \t]*(?:\n[ \t]*(?:-[ \t]+)?|\{{[ \t]*)?(?P<module>[a-z][\w.]*)\.\w+"
)
_MOST_FILES: Final = 1000
_LONGEST_BYTES: Final = 1 << 18
"""How many SLS are searched for a state, and how long each may be."""


class DeclaringFile(NamedTuple):
    """An SLS file that declares a state.

    Args:
        path: the file.
        module: the state module.
    """

    path: Path
    module: str


def module_in(text: str, id_: str) -> str:
    """Return the module of the state that an SLS declares by an ID; empty if it declares none."""
    match = re.search(_ID.format(re.escape(id_)), text, re.MULTILINE)
    return match["module"] if match else ""


def declaring_files(id_: str, folders: Iterable[Path]) -> Iterator[DeclaringFile]:
    """Yield the SLS files that declare a state by an ID.

    Args:
        id_: the ID.
        folders: the folders of the SLS.
    """
    count = 0
    for folder in folders:
        for path in sorted(folder.rglob("*.sls")):
            count += 1
            if count > _MOST_FILES:
                return
            if path.is_file() and path.stat().st_size <= _LONGEST_BYTES:
                text = path.read_text(encoding="utf-8", errors="replace")
                if module := module_in(text, id_):
                    yield DeclaringFile(path, module)
