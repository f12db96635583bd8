"""Where a state was enforced that a run has no value of: in other scopes, or in other environments.

No run reads these values; its messages say where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.enforced import FormerState, RanElsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.store.registry.enforced_form import EnforcedRow


def ran_elsewhere(rows: Iterable[EnforcedRow], environment: str, path: str, word: str) -> RanElsewhere:
    """Return where states were enforced that a reference could mean.

    Args:
        rows: the entries of its target.
        environment: the environment of the run.
        path: a module path, or a dotted prefix of one.
        word: the ID or the name of a state.
    """
    meant = [
        row
        for row in rows
        if word in {row.entry.id, row.entry.name}
        and f"{row.entry.module}.".startswith(f"{path}.")
        and row.is_readable
    ]
    return RanElsewhere(
        scopes=sorted({row.entry.path for row in meant if row.scope and row.environment == environment}),
        environments=sorted({row.environment for row in meant} - {environment}),
    )


def last_of_others(rows: Iterable[EnforcedRow]) -> FormerState | None:
    """Return what ran last for a state in other environments; None: nothing did.

    Args:
        rows: its entries there.
    """
    readable = (row for row in rows if row.is_readable)
    last = max(readable, key=lambda row: row.run_id, default=None)
    if last is None:
        return None
    return FormerState(word="environment", value=last.environment, run_id=last.run_id)
