"""What `file.recurse` manages: the files and links of its source folders, by their paths on the target.

Source: `_gen_recurse_managed_files` of Salt's state module `file`, 3008. Unlike it, this keeps a link to an
empty folder as well.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.target_paths import folders_above
from ensue.library.states.file.tree import is_wanted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FileSources, StateContext
    from ensue.core.model.data import Data


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSelection:
    """Which paths of the sources are managed.

    Args:
        include: patterns of the paths to copy.
        exclude: patterns of the paths to skip.
        maxdepth: how many folders deep; None for all.
        keep_symlinks: whether links of the sources become links, instead of copies of what they lead to.
    """

    include: Data
    exclude: Data
    maxdepth: int | None
    keep_symlinks: bool

    def has(self, relative: str) -> bool:
        """Return whether a path below the folder is managed."""
        too_deep = self.maxdepth is not None and relative.count("/") > int(self.maxdepth)
        return not too_deep and is_wanted(relative, self.include, self.exclude)


@dataclass(slots=True)
class RecursedTree:
    """The files and links of a folder on the target.

    Args:
        top: the folder.
        files: the source of each file, by its path.
        links: what each link says, by its path.
        folders: the folders of the files and links.
    """

    top: str
    files: dict[str, str] = field(default_factory=dict[str, str])
    links: dict[str, str] = field(default_factory=dict[str, str])
    folders: set[str] = field(default_factory=set[str])

    def add(self, source: str, listed: Sequence[str], files: FileSources, selection: SourceSelection) -> None:
        """Add a source folder; for the same path, what was added earlier wins.

        Args:
            source: the folder.
            listed: the paths of all files below it.
            files: reads sources.
            selection: which of them are managed.
        """
        links = files.list_links(source) if selection.keep_symlinks else {}
        folders: set[str] = set()
        if links:
            folders.update(folder for relative in listed for folder in folders_above(relative))
        behind = {
            relative for relative in (*links, *listed) if not links.keys().isdisjoint(folders_above(relative))
        }
        for relative, target in links.items():
            if relative not in behind and selection.has(relative):
                place = posixpath.join(self.top, relative)
                self._add_link(place, target, is_folder=relative in folders)
        for relative in listed:
            place = posixpath.join(self.top, relative)
            is_linked = relative in links or relative in behind
            if is_linked or not selection.has(relative):
                continue
            above = tuple(folders_above(place))
            if not self._is_taken(place, above):
                self.files[place] = _source_of(source, relative)
                self.folders.update(above)

    def _add_link(self, place: str, target: str, *, is_folder: bool) -> None:
        leads_to = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        # An earlier source may have a file where this link's source has a folder, or the other way around.
        is_other_kind = leads_to in (self.files if is_folder else self.folders)
        above = tuple(folders_above(place))
        if not self._is_taken(place, above) and not is_other_kind:
            self.links[place] = target
            self.folders.update(above)

    def _is_taken(self, place: str, above: tuple[str, ...]) -> bool:
        return place in self.folders or any(
            place in managed or not managed.keys().isdisjoint(above) for managed in (self.files, self.links)
        )


def existing_sources(ctx: StateContext, source: str | list[str]) -> dict[str, list[str]]:
    """Return the source folders that exist, with the paths of all files below each.

    Raises:
        StateFailedError: none does, or one is not a `salt://` folder.
    """
    listed = [source] if isinstance(source, str) else [str(each) for each in source]
    for each in listed:
        if not each.startswith("salt://"):
            raise StateFailedError(f"Recurse failed: Invalid source '{each}' (must be a salt:// URI)")
    there = {each: paths for each in listed if (paths := ctx.files.list_tree(each))}
    shown = ", ".join(listed)
    if not there:
        raise StateFailedError(f"Recurse failed: none of the specified sources were found: {shown}")
    return there


def _source_of(folder: str, relative: str) -> str:
    """Return the URL of a file in a source folder, with the environment that the folder names."""
    base, mark, query = folder.partition("?")
    return f"{base.rstrip('/')}/{relative}{mark}{query}"
