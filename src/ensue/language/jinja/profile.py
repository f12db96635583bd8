"""The tag `{% profile as 'label' %} … {% endprofile %}`: logs how long a part of a template takes.

Source: Salt's Jinja documentation ("Profiling"), 3008; the code is our own.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, ClassVar, Final

from jinja2 import nodes
from jinja2.ext import Extension

if TYPE_CHECKING:
    from jinja2.parser import Parser

LEVEL: Final = 15
"""The level of the messages: Salt's `profile`, between debug and info."""

_logger = logging.getLogger(__name__)


class ProfileExtension(Extension):
    """The tag `profile`; its content renders as if the tag were not there."""

    tags: ClassVar[set[str]] = {"profile"}  # type: ignore[misc] # jinja2 declares it per instance

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        """Parse the tag and its content."""
        line = next(parser.stream).lineno
        parser.stream.expect("name:as")
        label = parser.parse_expression()
        body = parser.parse_statements(("name:endprofile",), drop_needle=True)
        # An internal name is not a variable of the template.
        begun = parser.free_identifier(line)
        begin = self.call_method("_begin", [], lineno=line)
        end = self.call_method("_end", [begun, label], lineno=line)
        return [nodes.Assign(begun, begin).set_lineno(line), *body, nodes.ExprStmt(end).set_lineno(line)]

    def _begin(self) -> float:
        return time.perf_counter()

    def _end(self, begun_s: float, label: Any) -> None:
        taken_s = time.perf_counter() - begun_s
        _logger.log(LEVEL, "Time (in seconds) to render profile block '%s': %s", label, taken_s)
