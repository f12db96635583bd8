"""Go templates with Sprig, as the template drivers use them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import DriverError, GoTemplateError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import is_plain
from ensue.deploy.drivers.templates.guards import Origin, is_plain_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from ensue.deploy.drivers.templates.guards import Guards
    from ensue.deploy.drivers.templates.language import Chance, PlaceKind
    from ensue.deploy.gotemplate import CompiledGoTemplate

_KINDS: Final[Mapping[str, PlaceKind]] = {"text": "text", "string": "string", "raw": "string"}
"""The kinds of the tokens of a template; all others are code."""
_HELP: Final = "print it with `| toRawJson` or `| quote`"


class GoTemplate:
    """A compiled Go template.

    Args:
        template: the template.
        text: its text.
        tracks_secrets: whether secrets are in play.
    """

    def __init__(self, template: CompiledGoTemplate, text: str, *, tracks_secrets: bool) -> None:
        self._template = template
        self._text = text
        self._tracks_secrets = tracks_secrets

    def render(self, data: Mapping[str, Any], chance: Chance, guards: Guards) -> str:
        """Return what the template prints.

        Args:
            data: the value of `.`.
            chance: records calls of functions that use the time or randomness.
            guards: marks what is printed.

        Raises:
            DriverError: a key is missing, or a function failed.
        """
        from ensue.deploy.gotemplate.surroundings import RenderingServices, utc_now

        def noted_now() -> datetime:
            chance.ask()
            return utc_now()

        def guarded(value: Any, text: str, offset: int) -> str:
            if is_list(value) or is_mapping(value):
                return text if is_plain_data(value) else guards.guarded(text, self._origin(offset))
            return text if is_plain(text) else guards.guarded(text, self._origin(offset))

        services = RenderingServices(
            now=noted_now, on_random=chance.ask, on_printed=guarded, tracks_secrets=self._tracks_secrets
        )
        try:
            return self._template.render(data, services)
        except GoTemplateError as error:
            raise DriverError(str(error)) from None

    def _origin(self, offset: int) -> Origin:
        """Return the action at an offset of the template."""
        end = self._text.find("}}", offset)
        expression = f"{{{{ {self._text[offset:end].removesuffix('-').strip()} }}}}"
        return Origin(expression, self._text.count("\n", 0, offset) + 1, _HELP)


class GoTemplates:
    """The language of Go's `text/template` with the functions of Sprig."""

    value = ".driver.values.NAME"
    as_json = "toRawJson"

    def compiled(self, text: str, name: str, *, tracks_secrets: bool = False) -> GoTemplate:
        """Compile a template.

        Args:
            text: the template.
            name: its name in errors.
            tracks_secrets: whether secrets are in play.

        Raises:
            DriverError: it does not parse, or calls a function that does not exist.
        """
        return GoTemplate(_compiled(text, name), text, tracks_secrets=tracks_secrets)

    def kinds_of(self, text: str, words: Sequence[str], name: str) -> list[PlaceKind]:
        """Return what each of some words of a template is in.

        Args:
            text: the template.
            words: words that occur once, in the order in which they occur.
            name: the template's name in errors.

        Raises:
            DriverError: it cannot be read.
        """
        from ensue.deploy.gotemplate.failures import TemplateSyntaxError
        from ensue.deploy.gotemplate.lexer import tokens_of

        try:
            tokens = tokens_of(text)
        except TemplateSyntaxError as failure:
            line = text.count("\n", 0, failure.offset) + 1
            raise DriverError(f"{name}:{line}: {failure.what}") from None
        # A word that no token contains is in a comment.
        held = {word: token.kind for token in tokens for word in words if word in token.text}
        return [_KINDS.get(held[word], "code") if word in held else "comment" for word in words]


@lru_cache(maxsize=256)
def _compiled(text: str, name: str) -> CompiledGoTemplate:
    """Compile a template once for all resources of a definition."""
    from ensue.deploy.gotemplate import compile_template

    try:
        return compile_template(text, name)
    except GoTemplateError as error:
        raise DriverError(str(error)) from None
