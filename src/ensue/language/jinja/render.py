"""Rendering one template text with Salt's context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jinja2

from ensue.language.jinja.errors import as_compile_error
from ensue.language.jinja.filters import FILTERS, GLOBALS, TESTS
from ensue.language.jinja.loader import RootsLoader, relative_name, template_name, template_places
from ensue.language.jinja.marks import insert_marks, take_out_marks
from ensue.language.jinja.serializers import SerializerExtension

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from jinja2 import nodes
    from jinja2.runtime import Context

    from ensue.language.yaml.document import Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A rendering.

    Args:
        text: the text.
        anchors: where its lines come from; empty when nothing moved.
        exported: top-level variables of the template as they stood at its end.
    """

    text: str
    anchors: tuple[Anchor, ...] = ()
    exported: Mapping[str, Any] | None = None


class _Environment(jinja2.Environment):
    """A Jinja environment that knows relative template names and marks lines."""

    def __init__(self, paths: list[str], shorten: Callable[[str], str], **options: Any) -> None:
        super().__init__(**options)
        self._paths = paths
        self._numbers: dict[str, int] = {}
        self._shorten = shorten

    def join_path(self, template: str, parent: str) -> str:
        """Resolve `./x` and `../x` against the template that names them."""
        return relative_name(template, parent)

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> jinja2.Template:  # noqa: A002
        """Load a template by its name in the roots."""
        if isinstance(name, str):
            name = template_name(self.join_path(name, parent) if parent else name)
            # A template that is imported without context still knows where it stands.
            given: dict[str, Any] = dict(globals or {})
            return super().get_template(name, None, template_places(name) | given)
        return super().get_template(name, None, globals)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        insert_marks(template, self._number(filename or name or "<template>"))
        return template

    def _number(self, path: str) -> int:
        shown = self._shorten(path)
        if shown not in self._numbers:
            self._numbers[shown] = len(self._paths)
            self._paths.append(shown)
        return self._numbers[shown]


class JinjaRenderer:
    """Renders texts of one environment (`base`); compiled templates are kept.

    Args:
        roots: folders that templates are loaded from.
        shorten: makes an absolute path relative to the project, for messages.
        prepare: applied to every template's text before Jinja sees it.
        options: further options of the Jinja environment (`trim_blocks`, …), by Jinja's names.
        allow_undefined: an undefined variable is empty instead of an error.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        shorten: Callable[[str], str],
        prepare: Callable[[str, str], str] = lambda text, _path: text,
        options: Mapping[str, Any] | None = None,
        allow_undefined: bool = False,
    ) -> None:
        self._paths: list[str] = []
        self._shorten = shorten
        self._environment = _Environment(
            self._paths,
            shorten,
            loader=RootsLoader(roots, prepare),
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", SerializerExtension],
            undefined=jinja2.Undefined if allow_undefined else jinja2.StrictUndefined,
            cache_size=2000,
            **dict(options or {}),
        )
        self._environment.filters.update(FILTERS)
        self._environment.tests.update(TESTS)
        self._environment.globals.update(GLOBALS)
        self._compiled: dict[tuple[str, str], jinja2.Template] = {}

    def render(
        self, text: str, variables: Mapping[str, Any], *, path: str, name: str = "", export: bool = False
    ) -> Rendered:
        """Render a template.

        Args:
            text: the template.
            variables: its context.
            path: its file, for messages.
            name: its name in the roots, which relative includes start from.
            export: also return the top-level variables as they stand at its end.

        Raises:
            CompileError: broken Jinja, an undefined variable, an error in a called function.
        """
        try:
            template = self._template(text, path, name)
            exported: Mapping[str, Any] | None = None
            if export:
                context = template.new_context(dict(variables))
                marked = self._run(template, context)
                exported = {key: context.vars[key] for key in context.exported_vars}
            else:
                marked = template.render(variables)
        except Exception as error:  # noqa: BLE001 -- a template calls functions of plug-ins: anything may come
            raise as_compile_error(error, path=path, shorten=self._shorten, variables=variables) from None
        plain, anchors = take_out_marks(marked, self._paths)
        if text.endswith("\n"):
            # Jinja drops one newline at the end of a template; Salt puts it back.
            plain += "\n"
        return Rendered(text=plain, anchors=anchors, exported=exported)

    def _run(self, template: jinja2.Template, context: Context) -> str:
        try:
            return "".join(template.root_render_func(context))
        except Exception:  # noqa: BLE001 -- Jinja raises it again, with the template's lines in the traceback
            self._environment.handle_exception()

    def _template(self, text: str, path: str, name: str) -> jinja2.Template:
        key = (path, text)
        if key not in self._compiled:
            code = self._environment.compile(text, name=name or path, filename=path)
            namespace = self._environment.make_globals(None)
            self._compiled[key] = jinja2.Template.from_code(self._environment, code, namespace, None)
        return self._compiled[key]
