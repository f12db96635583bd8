"""Record Salt's outcomes of the trees, and compare ensue with them: `make compat`.

Writes tests/compat/recorded/ and prints a table. Exit code 1 on an undocumented difference.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from difflib import unified_diff
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.compat.ensue_side import run_on_ensue
from tests.compat.outcome import Outcome, from_text
from tests.compat.salt_side import run_on_salt
from tests.compat.trees import FOLDER, Tree, all_trees

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = FOLDER.parent.parent
RECORDED = FOLDER / "recorded"


def main() -> int:
    """Do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="trees whose area or title holds this text"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="lay the trees out there, and leave them")
    options = parser.parse_args()
    trees = all_trees(options.only)
    with TemporaryDirectory(prefix="ensue-compat-") as scratch:
        folder = options.keep or Path(scratch)
        for name in ("salt", "ensue"):
            (folder / name).mkdir(parents=True)
        salts = list(run_on_salt(trees, python_of_salt(), folder / "salt"))
        write_recorded(dict(zip((tree.id for tree in trees), salts, strict=True)))
        ours = [run_on_ensue(tree, folder / "ensue" / f"{n:04}") for n, tree in enumerate(trees)]
    return _report(trees, salts, ours)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def python_of_salt() -> Path:
    """Return Salt's interpreter, that of the `salt-call` at `COMPAT_SALT` or of an own environment."""
    given = os.environ.get("COMPAT_SALT")
    if given:
        return Path(given).parent / "python"
    sys.path.insert(0, str(CHECKOUT / "bench"))
    from programs import installed_salt

    return installed_salt(CHECKOUT / ".compat" / "salt").parent / "python"


def expected_of(tree: Tree, recorded: Mapping[str, Outcome]) -> Outcome:
    """Return the expected outcome of a tree: ensue's own where the tree documents one, else Salt's."""
    return from_text(tree.differs) if tree.differs else recorded[tree.id]


def read_recorded() -> dict[str, Outcome]:
    """Return Salt's outcomes of the trees, by their ids."""
    return {
        f"{path.stem}: {title}": Outcome(**data)
        for path in sorted(RECORDED.glob("*.json"))
        for title, data in json.loads(path.read_text()).items()
    }


def write_recorded(outcomes: Mapping[str, Outcome]) -> None:
    """Write outcomes over what is recorded, a file an area in the order of its trees; forget other trees."""
    known = {**read_recorded(), **outcomes}
    trees = [tree for tree in all_trees() if tree.id in known]
    for area, members in groupby(trees, key=lambda tree: tree.area):
        lines = [
            f"{json.dumps(tree.title)}: {json.dumps(known[tree.id].as_data(), ensure_ascii=False, indent=1)}"
            for tree in members
        ]
        (RECORDED / f"{area}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _report(trees: list[Tree], salts: list[Outcome], ours: list[Outcome]) -> int:
    differing = 0
    _say(f"{'area':16} {'trees':>5} {'same':>5} {'documented':>10} {'DIFFERENT':>9}")
    rows = zip(trees, salts, ours, strict=True)
    for area, members in groupby(rows, key=lambda row: row[0].area):
        listed = list(members)
        wrong = [row for row in listed if row[2] != expected_of(row[0], {row[0].id: row[1]})]
        documented = sum(bool(tree.differs) for tree, _, _ in listed)
        _say(
            f"{area:16} {len(listed):5} {len(listed) - documented - len(wrong):5}"
            f" {documented:10} {len(wrong):9}"
        )
        for tree, salt, our in wrong:
            _show(tree, expected_of(tree, {tree.id: salt}), our)
        differing += len(wrong)
    return int(bool(differing))


def _show(tree: Tree, expected: Outcome, ours: Outcome) -> None:
    _say(f"\n  !! {tree.id}")
    lines = unified_diff(
        expected.as_text().splitlines(), ours.as_text().splitlines(), "expected", "ensue", lineterm="", n=1
    )
    _say("".join(f"     {line}\n" for line in list(lines)[2:]).rstrip("\n"))
    _say(f"     Salt says:  {expected.comments}\n     ensue says: {ours.comments}\n")


if __name__ == "__main__":
    sys.exit(main())
