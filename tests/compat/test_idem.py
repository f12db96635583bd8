"""Trees have the same outcomes in ensue as in Idem 25.0.1: they are run, and compared with the records.

`make compat` records anew, with a real Idem beside ensue.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.compat.idem_ensue_side import run_on_ensue
from tests.compat.idem_trees import all_idem_trees
from tests.compat.outcome import from_text
from tests.compat.record_idem import expected_of, read_recorded

if TYPE_CHECKING:
    from tests.compat.trees import Tree

TREES = all_idem_trees()
RECORDED = read_recorded()
DOCUMENTED = Path(__file__).resolve().parents[2] / "docs/migrating-from-idem.md"


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.id)
def test_a_tree_gives_what_idem_gave(tree: Tree, tmp_path: Path) -> None:
    """States, results and bound values are Idem's, or those that the tree documents."""
    expected = expected_of(tree, RECORDED)
    ours = run_on_ensue(tree, tmp_path / "project")
    assert ours.as_text() == expected.as_text(), f"Idem: {expected.comments}\nensue: {ours.comments}"


def test_every_tree_is_recorded() -> None:
    """What was recorded and what stands in the trees are the same set, with no title twice."""
    assert sorted(tree.id for tree in TREES) == sorted(RECORDED)


def test_every_difference_is_one() -> None:
    """A tree that documents a difference has another outcome than Idem, a reason, and a line for users."""
    page = DOCUMENTED.read_text()
    for tree in TREES:
        if tree.differs:
            assert from_text(tree.differs) != RECORDED[tree.id], tree.id
            assert tree.reason, tree.id
            assert f"`{tree.title}`" in page, f"{tree.title} is not in {DOCUMENTED.name}"
