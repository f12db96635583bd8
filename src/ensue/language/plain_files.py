"""Files without templates: they are the same for every target, and are read once for all of them.

Pillar is compiled for each resource, and its top file is usually such a file. A file with template syntax,
or one that names its renderers, is rendered again for each target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import SlsFile

    Stamp: TypeAlias = tuple[int, int, int]

_SIGNS: Final = (b"{{", b"{%", b"{#", b"#!")
_PLAIN_PIPES: Final = frozenset({"jinja|yaml", "yaml"})


class PlainFiles:
    """The data of plain files, for one kind of file roots.

    Args:
        pipe: the renderers of a file that names none.
        jinja_is_usual: whether templates use Jinja's default delimiters.
    """

    def __init__(self, pipe: str, *, jinja_is_usual: bool) -> None:
        self._may_be_plain = pipe in _PLAIN_PIPES and jinja_is_usual
        self._known: dict[tuple[Path, str], tuple[Stamp, Stream]] = {}

    def rendered(self, file: SlsFile, render: Callable[[], Stream]) -> Stream:
        """Return a rendering, which must not be changed; an unchanged plain file gives the same object.

        Args:
            file: the file.
            render: renders it.

        Raises:
            CompileError: as `render` does.
        """
        if not self._may_be_plain:
            return render()
        key = (file.path, file.saltenv)
        stamp = _stamp(file.path)
        known = self._known.get(key)
        if known is not None and known[0] == stamp:
            return known[1]
        stream = render()
        if stamp is not None and _is_plain(file.path):
            self._known[key] = (stamp, stream)
        return stream

    def holds(self, file: SlsFile) -> bool:
        """Return whether a rendered file is the same for every target."""
        return (file.path, file.saltenv) in self._known


def _stamp(path: Path) -> Stamp | None:
    """Return a stamp that differs once a file has changed; None if the file cannot be read."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _is_plain(path: Path) -> bool:
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return not any(sign in content for sign in _SIGNS)
