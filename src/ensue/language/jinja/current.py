"""The current Jinja rendering: the variables it began with, and the templates it has pulled in so far."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from ensue.language.jinja.loader import template_places

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    import jinja2
    from jinja2.environment import TemplateModule

_PLACES: Final = frozenset(template_places(""))
current: Final[ContextVar[CurrentRendering | None]] = ContextVar("ensue_jinja_rendering", default=None)
"""The current rendering."""


@contextlib.contextmanager
def nothing_going_on() -> Generator[None]:
    """Have no current rendering."""
    token = current.set(None)
    try:
        yield
    finally:
        current.reset(token)


class CurrentRendering:
    """One rendering: the variables it began with, and the modules that were imported without context.

    Args:
        variables: the variables given to the rendered template.
        is_guarded: whether the text is read as YAML or JSON, so that values in it are guarded.
    """

    def __init__(self, variables: Mapping[str, Any], *, is_guarded: bool = False) -> None:
        # The files of all templates that were pulled in, in order; a file may occur several times.
        self.templates: list[str] = []
        self.is_guarded = is_guarded
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
