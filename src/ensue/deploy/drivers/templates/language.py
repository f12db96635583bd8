"""The interface between the template drivers and the language of the templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.deploy.drivers.templates.guards import Guards

PlaceKind: TypeAlias = Literal["text", "raw", "comment", "string", "code"]
"""What a place of a template is in: printed text, text without actions (`raw`), a comment, a string in an
action, or another part of an action.
"""


class Chance:
    """Records whether a rendering used the time or a random value, so that another one would differ.

    Attributes:
        was_asked: whether it has done so.
    """

    def __init__(self) -> None:
        self.was_asked = False

    def ask(self) -> None:
        """Record that a random value or the time is about to be used."""
        self.was_asked = True


class CompiledTemplate(Protocol):
    """A compiled template; it may be rendered any number of times, in several threads at once."""

    def render(self, data: Mapping[str, Any], chance: Chance, guards: Guards) -> str:
        """Return what the template prints, with marks around texts from data.

        Args:
            data: its variables; plain data, which is not changed and never parsed as a template.
            chance: records the use of random values.
            guards: marks what is printed.

        Raises:
            DriverError: it fails; the text begins with the template's name and the line.
        """
        ...


class TemplateLanguage(Protocol):
    """A language that templates are written in.

    Attributes:
        value: how a template names one of the definition's values, for messages.
        as_json: the filter that prints a value as JSON, for messages.
    """

    value: str
    as_json: str

    def compiled(self, text: str, name: str, *, tracks_secrets: bool = False) -> CompiledTemplate:
        """Compile a template.

        Args:
            text: the template.
            name: its name in errors (`templates.init`).
            tracks_secrets: whether the data that it is rendered with, or the template, may contain marked
                secrets; then what is computed from them is marked in the rendered text.

        Raises:
            DriverError: it does not parse; the text begins with the template's name and the line.
        """
        ...

    def kinds_of(self, text: str, words: Sequence[str], name: str) -> list[PlaceKind]:
        """Return what each of some words of a template is in.

        Args:
            text: the template.
            words: words that occur once, in the order in which they occur.
            name: the template's name in errors.

        Raises:
            DriverError: it cannot be read; the text begins with the template's name and the line.
        """
        ...
