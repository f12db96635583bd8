"""The Jinja environment: Salt's names, templates of the roots, line marks, and the variables of imports.

In Salt the variables of a rendering (`salt`, `grains`, `pillar`, …) are globals of an environment that is
made for this one rendering. A template that is imported or included without context therefore sees them, sees
nothing that its importer set, and is one module however often the rendering imports it. Here an environment
and its compiled templates serve many renderings, each with a different pillar; the modules belong to a
`CurrentRendering`.

Source: Salt's Jinja renderer, 3008; behaviour measured there.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

import jinja2
from jinja2 import nodes
from jinja2.environment import TemplateModule
from jinja2.runtime import BlockReference, LoopContext, Macro
from jinja2.sandbox import SandboxedEnvironment

from ensue.core.model.printed_text import Written, is_plain
from ensue.language.authored_text import Authored, authored, made_of
from ensue.language.jinja.authorship import mark_authorship
from ensue.language.jinja.current import current, nothing_going_on
from ensue.language.jinja.filters import FILTERS, GLOBALS, TESTS
from ensue.language.jinja.filters.marking import PRINTED, WRITTEN, tests_of_references, with_marks
from ensue.language.jinja.loader import relative_name, template_name, template_places
from ensue.language.jinja.marks import insert_marks, move_down
from ensue.language.jinja.names import Generator, NamedFunctions, UnknownWhenCalledError
from ensue.language.jinja.parameters import PARAMETER, filter_parameters, printed_parameter
from ensue.language.jinja.printing import printable, printed_safely
from ensue.language.jinja.reference_constants import mark_references
from ensue.language.printed_values import joined
from ensue.language.reference_text import ReferenceText, reference_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    from jinja2.runtime import Context


_NUMBER_BYTES: Final = 6


def printed(value: Any) -> Any:
    """Return the text printed for a value; Jinja calls this for every `{{ … }}`."""
    if value.__class__ is Authored:
        return value
    text = printable(value)
    if isinstance(text, str):
        if is_plain(text):
            return text
    elif text is None or isinstance(text, (int, float, jinja2.Undefined, TemplateModule)):
        return text
    rendering = current.get(None)
    if rendering is None or not rendering.is_guarded:
        return text
    return printed_safely(value, text)


class SaltJinjaTemplate(jinja2.Template):
    """A template whose module belongs to the rendering that imports it."""

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        # Jinja gets the module of an import or include without context here. Its own method caches the module
        # forever, or without the variables. The name is private to Jinja, and no public method does this:
        # `tests/language/jinja/test_imports.py` fails if it changes, and the release is pinned.
        del ctx
        rendering = current.get()
        return super()._get_default_module() if rendering is None else rendering.module(self)


class SaltJinjaEnvironment(SandboxedEnvironment):
    """A Jinja environment with Salt's filters and functions, relative template names, and line marks.

    As in Salt it is sandboxed: attributes that begin with an underscore, attributes that lead to Python's
    internals, and ranges beyond 100,000 are refused.

    Args:
        paths: the shown paths of templates, by the number in marks; it grows. A path has the same number in
            every process, because compiled templates are stored.
        shorten: makes an absolute path relative to the project.
        options: options of Jinja's environment.
    """

    template_class = SaltJinjaTemplate
    code_generator_class = Generator
    authored = staticmethod(authored)
    concatenated = staticmethod(joined)

    def __init__(self, paths: dict[int, str], shorten: Callable[[str], str], **options: Any) -> None:
        options.setdefault("finalize", printed)
        super().__init__(**options)
        own = with_marks(dict(self.filters) | dict(FILTERS))
        self.filters = NamedFunctions("filter", own | {PRINTED: printed, PARAMETER: printed_parameter})
        self.tests = NamedFunctions("test", tests_of_references(dict[str, Any](self.tests) | dict(TESTS)))
        self.globals.update(GLOBALS)
        self._paths = paths
        self._shorten = shorten

    def join_path(self, template: str, parent: str) -> str:
        """Resolve `./x` and `../x` against the template that names them."""
        return relative_name(template, parent)

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> jinja2.Template:  # noqa: A002
        """Load a template by its name in the roots."""
        if isinstance(name, str):
            name = template_name(self.join_path(name, parent) if parent else name)
            # A template that is imported without context still has its location variables.
            given: dict[str, Any] = dict(globals or {})
            return _noted(super().get_template(name, None, template_places(name) | given))
        return _noted(super().get_template(name, None, globals))

    def select_template(self, names: Any, parent: str | None = None, globals: Any = None) -> jinja2.Template:  # noqa: A002
        """Load the first template that exists of several names."""
        return _noted(super().select_template(names, parent, globals))

    def compile_part(self, text: str, path: str, name: str, first_line: int) -> CodeType:
        """Compile a part of a file, with the line numbers of that file."""
        try:
            template = self.parse(text, name, path)
        except jinja2.TemplateSyntaxError as error:
            error.lineno += first_line - 1
            raise
        if first_line > 1:
            move_down(template, first_line - 1)
        self._prepare(template, text, path)
        return self._compiled(template, name, path)

    def compile(  # type: ignore[override] # the variant that returns source code is never called
        self, source: str | nodes.Template, name: str | None = None, filename: str | None = None
    ) -> CodeType:
        """Compile a template with marks of lines and authorship; Jinja calls this for every one it loads."""
        if isinstance(source, str):
            text, source = source, self.parse(source, name, filename)
            self._prepare(source, text, filename or name or "<template>")
        return self._compiled(source, name, filename)

    def _compiled(self, source: nodes.Template, name: str | None, path: str | None) -> CodeType:
        # Jinja prints constants when it compiles them. They are the author's, also within a rendering.
        with nothing_going_on():
            return super().compile(source, name, path)

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Make a call of a template; the result of a macro is written text."""
        returned = super().call(context, obj, *args, **kwargs)
        if isinstance(obj, (Macro, BlockReference, LoopContext)) and returned.__class__ is str:
            return Written(returned)
        return returned

    def reference(self, text: str) -> str:
        """Return a constant that may hold a reference; only an SLS has references (`is_guarded`)."""
        rendering = current.get(None)
        return reference_text(text) if rendering is not None and rendering.is_guarded else authored(text)

    def tested_reference(self, text: str) -> str:
        """Refuse a constant with a reference as a condition; return any other."""
        tested = self.reference(text)
        return tested.read() if isinstance(tested, ReferenceText) else tested

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return the method `format` of a text; its result is authored if all values in it are."""
        format_values = super().wrap_str_format(value)
        if format_values is None or not isinstance(value.__self__, Written):
            return format_values
        template = value.__self__

        def filled(*args: Any, **options: Any) -> str:
            # The result of Jinja's function has the class of the template.
            text = str(format_values(*args, **options))
            return made_of(text, (template, *args, *options.values()))

        return filled

    def call_filter(self, name: str, *args: Any, **options: Any) -> Any:
        """Call a filter that a template names by text, as `map` does."""
        self._check(self.filters, name)
        return super().call_filter(name, *args, **options)

    def call_test(self, name: str, *args: Any, **options: Any) -> Any:
        """Call a test that a template names by text, as `select` does."""
        self._check(self.tests, name)
        return super().call_test(name, *args, **options)

    def _prepare(self, template: nodes.Template, source: str, path: str) -> None:
        """Mark lines and authorship; captured blocks are written text, as the results of macros are."""
        filter_parameters(template)
        mark_authorship(template, source)
        mark_references(template, source)
        insert_marks(template, self.know_file(path))
        for block in template.find_all(nodes.AssignBlock):
            block.filter = _on_written(block.filter, block.lineno)
        for printing in template.find_all(nodes.FilterBlock):
            filtered = _on_written(printing.filter, printing.lineno)
            printing.filter = _filter(PRINTED, filtered, printing.lineno)

    def _check(self, known: Any, name: Any) -> None:
        # A name that is not text is an undefined variable: Jinja reports it.
        if isinstance(name, str) and isinstance(known, NamedFunctions) and name not in known:
            raise UnknownWhenCalledError(known.unknown(name))

    def know_file(self, path: str) -> int:
        """Return the number of a template's file, for its marks."""
        shown = self._shorten(path)
        number = int.from_bytes(
            hashlib.sha256(shown.encode("utf-8", "surrogatepass")).digest()[:_NUMBER_BYTES]
        )
        self._paths[number] = shown
        return number


def _noted(template: jinja2.Template) -> jinja2.Template:
    """Record a template that a rendering pulls in, even a cached one, and return it."""
    rendering = current.get(None)
    if rendering is not None and template.filename:
        rendering.templates.append(template.filename)
    return template


def _on_written(filters: nodes.Filter | None, line: int) -> nodes.Filter:
    """Return the filters of a captured block, the innermost of which is given written text."""
    captured = _filter(WRITTEN, None, line)
    if filters is None:
        return captured
    innermost = filters
    while isinstance(innermost.node, nodes.Filter):
        innermost = innermost.node
    innermost.node = captured
    return filters


def _filter(name: str, node: Any, line: int) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=line)
