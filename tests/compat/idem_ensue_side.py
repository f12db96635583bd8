"""Running a tree of Idem on ensue, in this process, through the API that the command line calls."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.compat.idem_trees import outcome_of_returns, write_functions_of_ensue

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.compat.outcome import Outcome
    from tests.compat.trees import Tree


def run_on_ensue(tree: Tree, root: Path) -> Outcome:
    """Lay a tree out in a folder and run its SLS, each by itself.

    Args:
        tree: the tree.
        root: an empty folder.

    Returns:
        The outcome of the last run.
    """
    tree.lay_out(root)
    write_functions_of_ensue(root / "states")
    for name in tree.mods:
        outcome = asyncio.run(_run(name, root, test=tree.test))
    return outcome


async def _run(name: str, root: Path, *, test: bool) -> Outcome:
    try:
        async with AppProject.open(root, ProjectOptions(minion_id="web-01")) as project:
            report = await project.apply((name,), RunOptions(test=test), on_event=lambda _: None)
    except CompileError as error:
        return outcome_of_returns(str(diagnostic.summary) for diagnostic in error.diagnostics)
    returns = {tag: returned.as_data() for tag, returned in report.returns.items()}
    return replace(outcome_of_returns(_with_delayed(returns)), exit=report.exit_code)


def _with_delayed(returns: Mapping[str, Any]) -> dict[str, Any]:
    """Return returns with those of delayed blocks, which are below their callers, beside them."""
    flat: dict[str, Any] = {}
    for tag, returned in returns.items():
        flat[tag] = returned
        for entry in returned.get("delayed", []):
            flat |= {
                f"{entry['scope']} {tag}": inner for tag, inner in _with_delayed(entry["returns"]).items()
            }
    return flat
