"""The line of a file that is running: where a template, or an SLS in Python, calls a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import jinja2

from ensue.core.diagnostics import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_TEMPLATE: Final = "__jinja_template__"
"""The global under which Jinja keeps the template of compiled code, for the lines in its tracebacks."""


def running_place(frame: FrameType | None, path: str, shorten: Callable[[str], str]) -> Span | None:
    """Return the line that is running of the innermost template, or of the file that is rendered.

    Args:
        frame: a frame that the file has called; None: there is none.
        path: the file that is rendered, as messages show it; empty: none is.
        shorten: makes an absolute path relative to the project.
    """
    for each in _with_callers(frame):
        template = each.f_globals.get(_TEMPLATE)
        if isinstance(template, jinja2.Template) and template.filename:
            return Span(shorten(template.filename), template.get_corresponding_lineno(each.f_lineno))
        if each.f_code.co_filename == path:
            return Span(path, each.f_lineno)
    return Span(path) if path else None


def _with_callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
