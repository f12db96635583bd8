"""Running a tree on Idem: one process of its command line for each SLS."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

from tests.compat.idem_trees import outcome_of_returns

if TYPE_CHECKING:
    from pathlib import Path

    from tests.compat.outcome import Outcome
    from tests.compat.trees import Tree

_SECONDS = 120
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run_on_idem(tree: Tree, idem: Path, plugin: Path, root: Path) -> Outcome:
    """Lay a tree out in a folder and run its SLS, each by itself.

    Args:
        tree: the tree.
        idem: the command.
        plugin: the folder that `write_functions_of_idem` wrote.
        root: an empty folder.

    Returns:
        The outcome of the last run.
    """
    tree.lay_out(root)
    environment = {**os.environ, "PYTHONPATH": str(plugin), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in tree.mods:
        done = subprocess.run(
            [str(idem), *_arguments(tree, name, root)],
            env=environment,
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    return outcome_of_returns(_returned(done.stdout, done.stderr))


def _arguments(tree: Tree, name: str, root: Path) -> list[str]:
    # The reconciler runs failed states again after waits, which is not compared here.
    return [
        *("state", name, "--tree", str(root / "states"), "--root-dir", str(root / "idem")),
        *("--cache-dir", str(root / "idem/cache"), "--log-file", str(root / "idem.log")),
        *("--reconciler", "none", "--no-progress-bar", "--output", "json"),
        *(["--test"] if tree.test else []),
    ]


def _returned(stdout: str, stderr: str) -> Any:
    """Return the returns by tag; of a run without returns, the end of its messages without colours."""
    start = stdout.find('{\n    "')
    if start >= 0:
        return json.JSONDecoder().raw_decode(stdout, start)[0]
    return [_COLOUR.sub("", stdout or stderr).strip()[-300:]]
