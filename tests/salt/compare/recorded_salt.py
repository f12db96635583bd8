"""Trees with recorded answers of Salt, and an environment whose Python repeats them.

`trees/` has the trees, `recorded/` what `salt_side` answered on Salt 3008. `tools/test-bridge` compares both
with a real Salt; `pytest --update tests/salt/compare/test_real_salt.py` in its environment records again.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = "@ROOT@"
MINION_ID: Final = "web-01"

CASES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "custom": ("custom", ("t",)),
    "same": ("same", ()),
    "lacking": ("lacking", ("t",)),
    "meant": ("meant", ("t",)),
    "pillar": ("pillar", ("t",)),
    "refused-both": ("refused", ("both",)),
    "refused-here": ("refused", ("ours",)),
    "refused-by-salt": ("refused", ("salts",)),
}
"""The tree and the SLS of each case."""

_SCRIPT: Final = """\
#!{python}
import json, pathlib, sys

order = json.load(sys.stdin)
pathlib.Path(order["folder"], "order.json").write_text(json.dumps(order))
root = str(pathlib.Path(order["options"]["file_roots"]["base"][0]).parent)
sys.stdout.write(pathlib.Path({recorded!r}).read_text().replace("{mark}", root))
sys.stderr.write({stderr!r})
"""


def recorded(case: str) -> Path:
    """Return the file with what Salt answered in a case."""
    return HERE / "recorded" / f"{case}.jsonl"


def lay_out(case: str, root: Path) -> tuple[str, ...]:
    """Copy the tree of a case to a folder, and return its SLS."""
    tree, mods = CASES[case]
    shutil.copytree(HERE / "trees" / tree, root, dirs_exist_ok=True)
    return mods


def stand_in(folder: Path, answer: Path, stderr: str = "") -> Path:
    """Make an environment in a folder whose Python answers what a file holds, and return it."""
    python = folder / "bin/python3"
    python.parent.mkdir(parents=True)
    python.write_text(_SCRIPT.format(python=sys.executable, recorded=str(answer), mark=ROOT, stderr=stderr))
    python.chmod(0o755)
    return folder
