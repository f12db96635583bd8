"""A compiled template: the interface of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Span
from ensue.core.errors import GoTemplateError
from ensue.core.model.data import copied, is_encodable
from ensue.core.model.secret_marks import bracketed, unbracketed
from ensue.deploy.gotemplate.evaluator import EvaluationFailure, TemplateProgram, TemplateRendering
from ensue.deploy.gotemplate.failures import CallError, TemplateSyntaxError
from ensue.deploy.gotemplate.functions import FUNCTIONS, MUTATING, REFUSED
from ensue.deploy.gotemplate.parser import parse
from ensue.deploy.gotemplate.surroundings import REAL_SURROUNDINGS, RenderingServices
from ensue.deploy.gotemplate.values import to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOO_DEEP: Final = CallError(
    "it is nested too deep to be evaluated", help="Nest templates and data less deeply"
)


class CompiledGoTemplate:
    """A compiled template, which can be rendered any number of times.

    Args:
        program: the parsed template.
        source: the template's text.
        name: its name in errors, such as a path.
        changes_data: whether it calls a function that changes a mapping.
    """

    def __init__(self, program: TemplateProgram, *, source: str, name: str, changes_data: bool) -> None:
        self._program = program
        self._source = source
        self._name = name
        self._changes_data = changes_data

    def render(
        self, data: Mapping[str, Any] | Any, surroundings: RenderingServices = REAL_SURROUNDINGS
    ) -> str:
        """Render the template.

        Args:
            data: the value of `.`, plain data; it is not changed.
            surroundings: the time and the callbacks.

        Raises:
            GoTemplateError: a key is missing, a function failed or a limit was reached.
        """
        rendering = TemplateRendering(self._program, surroundings)
        try:
            text = rendering.text(copied(data) if self._changes_data else data)
        except EvaluationFailure as failure:
            raise _error(failure.error, self._source, failure.offset, self._name) from None
        except RecursionError:
            raise _error(_TOO_DEEP, self._source, rendering.offset, self._name) from None
        if is_encodable(text):
            return text
        return unbracketed(to_bytes(bracketed(text)).decode("utf-8", "replace"))


def compile_template(text: str, name: str) -> CompiledGoTemplate:
    """Compile a template.

    Args:
        text: the template.
        name: its name in errors, such as a path.

    Raises:
        GoTemplateError: it does not parse, or calls a function that does not exist.
    """
    try:
        parsed = parse(text, FUNCTIONS.keys(), REFUSED)
    except TemplateSyntaxError as failure:
        raise _error(failure, text, failure.offset, name) from None
    program = TemplateProgram(parsed.body, parsed.definitions, FUNCTIONS)
    return CompiledGoTemplate(
        program, source=text, name=name, changes_data=not MUTATING.isdisjoint(parsed.functions)
    )


def _error(failure: CallError, source: str, offset: int, name: str) -> GoTemplateError:
    line = source.count("\n", 0, offset) + 1
    column = offset - (source.rfind("\n", 0, offset) + 1) + 1
    return GoTemplateError(failure.what, span=Span(name, line, column), help=failure.help)
