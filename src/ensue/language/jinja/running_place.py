"""The line of a template that is running: where it calls a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import jinja2

from ensue.core.diagnostics import Span

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_TEMPLATE: Final = "__jinja_template__"
"""The global under which Jinja keeps the template of compiled code, for the lines in its tracebacks."""


def running_place(frame: FrameType | None, shorten: Callable[[str], str]) -> Span | None:
    """Return the line of the innermost template that is running; None if there is none.

    Args:
        frame: a frame that the template has called; None: there is none.
        shorten: makes an absolute path relative to the project.
    """
    while frame is not None:
        template = frame.f_globals.get(_TEMPLATE)
        if isinstance(template, jinja2.Template) and template.filename:
            return Span(shorten(template.filename), template.get_corresponding_lineno(frame.f_lineno))
        frame = frame.f_back
    return None
