"""Names of Idem's that ensue does not have, `hub` and `acct`, with the replacement for each.

Source: Idem 25: the hub in templates, and credentials (`acct`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration

_CODE: Final = "E0313"
_STANDS_FOR: Final = {
    "hub": "call an execution function with salt['module.function'](…); read what another state returned "
    "with ${state:ID:property} in an argument, or with `prev_ret` in a delayed block",
    "acct": "keep credentials in pillar, and read them with pillar['key'] or salt['pillar.get']('a:b')",
}
_ARGUMENTS: Final = frozenset({"acct_profile", "acct_data", "acct_file", "acct_key"})


FOREIGN_NAMES: Final = frozenset(_STANDS_FOR)
"""The names that templates do not have."""


def foreign_name(name: str, span: Span) -> Diagnostic | None:
    """Return the error for an undefined name in a template if it is one of Idem's, else None."""
    if name not in _STANDS_FOR:
        return None
    return Diagnostic(
        code=_CODE,
        summary=f"templates have no {name!r}; it belongs to Idem",
        span=span,
        help=_STANDS_FOR[name],
    )


def refuse_credentials(declaration: Declaration, others: Iterable[str], collector: Collector) -> bool:
    """Refuse the arguments by which Idem selects credentials; return whether there are any.

    Args:
        declaration: the state.
        others: the names of arguments that the function does not have.
        collector: collects the errors.
    """
    refused = sorted(_ARGUMENTS.intersection(others))
    for name in refused:
        collector.error(
            _CODE,
            f"`{name}` of {declaration.id!r} is Idem's option for credentials",
            declaration.span(name),
            detail="ensue has no acct",
            help="keep credentials in pillar and give them as arguments; a plug-in reads `__pillar__`",
        )
    return bool(refused)
