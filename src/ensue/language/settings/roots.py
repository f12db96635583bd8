"""Finds SLS files: from names to files and back.

`a.b` is `a/b.sls` or `a/b/init.sls` below one of the roots of an environment.
"""

from __future__ import annotations

import fnmatch
import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ensue.core.files.regular_files import is_folder, is_regular, obstacle
from ensue.core.files.trees import files_below

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class SlsFile(msgspec.Struct, frozen=True):
    """One SLS file.

    Args:
        name: its SLS name (`openvpn.init` is `openvpn`).
        path: the file.
        relative: the path below its root, with forward slashes.
        saltenv: the environment it was found in.
    """

    name: str
    path: Path
    relative: str
    saltenv: str = "base"


class Roots:
    """The file roots of a project, by environment.

    Args:
        roots: environment name to folders, in order of search.
        project: the project's root, which paths in messages are relative to.
    """

    def __init__(self, roots: Mapping[str, Sequence[Path]], project: Path) -> None:
        self._roots = {environment: tuple(folders) for environment, folders in roots.items()}
        self._project = project
        self._listed: dict[str, list[str]] = {}

    @property
    def environments(self) -> tuple[str, ...]:
        """The names of all environments."""
        return tuple(self._roots)

    def folders(self, saltenv: str = "base") -> tuple[Path, ...]:
        """Return the folders of an environment; none when it is unknown."""
        return self._roots.get(saltenv, ())

    def shown(self, path: str | Path) -> str:
        """Return a path as messages show it: relative to the project if it is inside."""
        try:
            return Path(path).relative_to(self._project).as_posix()
        except ValueError:
            return str(path)

    def find(self, name: str, saltenv: str = "base") -> SlsFile | None:
        """Return the file of an SLS name; None if there is none.

        If something else is there, such as a FIFO or a folder, it is returned; reading it reports the error.
        """
        below = name.replace(".", "/").strip("/")
        if not below or ".." in name:
            return None
        sls_files = [
            SlsFile(name, folder / relative, relative, saltenv)
            for folder in self.folders(saltenv)
            for relative in (f"{below}.sls", f"{below}/init.sls")
        ]
        files = (file for file in sls_files if is_regular(file.path))
        return next(files, None) or next((file for file in sls_files if obstacle(file.path)), None)

    def find_path(self, path: Path, saltenv: str = "base") -> SlsFile | None:
        """Return an SLS by its path; None if nothing is there.

        An SLS outside every root is named after its file. Anything but a file is returned as by `find`.
        """
        if not is_regular(path) and not obstacle(path):
            return None
        for folder in self.folders(saltenv):
            if path.is_relative_to(folder):
                relative = path.relative_to(folder).as_posix()
                return SlsFile(sls_name(relative), path, relative, saltenv)
        return SlsFile(path.stem, path, path.name, saltenv)

    def find_file(self, relative: str, saltenv: str = "base") -> Path | None:
        """Return the file that `salt://relative` names; None if there is none."""
        path = self.path_of(relative, saltenv)
        return None if path is None else Path(path)

    def path_of(self, relative: str, saltenv: str = "base") -> str | None:
        """Return the path of the file that `salt://relative` names; None if there is none."""
        return next(filter(is_regular, self._places(relative, saltenv)), None)

    def find_folders(self, relative: str, saltenv: str = "base") -> list[tuple[Path, Path]]:
        """Return the folders that `salt://relative` names, each after the root that it is in."""
        folders = zip(self.folders(saltenv), map(Path, self._places(relative, saltenv)), strict=False)
        return [(root, folder) for root, folder in folders if is_folder(folder)]

    def obstacle(self, relative: str, saltenv: str = "base") -> str:
        """Return what is there instead of the file that `salt://relative` names; empty if nothing is."""
        obstructions = (obstacle(Path(place)) for place in self._places(relative, saltenv))
        return next((obstruction for obstruction in obstructions if obstruction), "")

    def names(self, saltenv: str = "base") -> list[str]:
        """Return every SLS name of an environment, sorted; the folders are listed only once."""
        if saltenv not in self._listed:
            self._listed[saltenv] = sorted(
                {
                    sls_name(relative)
                    for folder in self.folders(saltenv)
                    for relative, _ in files_below(folder)
                    if relative.endswith(".sls")
                }
            )
        return self._listed[saltenv]

    def named_by_path(self, word: str, saltenv: str = "base") -> str:
        """Return the SLS that a word means as a path; empty if none has it.

        Args:
            word: the word in place of a name: `web/`, `./web.sls`, `web/init.sls`, `states/web`.
            saltenv: the environment.
        """
        path = posixpath.normpath(word)
        below = [path, *(path.removeprefix(f"{self.shown(folder)}/") for folder in self.folders(saltenv))]
        names = (sls_name(relative) for relative in below)
        return next((name for name in names if name in self.names(saltenv)), "")

    def is_folder(self, word: str, saltenv: str = "base") -> bool:
        """Return whether a word is the path of a file root, or of the project, instead of an SLS.

        Args:
            word: the word in place of a name: `.`, `./states`, `/srv/project/states/`.
            saltenv: the environment.
        """
        path = posixpath.normpath(word)
        folders = (*self.folders(saltenv), self._project)
        return path in {name for folder in folders for name in (self.shown(folder), str(folder))}

    def matching(self, pattern: str, saltenv: str = "base") -> list[str]:
        """Return the SLS names that a name or glob means; the name itself if nothing matches."""
        if not any(sign in pattern for sign in "*?["):
            return [pattern]
        return fnmatch.filter(self.names(saltenv), pattern) or [pattern]

    def _places(self, relative: str, saltenv: str) -> list[str]:
        """Return the path that `salt://relative` means below each root; none if dots lead out of the roots.

        A link may lead out of a root: anyone who can create one there can also write the SLS.
        """
        cleaned = posixpath.normpath(relative.lstrip("/"))
        if cleaned.split("/", 1)[0] == "..":
            return []
        return [os.path.join(folder, cleaned) for folder in self.folders(saltenv)]  # noqa: PTH118 (texts)


def sls_name(relative: str) -> str:
    """Return the SLS name of a path below a root: `a/b/init.sls` is `a.b`."""
    stem = relative.removesuffix(".sls")
    return stem.removesuffix("/init").replace("/", ".")
