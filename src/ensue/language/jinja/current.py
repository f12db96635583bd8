"""The current Jinja rendering: the variables it began with, and the templates it has pulled in so far."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from ensue.language.authored_texts import AuthoredTexts
from ensue.language.jinja.loader import template_places

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    import jinja2
    from jinja2.environment import TemplateModule

_PLACES: Final = frozenset(template_places(""))
current: Final[ContextVar[Rendering]] = ContextVar("ensue_jinja_rendering")
"""The current rendering."""


class Rendering:
    """One rendering: the variables it began with, and the modules that were imported without context.

    Args:
        variables: the variables given to the rendered template.
        source: its text.
        elsewhere: for a rendering that is read as YAML or JSON, in which values are guarded: returns the
            texts that authors wrote in other files.
    """

    def __init__(
        self,
        variables: Mapping[str, Any],
        source: str = "",
        elsewhere: Callable[[], Iterable[str]] | None = None,
    ) -> None:
        # The files of all templates that were pulled in, in order; a file may occur several times.
        self.templates: list[str] = []
        self.is_guarded = elsewhere is not None
        self._source = source
        self._elsewhere = elsewhere or tuple
        # Each template has its own location variables.
        self._variables = {name: value for name, value in variables.items() if name not in _PLACES}
        self._modules: dict[jinja2.Template, TemplateModule] = {}

    def module(self, template: jinja2.Template) -> TemplateModule:
        """Return the module of a template, run once."""
        if template not in self._modules:
            self._modules[template] = template.make_module(self._variables)
        return self._modules[template]

    @contextlib.contextmanager
    def going_on(self) -> Generator[None]:
        """Make this the current rendering, to which imports belong; a nested rendering has its own."""
        token = current.set(self)
        try:
            yield
        finally:
            current.reset(token)

    def authored_texts(self) -> AuthoredTexts:
        """Return the texts of its authors, including the templates it has pulled in so far."""
        return AuthoredTexts(self._source, self.templates, self._elsewhere)
