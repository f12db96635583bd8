"""Finds templates for `<%include>`, `<%namespace>` and `<%inherit>` in the file roots, as in Salt.

`salt://a/b.mako` and `/a/b.mako` start at the roots, `file:///a/b.mako` at this machine's own root. Any other
name is relative to the template that names it; for an SLS, its name counts instead of its file: `a/init.sls`
is the SLS `a`, whose folder is the root. A missing template is also searched for beside the file itself.

Source: Salt's `SaltMakoTemplateLookup`, 3008; behaviour measured there.
"""

# pyright: basic
# Mako has no types.
from __future__ import annotations

import itertools
import posixpath
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mako.exceptions import TopLevelLookupException
from mako.lookup import TemplateCollection
from mako.template import Template

from ensue.language.mako.printing import DEFAULT_FILTERS, IMPORT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.mako.marks import Marker

pulled_in: ContextVar[list[str]] = ContextVar("ensue_mako_pulled_in")
"""The files of all templates that the rendering has pulled in so far, in order."""

_SCHEMES: Final = ("salt", "file")


class RootsLookup(TemplateCollection):  # type: ignore[misc]
    """Loads templates; compiled ones are kept until their file changes.

    Args:
        find: returns the file of a name below the roots; None if there is none.
        read: returns the text of a file without its delayed blocks.
        marker: marks the lines of compiled templates.
    """

    def __init__(
        self, find: Callable[[str], Path | None], read: Callable[[Path], str], marker: Marker
    ) -> None:
        self._find = find
        self._read = read
        self._marker = marker
        self._folders: dict[str, str] = {}
        self._numbers = itertools.count()
        self._compiled: dict[tuple[str, int, int], Any] = {}

    def compiled(self, text: str, path: str, *, called: str, folder: str, **options: Any) -> Any:
        """Compile a text.

        Args:
            text: the template.
            path: its file.
            called: the name from which relative names start.
            folder: the folder of its file in the roots, which is searched next.
            options: options of Mako's Template.
        """
        # Mako finds the lines of a template by its URI: no two may share one.
        uri = f"{called}#{next(self._numbers)}"
        self._folders[uri] = folder
        lexer = self._marker.lexer(path)
        return Template(  # noqa: S702 -- no HTML
            text,
            uri=uri,
            filename=path,
            lookup=self,
            lexer_cls=lexer,
            imports=[IMPORT],
            default_filters=list(DEFAULT_FILTERS),
            **options,
        )

    def adjust_uri(self, uri: str, relativeto: str | None) -> str:
        """Return a template's name from the roots; `relativeto` is the URI of the template that names it."""
        scheme = uri.partition("://")[0] if "://" in uri else ""
        if scheme in _SCHEMES:
            return uri
        if scheme:
            raise TopLevelLookupException(f"{uri} is neither salt:// nor file://")
        if uri.startswith("/") or relativeto is None:
            return uri
        folders = (posixpath.dirname(relativeto), self._folders.get(relativeto, ""))
        names = [posixpath.normpath(posixpath.join(folder, uri)) for folder in folders]
        return next((name for name in names if self._find(name)), names[0])

    def get_template(self, uri: str, relativeto: str | None = None) -> Any:
        """Return a template by its adjusted name.

        Raises:
            TopLevelLookupException: it does not exist.
            CompileError: it cannot be read, or its tags of delayed blocks are malformed.
        """
        del relativeto
        name = uri.removeprefix("salt://").lstrip("/")
        path = Path(uri.removeprefix("file://")) if uri.startswith("file://") else self._find(name)
        if path is None or not path.is_file():
            raise TopLevelLookupException(uri)
        pulled_in.get().append(str(path))
        stat = path.stat()
        key = (str(path), stat.st_mtime_ns, stat.st_size)
        if key not in self._compiled:
            # As in Salt, a template that is pulled in may test whether a name is UNDEFINED.
            self._compiled[key] = self.compiled(
                self._read(path), str(path), called=name, folder=posixpath.dirname(name)
            )
        return self._compiled[key]


def called_name(variables: Mapping[str, Any], name: str) -> str:
    """Return the start of relative names in a rendered text: the SLS's name as a path, as in Salt."""
    sls = variables.get("sls")
    return str(sls).replace(".", "/") if sls else name
