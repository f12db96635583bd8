"""Reads the containers of a Score file: which of their texts have placeholders, and the files that they name.

Placeholders are read as Score's tools read them in variables, in files and in the sources of volumes. A file
that `source` names is read like `content` that is written in its place. Other texts, such as commands, are
passed on by those tools; here, they may contain placeholders as well, but nothing in them is an error.

Source: the Score specification, score.dev/v1b1; score-go, packages `framework` and `loader`.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.provisioning.written import TextPlace
from ensue.language.yaml import TextDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.deploy.provisioning.placeholder_values import Dialect
    from ensue.deploy.provisioning.shapes import Shape
    from ensue.deploy.provisioning.written import WrittenReader

_RENAMED: Final = {
    "livenessProbe": "liveness_probe",
    "readinessProbe": "readiness_probe",
    "volumes": "volume_mounts",
}
"""Keys of a container that a deployment set spells differently."""


class ContainerSourceFile(NamedTuple):
    """A file that a container's `source` names.

    Args:
        path: the path as messages show it.
        content: its content.
    """

    path: str
    content: bytes


class Read(NamedTuple):
    """A part of a module.

    Args:
        data: the part with templates in it.
        source: the part as written.
    """

    data: Any
    source: Any


class ContainersReader:
    """Reads the containers of one Score file.

    Args:
        reader: finds the placeholders.
        dialect: the placeholders of the file, in Score's grammar.
        read_source: returns the file of a `source`; None: it cannot be read.
        shape: receives the errors.
    """

    def __init__(
        self,
        reader: WrittenReader,
        dialect: Dialect,
        read_source: Callable[[str], ContainerSourceFile | None],
        shape: Shape,
    ) -> None:
        self._reader = reader
        self._score = dialect
        self._passed_on = dialect._replace(grammar="passed_on")
        self._image = self._passed_on._replace(has_no_dollars=True)
        self._read_source = read_source
        self._shape = shape

    def read(self, container: Mapping[str, Any], place: TextPlace) -> Read:
        """Return a container with the keys of a deployment set.

        Args:
            container: the container.
            place: its place.
        """
        parts = {key: self._part(key, value, place.below(key)) for key, value in container.items()}
        return Read(
            {_RENAMED.get(key, key): part.data for key, part in parts.items()},
            {_RENAMED.get(key, key): part.source for key, part in parts.items()},
        )

    def passed_on(self, value: Any, place: TextPlace) -> Read:
        """Return a value that Score's tools pass on unchanged."""
        return Read(self._reader.read(value, self._passed_on, place), value)

    def _part(self, key: str, value: Any, place: TextPlace) -> Read:
        match key:
            case "variables":
                return self._expanded(value, place)
            case "image":
                return Read(self._reader.read(value, self._image, place), value)
            case "files":
                return self._each(value, place, self._file)
            case "volumes":
                return self._each(value, place, self._volume)
            case _:
                return self.passed_on(value, place)

    def _expanded(self, value: Any, place: TextPlace) -> Read:
        return Read(self._reader.read(value, self._score, place), value)

    def _each(
        self, value: Any, place: TextPlace, read: Callable[[dict[str, Any], TextPlace], dict[str, Read]]
    ) -> Read:
        """Read every item of a mapping by target, or of a list, which old Score files have."""
        if is_mapping(value):
            items = {name: self._item(item, place.below(name), read) for name, item in value.items()}
            return Read(
                {name: item.data for name, item in items.items()},
                {name: item.source for name, item in items.items()},
            )
        if is_list(value):
            listed = [self._item(item, place.below(number), read) for number, item in enumerate(value)]
            return Read([entry.data for entry in listed], [entry.source for entry in listed])
        return self.passed_on(value, place)

    def _item(
        self, value: Any, place: TextPlace, read: Callable[[dict[str, Any], TextPlace], dict[str, Read]]
    ) -> Read:
        if not is_mapping(value):
            return self.passed_on(value, place)
        parts = read(value, place)
        return Read(
            {key: part.data for key, part in parts.items()}, {key: part.source for key, part in parts.items()}
        )

    def _volume(self, volume: dict[str, Any], place: TextPlace) -> dict[str, Read]:
        return {
            key: (self._expanded if key == "source" else self.passed_on)(value, place.below(key))
            for key, value in volume.items()
        }

    def _file(self, file: dict[str, Any], place: TextPlace) -> dict[str, Read]:
        is_literal = self._shape.flag(file.get("noExpand"), "'noExpand'", place.below("noExpand"))
        file, content_place = self._embedded(file, place)
        return {
            key: self._expanded(value, content_place)
            if key == "content" and not is_literal
            else Read(value, value)
            for key, value in file.items()
        }

    def _embedded(self, file: dict[str, Any], place: TextPlace) -> tuple[dict[str, Any], TextPlace]:
        """Return a file with its content instead of `source`, and the place of the content."""
        written = place.below("content")
        name = file.get("source")
        if not isinstance(name, str) or file.keys() & {"content", "binaryContent"}:
            return file, written
        source = self._read_source(name)
        if source is None:
            return file, written
        rest = {key: value for key, value in file.items() if key != "source"}
        try:
            text = source.content.decode()
        except UnicodeDecodeError:
            return {**rest, "binaryContent": base64.b64encode(source.content).decode("ascii")}, written
        return {**rest, "content": text}, TextPlace(TextDocument(source.path, text))
