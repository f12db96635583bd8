"""Finds resource types: in a project's `_resources/`, in ensue, and in installed distributions.

Source: Salt Resources, "salt/resource/"; `_resources` is to types what Salt's `_states` is to states.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Span
from ensue.core.errors import ResourceTypeError
from ensue.core.model.srn import MINION_TYPE, TYPE_ALIASES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint
    from types import ModuleType

FOLDER: Final = "_resources"
"""The folder below a file root with a project's own types."""

_GROUP: Final = "ensue.resources"
_PACKAGE: Final = "ensue.reach.resources"
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*\Z")


class TypeSource(msgspec.Struct, frozen=True, kw_only=True):
    """The imported package of a type.

    Args:
        name: the type's name.
        module: the package, or a module without overrides.
        place: where it comes from, for messages.
        is_shipped: whether it comes with ensue.
    """

    name: str
    module: ModuleType
    place: str
    is_shipped: bool = False


class TypeSources:
    """All places of resource types.

    Args:
        folders: `_resources` of every file root, the first one wins; those that do not exist are skipped.
        root: the project's root, which paths in messages are relative to.
    """

    def __init__(self, folders: Sequence[Path] = (), root: Path | None = None) -> None:
        self._root = root
        self._project = {
            path.stem: path
            for folder in reversed(folders)
            if folder.is_dir()
            for path in sorted(folder.iterdir())
            if not path.name.startswith(("_", ".")) and (path.is_dir() or path.suffix == ".py")
        }

    @property
    def of_project(self) -> list[str]:
        """The names of the project's own types."""
        return sorted(self._project)

    def names(self) -> list[str]:
        """Return the names of all types that can be used, sorted."""
        from importlib.metadata import entry_points

        shipped = [name for name in _packages() if _shipped(name) is not None]
        return sorted({*self._project, *shipped, *entry_points(group=_GROUP).names})

    def find(self, name: str) -> TypeSource | None:
        """Return a type, None if it does not exist.

        The project's own takes precedence over ensue's, and ensue's over that of a distribution.

        Raises:
            ResourceTypeError: it does not load, or several distributions claim the name.
        """
        if name in self._project:
            return self._from_project(name, self._project[name])
        if not _NAME.match(name):
            return None
        return _shipped(name) or self._from_distribution(name)

    def shown(self, path: str) -> str:
        """Return a path in the form for messages."""
        if self._root is not None and Path(path).is_relative_to(self._root):
            return str(Path(path).relative_to(self._root))
        return path

    def span_of(self, error: BaseException, folder: str) -> Span | None:
        """Return the line of a type's own code in a traceback, None if there is none."""
        if isinstance(error, SyntaxError) and error.filename and error.filename.startswith(folder):
            return Span(self.shown(error.filename), error.lineno or 0)
        frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)
        ]
        return Span(self.shown(frames[-1].filename), frames[-1].lineno or 0) if frames else None

    def _from_project(self, name: str, path: Path) -> TypeSource:
        place = self.shown(str(path))
        if name == MINION_TYPE:
            raise ResourceTypeError(
                f"{place} cannot take the place of the resource type `minion`",
                span=Span(place),
                help="give the type another name",
            )
        if not _NAME.match(name):
            raise ResourceTypeError(
                f"{place} is not the name of a resource type",
                span=Span(place),
                help="name the folder with lower-case letters, digits and underscores",
            )
        if name in TYPE_ALIASES:
            raise ResourceTypeError(
                f"{place} would never be used: `{name}` is another name for the type `{TYPE_ALIASES[name]}`",
                span=Span(place),
                help="give the type another name",
            )
        init = path / "__init__.py"
        if not init.is_file():
            raise ResourceTypeError(
                f"the resource type {name!r} has no {self.shown(str(_package_of(path) / '__init__.py'))}",
                span=Span(place),
                help=f"a type is a folder: {FOLDER}/{name}/__init__.py",
            )
        try:
            module = _imported(name, init)
        except (Exception, SystemExit) as error:
            raise self.not_loaded(name, place, error, str(path)) from error
        return TypeSource(name=name, module=module, place=place)

    def _from_distribution(self, name: str) -> TypeSource | None:
        from importlib.metadata import entry_points

        entries = list(entry_points(group=_GROUP, name=name))
        if not entries:
            return None
        places = sorted({_distribution(entry) for entry in entries})
        if len(places) > 1:
            raise ResourceTypeError(
                f"the resource type {name!r} is claimed by {' and by '.join(places)}",
                help="uninstall one of them",
            )
        try:
            module = entries[0].load()
        except (Exception, SystemExit) as error:
            raise self.not_loaded(name, places[0], error, "") from error
        return TypeSource(name=name, module=module, place=places[0])

    def not_loaded(self, name: str, place: str, error: BaseException, folder: str) -> ResourceTypeError:
        """Return the error of a type whose code does not load."""
        why = f"{error.msg} (line {error.lineno})" if isinstance(error, SyntaxError) else str(error)
        return ResourceTypeError(
            f"the resource type {name!r} ({place}) does not load: {type(error).__name__}: {why}",
            span=self.span_of(error, folder) or (Span(place) if folder else None),
        )


def _package_of(path: Path) -> Path:
    return path if path.is_dir() else path.with_suffix("")


def _imported(name: str, init: Path) -> ModuleType:
    """Import a package from its file, under a name that is unique to the project."""
    digest = hashlib.sha256(str(init).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    full_name = f"ensue_type_{digest}_{name}"
    for known in [
        module_name
        for module_name in sys.modules
        if module_name == full_name or module_name.startswith(f"{full_name}.")
    ]:
        del sys.modules[known]
    spec = importlib.util.spec_from_file_location(
        full_name, init, submodule_search_locations=[str(init.parent)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{init} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Its relative imports (`from . import api`) need it there.
    sys.modules[full_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[full_name]
        raise
    return module


def _packages() -> list[str]:
    import pkgutil

    package = importlib.import_module(_PACKAGE)
    return [module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg]


def _shipped(name: str) -> TypeSource | None:
    """Return a type that comes with ensue: a package of `ensue.reach.resources` that can connect."""
    full_name = f"{_PACKAGE}.{name}"
    spec = importlib.util.find_spec(full_name)
    if spec is None or not spec.submodule_search_locations:
        return None
    module = importlib.import_module(full_name)
    if not hasattr(module, "connect"):
        return None
    return TypeSource(name=name, module=module, place=full_name, is_shipped=True)


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"
