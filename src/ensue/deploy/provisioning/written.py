"""Data of a file with its placeholders found: the data as written, and the resources that it mentions.

A tree without placeholders stays the same object. Places are determined only when a message needs one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.provisioning.placeholder_values import ResourceReference, ResourceSelection
from ensue.deploy.provisioning.placeholders import Placeholder, PlaceholderText, parse_text
from ensue.deploy.provisioning.unknown_placeholders import meant_placeholder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.diagnostics import Span
    from ensue.deploy.provisioning.identity import Descriptor
    from ensue.deploy.provisioning.placeholder_values import Dialect, Step
    from ensue.deploy.provisioning.placeholders import TextFault
    from ensue.deploy.provisioning.sensitive import Path
    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument


class TextPlace(NamedTuple):
    """The place of a value, or of a text in it; only `span` reads the file.

    Args:
        document: the file.
        keys: the value's path in it.
        text: the text in the value; empty for all of it.
    """

    document: YamlDocument
    keys: tuple[str | int, ...] = ()
    text: str = ""

    def below(self, *keys: str | int) -> TextPlace:
        """Return the place of a value below this one."""
        return TextPlace(self.document, (*self.keys, *keys))

    def span(self) -> Span:
        """Return the place of the text, or of its value if the file spells the text differently."""
        if self.text:
            return self.document.locate_text(self.keys, self.text)
        return self.document.locate(self.keys)


class Mentions(msgspec.Struct, frozen=True):
    """The resources that some data mentions, each once, in reading order.

    Args:
        references: each resource, with the place; True in the key if the reference requires values that
            only provisioning provides (outputs, values), which a resource cannot have of itself.
        selections: each selector as (anchor, steps), with the place.
    """

    references: Mapping[tuple[Descriptor, bool], TextPlace]
    selections: Mapping[tuple[Descriptor, tuple[Step, ...]], TextPlace]


NO_MENTIONS: Final = Mentions({}, {})


class TemplatedData(msgspec.Struct, frozen=True):
    """Data in which texts with placeholders are templates.

    Args:
        data: the data.
        source: the same data as written.
        mentions: the resources that it mentions.
        place: its place.
        templates: found in the data: its templates, each with its path. Without any, evaluating the data
            cannot change it.
    """

    data: Any
    source: Any
    mentions: Mentions
    place: TextPlace
    templates: tuple[tuple[Path, PlaceholderText], ...] = ()

    def __post_init__(self) -> None:
        """Find the templates: the data of one definition is evaluated for many resources."""
        if self.data is not self.source:
            msgspec.structs.force_setattr(self, "templates", tuple(templates_in(self.data)))


def templates_in(data: Any, path: Path = ()) -> Iterator[tuple[Path, PlaceholderText]]:
    """Yield the templates in data of a `TemplatedData`, each with its path."""
    if isinstance(data, PlaceholderText):
        yield path, data
    elif is_mapping(data) or is_list(data):
        for place, value in data.items() if is_mapping(data) else enumerate(data):
            if value.__class__ is not str:  # as most values are
                yield from templates_in(value, (*path, place))


def read_written(
    source: Any, dialect: Dialect, place: TextPlace, collector: Collector, *, is_secret: bool = False
) -> TemplatedData:
    """Find the placeholders of some data.

    Args:
        source: mappings, lists and scalars.
        dialect: the known placeholders.
        place: the place of the data.
        collector: receives the errors of placeholders.
        is_secret: whether messages leave out the text.
    """
    reader = WrittenReader(collector, is_secret=is_secret)
    return reader.written(reader.read(source, dialect, place), source, place)


class WrittenReader:
    """Finds the placeholders of data whose parts have different dialects or places.

    Args:
        collector: receives the errors of placeholders.
        is_secret: whether messages leave out the text.
    """

    def __init__(self, collector: Collector, *, is_secret: bool = False) -> None:
        self._references: dict[tuple[Descriptor, bool], TextPlace] = {}
        self._selections: dict[tuple[Descriptor, tuple[Step, ...]], TextPlace] = {}
        self._collector = collector
        self._is_secret = is_secret

    def read(self, data: Any, dialect: Dialect, place: TextPlace) -> Any:
        """Return data with templates in it, or the same object; its mentions are recorded.

        Args:
            data: mappings, lists and scalars.
            dialect: the known placeholders.
            place: the place of the data.
        """
        return self._read(data, dialect, place.document, place.keys)

    def written(self, data: Any, source: Any, place: TextPlace) -> TemplatedData:
        """Return data together with all that was mentioned so far.

        Args:
            data: the data with templates in it.
            source: the same data as written.
            place: its place.
        """
        if not self._references and not self._selections:
            return TemplatedData(data, source, NO_MENTIONS, place)
        return TemplatedData(data, source, Mentions(self._references, self._selections), place)

    def _read(self, data: Any, dialect: Dialect, document: YamlDocument, keys: tuple[str | int, ...]) -> Any:
        if isinstance(data, str):
            return self._text(data, dialect, TextPlace(document, keys)) if "$" in data else data
        places: Iterable[tuple[str | int, Any]]
        copy: Any
        if is_mapping(data):
            places, copy = data.items(), dict
        elif is_list(data):
            places, copy = enumerate(data), list
        else:
            return data
        read: Any = None
        for place, value in places:
            if value.__class__ is str and "$" not in value:  # as most values are
                continue
            new = self._read(value, dialect, document, (*keys, place))
            if new is not value:
                if read is None:
                    read = copy(data)
                read[place] = new
        return data if read is None else read

    def _text(self, text: str, dialect: Dialect, place: TextPlace) -> str | PlaceholderText:
        parsed, faults = parse_text(text, dialect)
        for fault in faults:
            _report(fault, dialect, place, self._collector, is_secret=self._is_secret)
        if isinstance(parsed, PlaceholderText):
            for part in parsed.parts:
                if isinstance(part, Placeholder):
                    self._mention(part, place)
        return parsed

    def _mention(self, placeholder: Placeholder, place: TextPlace) -> None:
        meaning = placeholder.meaning
        here = place._replace(text=placeholder.text)
        if isinstance(meaning, ResourceReference):
            needs_provisioning = meaning.what in {"outputs", "values"}
            self._references.setdefault((meaning.target, needs_provisioning), here)
        elif isinstance(meaning, ResourceSelection):
            self._selections.setdefault((meaning.anchor, meaning.steps), here)


def _report(
    fault: TextFault, dialect: Dialect, place: TextPlace, collector: Collector, *, is_secret: bool
) -> None:
    span = place._replace(text=fault.text).span()
    shown = "${…}" if is_secret else fault.text
    refusal = fault.refusal
    if refusal is None or dialect.grammar == "passed_on":
        escape = "$\\{" if dialect.grammar == "definition" else "$${"
        as_text = f"where that is meant, write {escape} for the two characters ${{"
        collector.warning(
            "E0817",
            f"{shown} is not a placeholder here and stays as it is",
            span,
            detail="" if refusal is None else refusal.reason,
            help=as_text if refusal or is_secret else meant_placeholder(fault.text, dialect),
        )
        return
    collector.error(
        "E0818" if refusal.is_undeclared else "E0816",
        f"the placeholder {shown} {'names nothing' if refusal.is_undeclared else 'cannot be read'}",
        span,
        detail="" if is_secret else refusal.reason,
        help=refusal.help,
    )
