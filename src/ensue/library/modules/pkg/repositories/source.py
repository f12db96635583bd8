"""An apt repository, and its line in a sources file.

Source: sources.list(5), "THE DEB AND DEB-SRC TYPES", one-line style.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.model.data import DataMap

_LINE: Final = re.compile(
    r"(?P<off>\s*#)?\s*(?P<type>deb|deb-src)\s+(?:\[(?P<options>[^\]]*)\]\s*)?(?P<uri>\S+)\s+(?P<dist>\S+)"
    r"(?P<comps>(?:\s+[^\s#]+)*)\s*(?:#\s*(?P<comment>.*))?\Z"
)


class AptSource(msgspec.Struct, kw_only=True, frozen=True):
    """One apt repository.

    Args:
        type: `deb`, or `deb-src` for source packages.
        uri: its URI.
        dist: the suite, or a path that ends in a slash.
        comps: its components.
        options: the options in brackets (`arch`, `signed-by`, `trusted`), values joined by commas.
        disabled: whether it is disabled.
        comment: a comment at the end of the line.
    """

    type: str
    uri: str
    dist: str
    comps: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    disabled: bool = False
    comment: str = ""

    @property
    def place(self) -> tuple[str, str, str]:
        """The identity of the repository: two with the same place are the same repository."""
        return self.type, self.uri.rstrip("/"), self.dist

    @property
    def settings(self) -> tuple[object, ...]:
        """The changeable settings, independent of order."""
        return frozenset(self.comps), frozenset(self.options), self.disabled

    def option(self, name: str) -> str:
        """Return the value of an option, empty if it is not set."""
        return dict(self.options).get(name, "")

    def line(self) -> str:
        """Return its line, without the mark of a disabled repository."""
        words = [f"{name}={value}" for name, value in self.options]
        inside = [f"[{' '.join(words)}]"] if words else []
        return " ".join([self.type, *inside, self.uri, self.dist, *self.comps])

    def text(self) -> str:
        """Return its line as written to the file, without a line end."""
        remark = f" # {self.comment}" if self.comment else ""
        return ("# " if self.disabled else "") + self.line() + remark

    def as_data(self, path: str) -> DataMap:
        """Return it in the form of Salt's `pkg.get_repo`."""
        return {
            "file": path,
            "type": self.type,
            "uri": self.uri,
            "dist": self.dist,
            "comps": [*self.comps],
            "architectures": [*filter(None, self.option("arch").split(","))],
            "signedby": self.option("signed-by"),
            "disabled": self.disabled,
            "line": self.line(),
        }


def read_source(line: str) -> AptSource | None:
    """Parse a line of a sources file; None if it does not list a repository."""
    match = _LINE.match(line.rstrip())
    if match is None:
        return None
    options = [word.partition("=") for word in (match["options"] or "").split()]
    return AptSource(
        type=match["type"],
        uri=match["uri"],
        dist=match["dist"],
        comps=tuple(match["comps"].split()),
        options=tuple((name.lower(), value) for name, _, value in options),
        disabled=match["off"] is not None,
        comment=match["comment"] or "",
    )


def named_source(name: str) -> AptSource:
    """Parse the sources line that a user gives.

    Raises:
        StateFailedError: it is not a line of a sources file.
    """
    source = read_source(name)
    if source is None:
        raise StateFailedError(
            f"Name {name} is not valid. This must be the complete repo entry as seen in the sources file "
            "(deb [signed-by=/…] https://… suite component)"
        )
    return source
