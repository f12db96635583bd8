"""Rendering one template text with Salt's context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jinja2
import msgspec

from ensue.language.jinja.absent_values import StrictUndefined
from ensue.language.jinja.compiled_templates import TemplateCode
from ensue.language.jinja.current import CurrentRendering
from ensue.language.jinja.environment import SaltJinjaEnvironment, SaltJinjaTemplate
from ensue.language.jinja.errors import as_compile_error
from ensue.language.jinja.header import read_header
from ensue.language.jinja.loader import RootsLoader
from ensue.language.jinja.profile import ProfileExtension
from ensue.language.jinja.serializers import SerializerExtension
from ensue.language.jinja.template_source import TemplateSource
from ensue.language.line_marks import take_out_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import CodeType

    from jinja2.runtime import Context

    from ensue.core.diagnostics import Diagnostic
    from ensue.language.jinja.compiled_templates import CompiledTemplates
    from ensue.language.yaml.document import Anchor


class JinjaOutput(msgspec.Struct, frozen=True, kw_only=True):
    """A rendering.

    Args:
        text: the text.
        anchors: where its lines come from; empty if no line moved.
        exported: top-level variables of the template at its end, including imports.
        templates: the files of the templates that it pulled in.
    """

    text: str
    exported: Mapping[str, Any]
    anchors: tuple[Anchor, ...] = ()
    templates: tuple[str, ...] = ()


class JinjaRenderer:
    """Renders texts of one environment (`base`); compiled templates are kept.

    Args:
        roots: folders that templates are loaded from.
        shorten: makes an absolute path relative to the project, for messages.
        prepare: applied to the text of every template before Jinja parses it.
        options: further options of the Jinja environment (`trim_blocks`, …), by Jinja's names.
        allow_undefined: an undefined variable is empty instead of an error.
        kept: stores compiled templates for later processes; None stores none.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        shorten: Callable[[str], str],
        prepare: Callable[[str, str], str] = lambda text, _path: text,
        options: Mapping[str, Any] | None = None,
        allow_undefined: bool = False,
        kept: CompiledTemplates | None = None,
    ) -> None:
        self._paths: dict[int, str] = {}
        self._kept = kept
        self._shorten = shorten
        self._roots = tuple(roots)
        self._options: dict[str, Any] = {
            "loader": RootsLoader(roots, prepare, shorten),
            "extensions": ["jinja2.ext.do", "jinja2.ext.loopcontrols", SerializerExtension, ProfileExtension],
            "undefined": jinja2.Undefined if allow_undefined else StrictUndefined,
            "cache_size": 2000,
            **dict(options or {}),
        }
        self._shown_options = {**dict(options or {}), "allow_undefined": allow_undefined}
        self._environment = self._make_environment({})
        self._own_environments: dict[str, SaltJinjaEnvironment] = {}
        self._compiled: dict[tuple[SaltJinjaEnvironment, str, int, str], jinja2.Template] = {}

    def render(
        self,
        text: str,
        variables: Mapping[str, Any],
        *,
        path: str,
        name: str = "",
        first_line: int = 1,
        is_guarded: bool = False,
        is_file: bool = False,
    ) -> JinjaOutput:
        """Render a template.

        Args:
            text: the template.
            variables: its context.
            path: its file, for messages.
            name: its name in the roots, from which relative includes start.
            first_line: the line of its file on which the text begins.
            is_guarded: whether the text is read as YAML or JSON afterwards, so that values in it are guarded.
            is_file: whether the text is a file of the project, or part of one; only then its code is stored.

        Raises:
            CompileError: invalid Jinja, an undefined variable, or an error in a called function.
        """
        source = self.source_of(text, first_line)
        try:
            template = self._template(source, path, name, is_file=is_file)
            rendering = CurrentRendering(variables, is_guarded=is_guarded)
            with rendering.going_on():
                context = template.new_context(dict(variables))
                marked = self._run(template, context)
        except Exception as error:  # noqa: BLE001 -- a template calls functions of plug-ins: anything may come
            raise as_compile_error(
                error, path=path, shorten=self._shorten, variables=variables, source=source
            ) from None
        plain, anchors = take_out_marks(source.kept + marked, self._paths)
        if source.text.endswith("\n"):
            # Jinja drops one newline at the end of a template; Salt puts it back.
            plain += "\n"
        templates = tuple(dict.fromkeys(rendering.templates))
        return JinjaOutput(text=plain, anchors=anchors, exported=dict(context.vars), templates=templates)

    def free_names(self, text: str, names: Container[str]) -> Iterator[tuple[str, int]]:
        """Yield where a template reads one of some names without setting it, with its line."""
        from ensue.language.jinja.free_names import free_names

        return free_names(self.source_of(text), names)

    def source_of(self, text: str, first_line: int = 1) -> TemplateSource:
        """Return a template with the environment that renders it, whose options its first line may set."""
        if header := read_header(text):
            environment = self._with_options(header.options)
            at = first_line + header.lines
            return TemplateSource(environment, header.body, at, self._roots, header.kept)
        return TemplateSource(self._environment, text, first_line, self._roots)

    def faults(self, source: TemplateSource, *, path: str, name: str) -> Sequence[Diagnostic]:
        """Return why a part of a file does not compile; the code of one that does is kept for its rendering.

        Args:
            source: the part.
            path: its file, for messages.
            name: its name in the roots.
        """
        try:
            self._template(source, path, name, is_file=True)
        except Exception as error:  # noqa: BLE001 -- nesting may be too deep for Jinja or for Python
            fault = as_compile_error(error, path=path, shorten=self._shorten, variables={}, source=source)
            return fault.diagnostics
        return ()

    def _run(self, template: jinja2.Template, context: Context) -> str:
        try:
            return "".join(template.root_render_func(context))
        except Exception:  # noqa: BLE001 -- Jinja raises it again, with the template's lines in the traceback
            template.environment.handle_exception()

    def _with_options(self, options: Mapping[str, Any]) -> SaltJinjaEnvironment:
        key = repr(sorted(options.items()))
        if key not in self._own_environments:
            self._own_environments[key] = self._make_environment(options)
        return self._own_environments[key]

    def _make_environment(self, options: Mapping[str, Any]) -> SaltJinjaEnvironment:
        """Return an environment with further options."""
        code = None
        if self._kept is not None:
            code = TemplateCode(self._kept, repr(sorted({**self._shown_options, **options}.items())))
        return SaltJinjaEnvironment(
            self._paths, self._shorten, **{**self._options, **options, "bytecode_cache": code}
        )

    def _template(self, source: TemplateSource, path: str, name: str, *, is_file: bool) -> jinja2.Template:
        environment = source.environment
        key = (environment, path, source.first_line, source.text)
        if key not in self._compiled:
            code = self._code(source, path, name or path, is_file=is_file)
            # Every rendering copies its globals; copying the chain of `make_globals` would take longer.
            self._compiled[key] = SaltJinjaTemplate.from_code(
                environment, code, dict(environment.globals), None
            )
        return self._compiled[key]

    def _code(self, source: TemplateSource, path: str, name: str, *, is_file: bool) -> CodeType:
        environment, text, first_line = source.environment, source.text, source.first_line
        kept = environment.bytecode_cache
        if kept is None or not is_file:
            return environment.compile_part(text, path, name, first_line)
        bucket = kept.get_bucket(environment, f"{name}:{first_line}", path, text)
        if bucket.code is None:
            bucket.code = environment.compile_part(text, path, name, first_line)
            kept.set_bucket(bucket)
        return bucket.code
