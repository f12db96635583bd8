"""Errors and warnings about a user's input, as values.

A `Diagnostic` says what happened, where, why, and how to fix it. Diagnostics are collected
during compilation and reported together; only the command line sorts them.
This module neither renders nor raises anything.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Container, Iterable


class Severity(enum.Enum):
    """The severity of a diagnostic: an error stops the run before it starts, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Span(msgspec.Struct, frozen=True, order=True):
    """A place in a source file.

    Args:
        path: the file, relative to the project root if it is below it.
        line: the line, counted from 1; 0 when only the file is known.
        column: the column, counted from 1; 0 when only the line is known.
    """

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """Return the place as `path:line:column`, without the parts that are not known."""
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True):
    """One error or warning about a user's input.

    Args:
        code: a stable code (`E0101`) that docs/diagnostics.md explains.
        summary: what happened, one sentence without a full stop at the end.
        detail: why, as far as it is known; may be empty.
        help: how to fix it; may be empty.
        span: where; None only if no file is involved (a command-line argument).
        related: further places, each with a label ("first declared here").
        severity: an error or a warning.
    """

    code: str
    summary: str
    span: Span | None = None
    detail: str = ""
    help: str = ""
    related: tuple[tuple[Span, str], ...] = ()
    severity: Severity = Severity.ERROR

    @property
    def message(self) -> str:
        """The diagnostic as one line of plain text, place first."""
        where = f"{self.span}: " if self.span else ""
        why = f": {self.detail}" if self.detail else ""
        mend = f" ({self.help})" if self.help else ""
        return f"{where}{self.summary}{why}{mend}"


def without_silenced(diagnostics: Iterable[Diagnostic], codes: Container[str]) -> list[Diagnostic]:
    """Return diagnostics without the warnings that have one of the codes; errors stay."""
    return [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.severity is Severity.ERROR or diagnostic.code not in codes
    ]


def sort_key(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    """Return the key that puts diagnostics in reading order: file, line, column, code."""
    span = diagnostic.span or Span("")
    return (span.path, span.line, span.column, diagnostic.code, diagnostic.summary)
