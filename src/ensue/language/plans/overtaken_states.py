"""Warns of an order that may matter: hosts that wait for each other, and a failure that stops an apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.engine.outcome import Overtaken

_MOST_NAMED: Final = 5


def overtaken_states(overtaken: Sequence[Overtaken], *, test: bool) -> Iterator[Diagnostic]:
    """Yield a warning that names the states that did not wait for what others changed later.

    Args:
        overtaken: these states.
        test: whether the run is a plan.
    """
    if not overtaken:
        return
    pairs = [f"{each.id!r} before {', '.join(map(repr, each.later[:_MOST_NAMED]))}" for each in overtaken]
    more = f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else ""
    would = "would change" if test else "changed"
    yield Diagnostic(
        code="E0727",
        summary=f"hosts wait for each other, and states ran on a host before own states of that host which "
        f"{would} something: {'; '.join(pairs[:_MOST_NAMED])}{more}",
        help="if the first needs what the second does, write both in one SLS of this machine, with `tgt`",
        severity=Severity.WARNING,
    )


def foreseen_stop(state_id: str) -> Iterator[Diagnostic]:
    """Yield a warning of a plan that `failhard` will stop the apply.

    Args:
        state_id: the ID of the state that would fail; empty if none would stop it.
    """
    if state_id:
        yield Diagnostic(
            code="E0730",
            summary=f"{state_id!r} would fail, and its `failhard` stops the apply there: of the states after "
            "it, only those that react by `listen` run",
            help=f"mend what lets {state_id!r} fail first, or take `failhard` away",
            severity=Severity.WARNING,
        )
