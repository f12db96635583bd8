"""Trees have the same outcomes in ensue as in Salt 3008.5: they are run, and compared with the records.

`make compat` records anew, with a real Salt beside ensue.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.compat.ensue_side import run_on_ensue
from tests.compat.outcome import from_text
from tests.compat.record import expected_of, read_recorded
from tests.compat.trees import Tree, all_trees

TREES = all_trees()
RECORDED = read_recorded()
DOCUMENTED = Path(__file__).resolve().parents[2] / "docs/migrating-from-salt.md"


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.id)
def test_a_tree_gives_what_salt_gave(tree: Tree, tmp_path: Path) -> None:
    """Results, changes, order, exit code and remaining files are Salt's, or those that the tree documents."""
    if tree.needs_root and os.geteuid():
        pytest.skip("only root may become another user")
    expected = expected_of(tree, RECORDED)
    ours = run_on_ensue(tree, tmp_path / "project")
    assert ours.as_text() == expected.as_text(), f"Salt: {expected.comments}\nensue: {ours.comments}"


def test_every_tree_is_recorded() -> None:
    """What was recorded and what stands in the trees are the same set, with no title twice."""
    titles = [tree.id for tree in TREES]
    assert sorted(titles) == sorted(RECORDED)


def test_every_difference_is_one() -> None:
    """A tree that documents a difference has another outcome than Salt, a reason, and a line for users."""
    page = DOCUMENTED.read_text()
    for tree in TREES:
        if tree.differs:
            assert from_text(tree.differs) != RECORDED[tree.id], tree.id
            assert tree.reason, tree.id
            assert f"`{tree.id}`" in page, f"{tree.id} is not in {DOCUMENTED.name}"
