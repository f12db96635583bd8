"""The documentation of drivers, resource types, environment providers and topics.

That of a driver, a type or a provider is the docstring of its module, so a project's own are shown, too.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.part_docs import PartDoc, PartKind
from ensue.core.errors import EnsueError
from ensue.core.model.docstrings import read_docstring
from ensue.deploy.drivers.loading import Drivers
from ensue.output.colours import without_escapes
from ensue.output.topics import ALIASES, TOPICS
from ensue.reach.resources.providers import Providers
from ensue.reach.resources.type_sources import TypeSources

if TYPE_CHECKING:
    from collections.abc import Sequence

PART_KINDS: Final[tuple[PartKind, ...]] = ("drivers", "resource types", "environment providers", "topics")
_TITLE: Final = re.compile(
    r"(?:The )?(?:driver|resource type|environment provider) `[\w/]+`: ", re.IGNORECASE
)
_CUTOFF: Final = 0.6


class PartDocumentation:
    """The parts of a project by name. A call may load files of the project, and blocks.

    Args:
        drivers: the drivers.
        types: the resource types.
        providers: the environment providers.
    """

    def __init__(self, drivers: Drivers, types: TypeSources, providers: Providers) -> None:
        self._drivers = drivers
        self._types = types
        self._providers = providers

    def names(self, kind: PartKind) -> list[str]:
        """Return the names of all parts of a kind, sorted."""
        match kind:
            case "drivers":
                return self._drivers.names()
            case "resource types":
                return self._types.names()
            case "environment providers":
                return self._providers.names()
            case "topics":
                return sorted(TOPICS)

    def summaries(self, kind: PartKind) -> dict[str, str]:
        """Return a sentence about each part, by name; of a file that does not load, the reason."""
        summaries: dict[str, str] = {}
        for name in self.names(kind):
            try:
                summaries[name] = self._part(kind, name).summary
            except EnsueError as error:
                summaries[name] = str(error)
        return summaries

    def named(self, name: str) -> list[PartDoc]:
        """Return all parts of a name, whatever their kind.

        Raises:
            PluginError: a file of the project does not load.
        """
        parts = [self._part(kind, name) for kind in PART_KINDS[:-1] if name in self.names(kind)]
        if not parts and self._drivers.has(name):
            parts = [self._part("drivers", name)]
        topic = _topic(name)
        return parts + ([self._part("topics", topic)] if topic else [])

    def near(self, name: str) -> Sequence[str]:
        """Return names of parts that resemble a name, best first."""
        import difflib

        names = {name for kind in PART_KINDS for name in self.names(kind)}
        return difflib.get_close_matches(name, sorted(names | ALIASES.keys()), cutoff=_CUTOFF)

    def _part(self, kind: PartKind, name: str) -> PartDoc:
        """Return the documentation of a part that exists.

        Raises:
            PluginError: its module does not load.
        """
        if kind == "topics":
            topic = TOPICS[name]
            text = f"{topic.text} docs/{topic.page}.md has more."
            return PartDoc(kind=kind, name=name, summary=topic.title, text=text)
        docstring = read_docstring(inspect.cleandoc(self._docstring(kind, name)))
        summary = _TITLE.sub("", docstring.summary)
        return PartDoc(
            kind=kind,
            name=name,
            summary=summary[:1].upper() + summary[1:],
            text=docstring.text,
            inputs=docstring.arguments,
            example=docstring.example,
        )

    def _docstring(self, kind: PartKind, name: str) -> str:
        if kind == "drivers":
            return without_escapes(self._drivers.find(name).docstring)
        module: Any
        if kind == "resource types":
            source = self._types.find(name)
            module = source.module if source else None
        else:
            module = self._providers.find(name)
        text = getattr(module, "__doc__", None)
        return without_escapes(text) if isinstance(text, str) else ""


def shipped_parts() -> PartDocumentation:
    """Return the parts that come with ensue, or are installed."""
    return PartDocumentation(Drivers(), TypeSources(), Providers())


def _topic(name: str) -> str:
    """Return the topic of a name, which may have blanks or underscores; empty: there is none."""
    plain = name.lower().replace("_", "-").replace(" ", "-")
    return plain if plain in TOPICS else ALIASES.get(plain, "")
