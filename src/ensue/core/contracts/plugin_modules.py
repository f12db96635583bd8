"""Plug-ins that are a module with certain functions: found by name, imported when first used, checked.

A plug-in of the project takes precedence over one of ensue, and that over one of an installed distribution.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ensue.core.errors import NotAvailableError, PluginError
from ensue.core.files.regular_files import is_folder
from ensue.core.model.near_names import not_there

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.metadata import EntryPoint
    from pathlib import Path


class PluginKind(NamedTuple):
    """A kind of plug-in.

    Args:
        words: its name in messages (`environment provider`).
        group: the entry point group of installed distributions.
        shipped: ensue's own by name: the module of each.
        functions: the functions that each must have.
    """

    words: str
    group: str
    shipped: Mapping[str, str]
    functions: tuple[str, ...]


class PluginModules:
    """All plug-ins of one kind.

    Args:
        kind: the kind.
        folders: the folders of the project that hold a file for each, the first one wins; those that do not
            exist are skipped. `-` in a name is `_` in the name of its file.
    """

    def __init__(self, kind: PluginKind, folders: Sequence[Path] = ()) -> None:
        self._kind = kind
        self._project = {
            path.stem.replace("-", "_"): path
            for folder in reversed(folders)
            if is_folder(folder)
            for path in sorted(folder.glob("*.py"))
            if not path.name.startswith(("_", "."))
        }
        self._loaded: dict[str, Any] = {}

    def has(self, name: str) -> bool:
        """Return whether a plug-in of that name exists; nothing is imported."""
        return (
            name.replace("-", "_") in self._project or name in self._kind.shipped or name in self._installed
        )

    def is_shipped(self, name: str) -> bool:
        """Return whether a plug-in is ensue's own and the project does not replace it."""
        return name in self._kind.shipped and name.replace("-", "_") not in self._project

    def names(self) -> list[str]:
        """Return the names of all plug-ins, sorted."""
        return sorted({*self._project, *self._kind.shipped, *self._installed})

    def find(self, name: str) -> Any:
        """Return the module of a plug-in.

        Raises:
            NotAvailableError: there is no plug-in of this name.
            PluginError: it does not load, or lacks a function.
        """
        if name not in self._loaded:
            self._loaded[name] = self._checked(name)
        return self._loaded[name]

    def _checked(self, name: str) -> Any:
        kind, own = self._kind, self._project.get(name.replace("-", "_"))
        loaded: Any = None
        if own is not None:
            loaded = self._from_file(name, own)
        elif name in kind.shipped:
            loaded = importlib.import_module(kind.shipped[name])
        elif name in self._installed:
            loaded = self._from_entry_points(name)
        if loaded is None:
            raise NotAvailableError(not_there(kind.words, name, self.names()))
        lacking = [function for function in kind.functions if not callable(getattr(loaded, function, None))]
        if lacking:
            place = own or self._origin(name)
            raise PluginError(f"the {kind.words} {name!r} ({place}) lacks {', '.join(lacking)}")
        return loaded

    @cached_property
    def _installed(self) -> frozenset[str]:
        """The names in installed distributions."""
        from importlib.metadata import entry_points

        return frozenset(entry_points(group=self._kind.group).names)

    def _from_file(self, name: str, path: Path) -> Any:
        kind = self._kind.words
        full_name = f"{self._kind.group.replace('.', '_').removesuffix('s')}_{path.stem}"
        spec = importlib.util.spec_from_file_location(full_name, path)
        if spec is None or spec.loader is None:
            raise PluginError(f"the {kind} {path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            msg = f"the {kind} {name!r} ({path}) does not load: {type(error).__name__}: {error}"
            raise PluginError(msg) from error
        return module

    def _from_entry_points(self, name: str) -> Any:
        from importlib.metadata import entry_points

        for entry in entry_points(group=self._kind.group, name=name):
            try:
                return entry.load()
            except (Exception, SystemExit) as error:
                raise PluginError(
                    f"the {self._kind.words} {name!r} of {_distribution(entry)} does not load: "
                    f"{type(error).__name__}: {error}"
                ) from error
        return None

    def _origin(self, name: str) -> str:
        """Return the origin of a plug-in that is not a file of the project."""
        from importlib.metadata import entry_points

        if name in self._kind.shipped:
            return self._kind.shipped[name]
        return ", ".join(
            f"{entry.value} of {_distribution(entry)}"
            for entry in entry_points(group=self._kind.group, name=name)
        )


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else "an unknown distribution"
