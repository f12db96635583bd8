"""A template that reads a part of the value of a skipped state which has none: found after the failure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import jinja2
from jinja2.utils import missing

from ensue.core.diagnostics import Diagnostic
from ensue.core.model.absent_value import AbsentValueError, ValuelessReturn
from ensue.language.jinja.missing_keys import READS, read_of, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.diagnostics import Span
    from ensue.language.jinja.template_source import TemplateSource


class OfNothingError(jinja2.UndefinedError):
    """A template reads something of None.

    Args:
        message: Jinja's message.
        key: what it reads.
    """

    def __init__(self, message: str, key: object) -> None:
        super().__init__(message)
        self.key = key


class StrictUndefined(jinja2.StrictUndefined):
    """What is undefined; what is read of None has an error of its own."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: Any = missing,
        name: str | None = None,
        exc: type[jinja2.TemplateRuntimeError] = jinja2.UndefinedError,
    ) -> None:
        of_nothing = cast("type[jinja2.UndefinedError]", partial(OfNothingError, key=name))
        super().__init__(hint, obj, name, of_nothing if obj is None else exc)


def absent_value(
    error: OfNothingError, span: Span, variables: Mapping[str, Any], source: TemplateSource
) -> AbsentValueError | None:
    """Return the error for a template that reads a value which a skipped state lacks; None: it reads another.

    Args:
        error: the failure.
        span: its place.
        variables: the variables of the rendering.
        source: the template.
    """
    for node in source.environment.parse(source.text).find_all(READS):
        new_state, key = read_of(node)
        returned, part = read_of(new_state)
        state_return = value_of(returned, variables)
        if (key, part) == (error.key, "new_state") and isinstance(state_return, ValuelessReturn):
            fault = Diagnostic(code="E0204", summary=state_return.why, span=span)
            return AbsentValueError(fault, state_return.causes)
    return None
