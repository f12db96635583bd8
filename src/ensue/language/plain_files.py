"""Files in which nothing is to be rendered: they say the same to every target, and are read once for all.

Pillar is compiled for each resource; its top file is most often such a file. What holds a sign of a template,
or names its renderers, is rendered for each target anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.language.renderers.stage import Stream
    from ensue.language.roots import SlsFile

    Stamp: TypeAlias = tuple[int, int, int]

_SIGNS: Final = (b"{{", b"{%", b"{#", b"#!")
_PLAIN_PIPES: Final = frozenset({"jinja|yaml", "yaml"})


class PlainFiles:
    """What plain files came to, for one kind of file roots.

    Args:
        pipe: the renderers of a file that names none.
        jinja_is_usual: whether templates have Jinja's usual signs.
    """

    def __init__(self, pipe: str, *, jinja_is_usual: bool) -> None:
        self._may_be_plain = pipe in _PLAIN_PIPES and jinja_is_usual
        self._known: dict[tuple[Path, str], tuple[Stamp, Stream]] = {}

    def rendered(self, file: SlsFile, render: Callable[[], Stream]) -> Stream:
        """Return a rendering, which nobody may change: of a plain file that is as it was the same one.

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
        """Say whether a file, once rendered, says the same to every target."""
        return (file.path, file.saltenv) in self._known


def _stamp(path: Path) -> Stamp | None:
    """Return what tells a file from what it was, None when it cannot be seen."""
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
