"""Turns endless imports of templates into a Diagnostic that shows their chain.

Python stops at some depth with an error that names no template; the chain is in its traceback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.diagnostics import Span

_LONGEST_CHAIN: Final = 100
"""Python's recursion limit ends a chain of a few hundred templates, depending on the kind of import."""

_HELP: Final = "end the cycle with a condition, or put what both need into a third template"


def endless(chain: Sequence[Span], fallback: Span) -> Diagnostic:
    """Return the error of a rendering that nested too deeply.

    Args:
        chain: for each open template, outermost first, the place where it pulls in the next one.
        fallback: the place to report if no template is in the chain twice.
    """
    seen: dict[str, int] = {}
    for at, span in enumerate(chain):
        first = seen.setdefault(span.path, at)
        if first != at:
            return _circle(chain[: at + 1], first)
    if len(chain) > _LONGEST_CHAIN:
        return Diagnostic(
            code="E0205",
            summary="a template could not be rendered",
            detail=f"more than {_LONGEST_CHAIN} templates pull each other in, one inside the other",
            span=fallback,
            help="let one template pull in several, or include the SLS under `include:`",
        )
    return Diagnostic(
        code="E0205",
        summary="a template could not be rendered",
        detail="what this line calls keeps calling itself without end",
        span=fallback,
        help="give the macro, or the function, a case in which it does not call itself",
    )


def _circle(chain: Sequence[Span], first: int) -> Diagnostic:
    begin = chain[first]
    arrows = " -> ".join([*map(_place, chain[:-1]), begin.path])
    others = [span.path for span in chain[first + 1 : -1]]
    through = f" through {', '.join(others)}" if others else ""
    return Diagnostic(
        code="E0214",
        summary=f"the template {begin.path} pulls itself in{through}",
        detail=arrows,
        span=begin,
        help=_HELP,
        related=tuple((span, "pulled in here") for span in chain[first + 1 : -1]),
    )


def _place(span: Span) -> str:
    return f"{span.path}:{span.line}" if span.line else span.path
