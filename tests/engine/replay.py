"""A case that was measured in Salt, run through the engine."""

from __future__ import annotations

from typing import Any

from tests.engine.harness import Lab, Row
from tests.engine.salt_states import SALT_STATES, mod_watch

from ensue.core.model.chunk import StateOptions

PREFIX = "One or more requisite failed: "


def replay(case: dict[str, Any], *, ordered: bool = True) -> list[list[Any]]:
    """Return `[ID, function, result, comment, changed]` of each return, in order of start."""
    lab = Lab(functions=dict(SALT_STATES), watches={"test": mod_watch})
    outcome = lab.run([_row(dict(row)) for row in case["rows"]], test=case["test"], ordered=ordered)
    return [
        [back.id, back.function, back.result, normal(back.comment), bool(back.changes)]
        for back in outcome.returns.values()
    ]


def _row(row: dict[str, Any]) -> Row:
    options = StateOptions(failhard=True) if row.pop("failhard", False) else StateOptions()
    return Row(options=options, **row)


def normal(comment: str) -> str:
    """Salt names failed requisites in the order of a set."""
    if comment.startswith(PREFIX):
        return PREFIX + ", ".join(sorted(comment.removeprefix(PREFIX).split(", ")))
    return comment
