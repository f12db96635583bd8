"""Running a tree on ensue, in this process, through the API that the command line calls."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import yaml
from tests.compat.outcome import outcome_of
from tests.compat.trees import MINION_ID

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.compat.outcome import Outcome
    from tests.compat.trees import Tree


def run_on_ensue(tree: Tree, root: Path) -> Outcome:
    """Lay a tree out in a folder and run it.

    Args:
        tree: the tree.
        root: an empty folder.
    """
    before = os.umask(0o022)
    try:
        return _run(tree, root)
    finally:
        os.umask(before)


def _run(tree: Tree, root: Path) -> Outcome:
    tree.lay_out(root)
    if tree.config:
        (root / "ensue.yaml").write_text(yaml.safe_dump(dict(tree.config)))
    overrides = {**tree.environments, "grains_file": str(root / "out/grains")}
    options = ProjectOptions(minion_id=MINION_ID, pillar=dict(tree.pillar), overrides=overrides)

    async def run() -> Outcome:
        async with AppProject.open(root, options) as project:
            report = await project.apply(tree.mods, RunOptions(test=tree.test), on_event=lambda _: None)
            returns = {tag: returned.as_data() for tag, returned in report.returns.items()}
            return outcome_of(report.exit_code, returns, root)

    try:
        return asyncio.run(run())
    except CompileError as error:
        return outcome_of(1, [str(diagnostic.summary) for diagnostic in error.diagnostics], root)
