"""Record Idem's outcomes of its trees, and compare ensue with them: part of `make compat`.

Writes tests/compat/idem/recorded/ and prints what differs. Exit code 1 when ensue differs where no tree
says so.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.compat.idem_ensue_side import run_on_ensue
from tests.compat.idem_side import run_on_idem
from tests.compat.idem_trees import IDEM_FOLDER, all_idem_trees, write_functions_of_idem
from tests.compat.outcome import Outcome, from_text
from tests.compat.record import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.compat.trees import Tree

RECORDED = IDEM_FOLDER / "recorded"


def main() -> int:
    """Do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="trees whose title holds this text")
    trees = all_idem_trees(parser.parse_args().only)
    with TemporaryDirectory(prefix="ensue-compat-idem-") as scratch:
        folder = Path(scratch)
        recorded = _recorded_anew(trees, folder)
        write_recorded(recorded)
        ours = {tree.id: run_on_ensue(tree, folder / "ensue" / f"{n:03}") for n, tree in enumerate(trees)}
    return _report(trees, recorded, ours)


def _recorded_anew(trees: list[Tree], folder: Path) -> dict[str, Outcome]:
    plugin = folder / "plugin"
    write_functions_of_idem(plugin)
    idem = idem_command()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        roots = [folder / "idem" / f"{number:03}" for number in range(len(trees))]
        outcomes = pool.map(lambda tree, root: run_on_idem(tree, idem, plugin, root), trees, roots)
        return dict(zip((tree.id for tree in trees), outcomes, strict=True))


def idem_command() -> Path:
    """Return `idem`; `COMPAT_IDEM`, its path, has priority over an environment of its own."""
    given = os.environ.get("COMPAT_IDEM")
    if given:
        return Path(given)
    sys.path.insert(0, str(CHECKOUT / "bench"))
    from peers import installed_idem

    return installed_idem(CHECKOUT / ".compat" / "idem")


def expected_of(tree: Tree, recorded: Mapping[str, Outcome]) -> Outcome:
    """Return the expected outcome of a tree: ensue's own where the tree documents one, else Idem's."""
    return from_text(tree.differs) if tree.differs else recorded[tree.id]


def read_recorded() -> dict[str, Outcome]:
    """Return Idem's outcomes of the trees, by their ids."""
    return {
        f"{path.stem}: {title}": Outcome(**data)
        for path in sorted(RECORDED.glob("*.json"))
        for title, data in json.loads(path.read_text()).items()
    }


def write_recorded(outcomes: Mapping[str, Outcome]) -> None:
    """Write outcomes over what is recorded, a file an area in the order of its trees; forget other trees."""
    known = {**read_recorded(), **outcomes}
    trees = [tree for tree in all_idem_trees() if tree.id in known]
    for area, members in groupby(trees, key=lambda tree: tree.area):
        data = {tree.title: known[tree.id].as_data() for tree in members}
        (RECORDED / f"{area}.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def _report(trees: list[Tree], recorded: Mapping[str, Outcome], ours: Mapping[str, Outcome]) -> int:
    wrong = [tree for tree in trees if ours[tree.id] != expected_of(tree, recorded)]
    documented = sum(bool(tree.differs) for tree in trees)
    same = sum(not tree.differs and tree not in wrong for tree in trees)
    sys.stdout.write(
        f"idem: {len(trees)} trees, {same} same, {documented} documented, {len(wrong)} DIFFERENT\n"
    )
    for tree in wrong:
        sys.stdout.write(f"\n  !! {tree.id}\n")
        for who, outcome in (("Idem", recorded[tree.id]), ("ensue", ours[tree.id])):
            sys.stdout.write(f"--- {who}: {outcome.comments}\n{outcome.as_text()}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
