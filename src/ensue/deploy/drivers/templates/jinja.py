"""Jinja, as the template drivers use it; Jinja itself is imported for the first template."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.deploy.drivers.templates.language import CompiledTemplate, PlaceKind


class Jinja:
    """The language of Jinja."""

    value = "driver.values.NAME"
    as_json = "tojson"

    def compiled(self, text: str, name: str, *, tracks_secrets: bool = False) -> CompiledTemplate:
        """Compile a template.

        Args:
            text: the template.
            name: its name in errors.
            tracks_secrets: whether secrets are in play.

        Raises:
            DriverError: it does not parse, or uses a filter that does not exist.
        """
        from ensue.deploy.drivers.templates.jinja_environment import compiled

        return compiled(text, name, tracks_secrets=tracks_secrets)

    def kinds_of(self, text: str, words: Sequence[str], name: str) -> list[PlaceKind]:
        """Return what each of some words of a template is in.

        Args:
            text: the template.
            words: words that occur once, in the order in which they occur.
            name: the template's name in errors.

        Raises:
            DriverError: it cannot be read.
        """
        from ensue.deploy.drivers.templates.jinja_environment import tokens_of

        kinds: dict[str, PlaceKind] = dict.fromkeys(words, "comment")
        for kind, held in tokens_of(text, name):
            kinds.update({word: kind for word in words if word in held})
        return [kinds[word] for word in words]
