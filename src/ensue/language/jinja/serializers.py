"""Data in templates: `load_yaml`, `load_json`, `load_text`, and `import_yaml`, `import_json`, `import_text`.

Source: Salt's Jinja documentation ("Serializers"); the code is our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from jinja2 import TemplateRuntimeError, nodes
from jinja2.ext import Extension

from ensue.core.errors import CompileError
from ensue.core.model.bounded_json import load_json
from ensue.core.model.printed_text import Written
from ensue.language.authored_data import mark_authored
from ensue.language.jinja.current import current
from ensue.language.line_marks import without_marks
from ensue.language.printed_values import take_out_guards
from ensue.language.yaml import load_text
from ensue.language.yaml.containment import load_any

if TYPE_CHECKING:
    from jinja2.environment import TemplateModule
    from jinja2.parser import Parser

    from ensue.core.model.printed_text import Extent


class SerializerExtension(Extension):
    """The six tags that load or import data. Each assigns to the name after `as`."""

    tags: ClassVar[set[str]] = {  # type: ignore[misc] # jinja2 declares it per instance
        "load_yaml",
        "load_json",
        "load_text",
        "import_yaml",
        "import_json",
        "import_text",
    }

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        """Parse one tag."""
        tag = parser.stream.current.value
        form = tag.rpartition("_")[2]
        return self._parse_load(parser, form) if tag.startswith("load") else self._parse_import(parser, form)

    def _parse_load(self, parser: Parser, form: str) -> list[nodes.Node]:
        line = next(parser.stream).lineno
        parser.stream.expect("name:as")
        target = parser.parse_assign_target()
        body = parser.parse_statements(("name:endload",), drop_needle=True)
        # An internal name is not a variable of the template.
        captured = parser.free_identifier(line)
        loaded = self.call_method("_load", [captured, nodes.Const(form)], lineno=line)
        return [
            nodes.AssignBlock(captured, None, body).set_lineno(line),
            nodes.Assign(target, loaded).set_lineno(line),
        ]

    def _parse_import(self, parser: Parser, form: str) -> list[nodes.Node]:
        # The file is imported like any template, with or without `with context`, and then read.
        imported = parser.parse_import()
        name, line = imported.target, imported.lineno
        module = nodes.Name(name, "load")
        loaded = self.call_method("_loaded", [module, nodes.Const(form)], lineno=line)
        return [imported, nodes.Assign(nodes.Name(name, "store").set_lineno(line), loaded).set_lineno(line)]

    def _load(self, value: Any, form: str) -> Any:
        return parse_printed(without_marks(str(value)), form, "the text between the tags")

    def _loaded(self, module: TemplateModule, form: str) -> Any:
        return parse_printed(without_marks(str(module)), form, module.__name__ or "the template")


def parse_printed(text: str, form: str, name: str) -> Any:
    """Return the data of a text into which a template printed values; each value stays within one scalar.

    What an author wrote in it stays marked.

    Raises:
        TemplateRuntimeError: it is not well-formed, or a value extends beyond one scalar.
    """
    if form == "text":
        return Written(text)
    text, extents = take_out_guards(text)
    if extents:
        _refuse_structure(text, extents, form, name)
    data = parse_text(text, form, name)
    rendering = current.get()
    return mark_authored(data, text, extents, load_any) if rendering and rendering.is_guarded else data


def _refuse_structure(text: str, extents: list[Extent], form: str, name: str) -> None:
    from ensue.language.json_containment import beyond_strings
    from ensue.language.yaml.containment import beyond_scalars

    for extent in (beyond_strings if form == "json" else beyond_scalars)(text, extents):
        value = text[extent.start : extent.end]
        message = f"in {name} the printed value {value!r} is more than one scalar: print it with `| tojson`"
        raise TemplateRuntimeError(message)


def parse_text(text: str, form: str, name: str) -> Any:
    """Return the data of a text in one of the forms `yaml`, `json`, `text`.

    Raises:
        TemplateRuntimeError: it is not well-formed; names it and the place in it.
    """
    if form == "text":
        return text
    try:
        return load_json(text) if form == "json" else load_text(text, name)
    except (CompileError, ValueError) as error:
        raise TemplateRuntimeError(f"{name} is not {form.upper()}: {error}") from None
