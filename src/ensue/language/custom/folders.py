"""The files of one kind of custom code, found by name and loaded when something in them is first requested.

A file is a candidate if it has the requested name, or if its text has that name in quotes and `__virtual__`.
So a file that takes another name is found, and nothing is imported without need.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ensue.core.errors import PluginError
from ensue.core.files.regular_files import is_folder, is_regular
from ensue.core.files.trees import files_below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.language.custom.loading import LoadedFile


class CustomFiles:
    """The files below one kind of folder.

    A file in a folder (`_states/cloud/instance.py`) has a dotted name; a folder with an `__init__.py` is a
    module itself. Of two files with the same name, the one in the first folder counts.

    Args:
        folders: `_modules` (or another kind) of every file root; those that do not exist are skipped.
        otherwise: makes the values of globals for what runs outside of a call.
    """

    def __init__(self, folders: Sequence[Path], otherwise: Callable[[], Mapping[str, Any]]) -> None:
        self._paths: dict[str, Path] = {}
        for folder in folders:
            if is_folder(folder):
                for name, path in _named_files(folder):
                    self._paths.setdefault(name, path)
        self._otherwise = otherwise
        self._loaded: dict[str, LoadedFile] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._being_loaded: set[tuple[int, str]] = set()
        self._texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        """Return whether there are any files."""
        return bool(self._paths)

    def names(self) -> list[str]:
        """Return the names of the files, according to their paths."""
        return list(self._paths)

    def texts(self) -> dict[str, str]:
        """Return the texts of all files, by their names according to their paths."""
        return {
            name: path.read_text(encoding="utf-8", errors="replace")
            for name, path in self._paths.items()
            if is_regular(path)
        }

    def is_loaded(self, name: str) -> bool:
        """Return whether all files that may have a name are loaded, so that a look-up does not block."""
        return all(candidate in self._loaded for candidate in self._candidates(name))

    def of(self, name: str) -> list[LoadedFile]:
        """Load the files that may have a name, and return those that have it or refuse to be used.

        Raises:
            PluginError: one does not load; names the file.
        """
        loaded_files: list[LoadedFile] = []
        for own_name in self._candidates(name):
            loaded = self._candidate(own_name, name)
            if loaded is not None and (
                name in loaded.names or (loaded.refusal and self._wants(loaded, name))
            ):
                loaded_files.append(loaded)
                if own_name == name and not loaded.refusal:
                    break
        return loaded_files

    def load(self, own_name: str) -> LoadedFile | None:
        """Return the file with a name according to its path; None while this thread is loading it.

        Raises:
            PluginError: it does not load; names the file.
        """
        if own_name in self._loaded:
            return self._loaded[own_name]
        from ensue.language.custom.loading import load_file

        key = (threading.get_ident(), own_name)
        if key in self._being_loaded:
            return None  # Its own `__virtual__` checks whether there is a function of this name.
        with self._locks.setdefault(own_name, threading.Lock()):
            if own_name not in self._loaded:
                self._being_loaded.add(key)
                try:
                    self._loaded[own_name] = load_file(self._paths[own_name], own_name, self._otherwise)
                finally:
                    self._being_loaded.discard(key)
        return self._loaded[own_name]

    def _candidate(self, own_name: str, name: str) -> LoadedFile | None:
        try:
            return self.load(own_name)
        except PluginError as error:
            if own_name == name:
                raise
            from ensue.language.custom.loading import LoadedFile

            # It may be the file of another module, which was not requested.
            self._loaded[own_name] = LoadedFile(
                self._paths[own_name], ModuleType(own_name), (), str(error.__cause__ or error)
            )
            return self._loaded[own_name]

    def _wants(self, refusing: LoadedFile, name: str) -> bool:
        virtual_name = getattr(refusing.module, "__virtualname__", None)
        return name == virtual_name or self._paths.get(name) == refusing.path

    def _candidates(self, name: str) -> list[str]:
        own = [name] if name in self._paths else []
        return own + [other for other in self._paths if other != name and self._may_be(other, name)]

    def _may_be(self, own_name: str, name: str) -> bool:
        text = self._text(own_name)
        return f'"{name}"' in text or f"'{name}'" in text

    def _text(self, own_name: str) -> str:
        """Return a file's text if the file may take another name."""
        if own_name not in self._texts:
            path = self._paths[own_name]
            text = path.read_text(encoding="utf-8", errors="replace") if is_regular(path) else ""
            self._texts[own_name] = text if "__virtual__" in text else ""
        return self._texts[own_name]


def _named_files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(path for _, path in files_below(folder) if path.suffix == ".py"):
        parts = path.relative_to(folder).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts:
            yield ".".join(parts), path
