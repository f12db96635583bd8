"""Collects the errors of a compilation, so that a user sees all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic, Severity, Span, sort_key
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.language.yaml.document import YamlPlace


class Collector:
    """The diagnostics of one compilation.

    Attributes:
        refused: IDs whose declaration was refused.
        is_incomplete: whether an SLS did not load as a whole, so that any ID may be declared in it.
    """

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self.is_incomplete = False
        self._found: dict[Diagnostic, None] = {}

    def may_be_declared(self, id_: str) -> bool:
        """Return whether an ID without a state may have one once other errors are mended.

        What names it is not reported meanwhile.
        """
        return self.is_incomplete or id_ in self.refused

    def error(
        self,
        code: str,
        summary: str,
        span: Span | YamlPlace | None,
        *,
        detail: str = "",
        help: str = "",  # noqa: A002 -- the field's name
        related: tuple[tuple[Span, str], ...] = (),
    ) -> None:
        """Add an error."""
        self.add(
            [
                Diagnostic(
                    code=code, summary=summary, span=_found(span), detail=detail, help=help, related=related
                )
            ]
        )

    def warning(
        self,
        code: str,
        summary: str,
        span: Span | YamlPlace | None,
        *,
        detail: str = "",
        help: str = "",  # noqa: A002 -- the field's name
    ) -> None:
        """Add a warning."""
        self.add(
            [
                Diagnostic(
                    code=code,
                    summary=summary,
                    span=_found(span),
                    detail=detail,
                    help=help,
                    severity=Severity.WARNING,
                )
            ]
        )

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add diagnostics; a repeated one counts once."""
        self._found.update(dict.fromkeys(diagnostics))

    @property
    def errors(self) -> list[Diagnostic]:
        """The errors so far, in reading order."""
        return sorted(
            (diagnostic for diagnostic in self._found if diagnostic.severity is Severity.ERROR), key=sort_key
        )

    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings so far, in reading order."""
        return sorted(
            (diagnostic for diagnostic in self._found if diagnostic.severity is Severity.WARNING),
            key=sort_key,
        )

    def stop_on_errors(self) -> None:
        """Raise the errors found so far.

        Raises:
            CompileError: there are errors; it carries all of them, then the warnings.
        """
        if errors := self.errors:
            raise CompileError([*errors, *self.warnings])


def _found(span: Span | YamlPlace | None) -> Span | None:
    return span if span is None or isinstance(span, Span) else span.span()


def near_names(name: str, candidates: Iterable[str], *, count: int = 3, cutoff: float = 0.6) -> str:
    """Return `did you mean a or b?`, or an empty string if no candidate is close."""
    import difflib

    close = difflib.get_close_matches(name, list(candidates), n=count, cutoff=cutoff)
    return f"did you mean {' or '.join(close)}?" if close else ""
