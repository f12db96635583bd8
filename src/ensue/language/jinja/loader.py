"""Finds templates in the file roots: `map.jinja`, `./part.sls`, `salt://a/b.jinja`."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from jinja2 import BaseLoader, TemplateNotFound

from ensue.core.files.regular_files import is_regular, obstacle
from ensue.language.yaml.input_files import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from jinja2 import Environment

SALT_URL = "salt://"


class MissingTemplateError(TemplateNotFound):
    """No file root has a template.

    Args:
        template: the template as it is named.
        message: why there is none.
        relative: its path below the file roots.
        roots: the file roots.
    """

    def __init__(self, template: str, message: str, relative: str, roots: Sequence[Path]) -> None:
        super().__init__(template, message)
        self._relative = relative
        self._roots = roots

    @property
    def near(self) -> list[str]:
        """The templates that may have been meant; searched for only where it is read."""
        from ensue.language.near_files import near_files

        return near_files(self._roots, self._relative)


class RootsLoader(BaseLoader):
    """Reads templates from a list of folders; the first folder that has a template wins.

    Args:
        roots: folders of this environment, in order.
        prepare: applied to every text before Jinja sees it (the scan for delayed blocks).
        shorten: makes an absolute path relative to the project, for messages.
    """

    def __init__(
        self, roots: Sequence[Path], prepare: Callable[[str, str], str], shorten: Callable[[str], str]
    ) -> None:
        self._roots = tuple(roots)
        self._shorten = shorten
        self._prepare = prepare

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Return the text, the file name, and a function that tells whether the text is still current."""
        del environment
        name = posixpath.normpath(template_name(template))
        if name.startswith("../"):
            raise TemplateNotFound(template, f"{name} leads out of the file roots")
        for root in self._roots:
            path = root / name
            if not is_regular(path):
                continue
            stat = path.stat()
            text = read_text(path, self._shorten(str(path)))

            def unchanged(
                path: Path = path, seen: tuple[int, int] = (stat.st_mtime_ns, stat.st_size)
            ) -> bool:
                try:
                    now = path.stat()
                except OSError:
                    return False
                return (now.st_mtime_ns, now.st_size) == seen

            return self._prepare(text, str(path)), str(path), unchanged
        raise MissingTemplateError(template, self._missing(name), name, self._roots)

    def _missing(self, name: str) -> str:
        """Return why there is no template."""
        for root in self._roots:
            if obstruction := obstacle(root / name):
                return f"{self._shorten(str(root / name))} is {obstruction}"
        searched = ", ".join(self._shorten(str(root)) for root in self._roots) or "no file roots"
        return f"template {name!r} was not found (searched: {searched})"


def template_name(template: str) -> str:
    """Return a template's name without `salt://`."""
    return template.removeprefix(SALT_URL).lstrip("/")


def template_places(name: str) -> dict[str, str]:
    """Return the location variables of a template of the roots."""
    folder = posixpath.dirname(name)
    return {"tplfile": name, "tpldir": folder or ".", "tpldot": folder.replace("/", ".")}


def relative_name(template: str, parent: str) -> str:
    """Return the name of a template that another template names; `./x` and `../x` start at the latter."""
    if template.startswith(("./", "../")):
        return posixpath.normpath(posixpath.join(posixpath.dirname(parent), template))
    return template
