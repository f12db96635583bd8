"""Data in templates: `load_yaml`, `load_json`, `load_text`, and `import_yaml`, `import_json`, `import_text`.

Source: Salt's Jinja documentation ("Serializers"); the code is our own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from jinja2 import TemplateRuntimeError, nodes
from jinja2.ext import Extension

from ensue.errors import CompileError
from ensue.language.jinja.loader import relative_name
from ensue.language.jinja.marks import without_marks
from ensue.language.yaml import load_text

if TYPE_CHECKING:
    from jinja2.parser import Parser
    from jinja2.runtime import Context


class SerializerExtension(Extension):
    """The six tags. Each assigns to the name behind `as`."""

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
        token = next(parser.stream)
        action, _, form = token.value.partition("_")
        return (
            self._parse_load(parser, token.lineno, form)
            if action == "load"
            else self._parse_import(parser, token.lineno, form)
        )

    def _parse_load(self, parser: Parser, line: int, form: str) -> list[nodes.Node]:
        parser.stream.expect("name:as")
        target = parser.parse_assign_target()
        body = parser.parse_statements(("name:endload",), drop_needle=True)
        name: str = parser.free_identifier().name
        captured = nodes.Name(name, "store").set_lineno(line)
        loaded = self.call_method("_load", [nodes.Name(name, "load"), nodes.Const(form)], lineno=line)
        return [
            nodes.AssignBlock(captured, None, body).set_lineno(line),
            nodes.Assign(target, loaded).set_lineno(line),
        ]

    def _parse_import(self, parser: Parser, line: int, form: str) -> nodes.Node:
        source = parser.parse_expression()
        _skip_context_words(parser)
        parser.stream.expect("name:as")
        target = parser.parse_assign_target()
        _skip_context_words(parser)
        loaded = self.call_method(
            "_import",
            [nodes.ContextReference(), source, nodes.Const(form), nodes.Const(parser.name)],
            lineno=line,
        )
        return nodes.Assign(target, loaded).set_lineno(line)

    def _load(self, value: Any, form: str) -> Any:
        return parse_text(without_marks(str(value)), form, "the text between the tags")

    def _import(self, context: Context, source: str, form: str, parent: str | None) -> Any:
        name = relative_name(source, parent or "")
        template = self.environment.get_template(name)
        return parse_text(without_marks(template.render(context.get_all())), form, name)


def _skip_context_words(parser: Parser) -> None:
    """Skip `with context` and `without context`: what is imported here always sees the context."""
    if parser.stream.current.test_any("name:with", "name:without") and parser.stream.look().test(
        "name:context"
    ):
        parser.stream.skip(2)


def parse_text(text: str, form: str, name: str) -> Any:
    """Return what a text in one of the forms `yaml`, `json`, `text` holds.

    Raises:
        TemplateRuntimeError: it is not well-formed; names it and the place in it.
    """
    if form == "text":
        return text
    try:
        return json.loads(text) if form == "json" else load_text(text, name)
    except (CompileError, ValueError) as error:
        message = f"{name} is not {form.upper()}: {error}"
        raise TemplateRuntimeError(message) from None
