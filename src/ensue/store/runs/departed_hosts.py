"""Hosts that pillar declared when states ran on them, and that the project has no longer.

What the states made there stays, and no run compares it any more. A host is named if it is neither in pillar
nor registered, by a run of the same minion and environments that could have had one of its SLS. A plan names
each of them, an apply those that no apply has named.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.store.registry.enforced_form import EnforcedRow  # noqa: TC001 - msgspec resolves it
from ensue.store.registry.superseded import things_left

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.engine.outcome import EngineOutcome
    from ensue.store.runs.declarations import RunDeclarations


class DepartedHost(msgspec.Struct, frozen=True, kw_only=True):
    """A host that the project has no longer.

    Args:
        target: its SRN, as text.
        rows: the entries of its states.
    """

    target: str
    rows: Sequence[EnforcedRow]

    @property
    def warning(self) -> Diagnostic:
        """The warning about it."""
        import shlex  # Only a run with such a warning needs it.

        count = things_left(self.rows, self.target)
        what, stay = ("1 thing", "stays") if count == 1 else (f"{count} things", "stay")
        return Diagnostic(
            code="E0728",
            summary=f"pillar no longer declares {self.target}, and {what} that states made on it {stay}",
            detail=f"no run reaches it; `ensue show enforced --tgt {self.target}` lists what they made",
            help=(
                "bring it back, and declare absent what has to go before you remove it; if all of it may "
                f"stay, `ensue enforced forget --tgt {shlex.quote(self.target)}` ends this warning"
            ),
            severity=Severity.WARNING,
        )


def departed_hosts(
    rows: Iterable[EnforcedRow],
    declarations: RunDeclarations,
    outcome: EngineOutcome,
    *,
    minion: str,
    test: bool,
) -> list[DepartedHost]:
    """Return the hosts that the project has no longer, by name.

    Args:
        rows: what earlier applies enforced on what the project neither has nor had registered.
        declarations: those of this run.
        outcome: how it ended; one that was cut short says nothing.
        minion: this minion: only its own pillar is known.
        test: whether the run is a plan, which names again what an apply has named.
    """
    if outcome.status == "interrupted" or outcome.stopped:
        return []
    by_target: dict[str, list[EnforcedRow]] = defaultdict(list)
    for row in rows:
        by_target[row.target].append(row)

    def is_departed(target: str) -> bool:
        records = [row.entry.by for row in by_target[target] if row.entry.by is not None]
        return (
            any(
                by.pillar_of == minion
                and declarations.judges_of_departed(by)
                and (test or not by.is_reported)
                for by in records
            )
            # Pillar of other environments may still declare it.
            and all(map(declarations.is_of_environment, records))
            and things_left(by_target[target], target) > 0
        )

    return [
        DepartedHost(target=target, rows=rows_of)
        for target, rows_of in sorted(by_target.items())
        if is_departed(target)
    ]
