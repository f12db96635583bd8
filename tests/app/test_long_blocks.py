"""Delayed blocks with many requisites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.app.test_project import apply, write
from tests.support.work import calls_made_by

if TYPE_CHECKING:
    from pathlib import Path

FEW = 100


def test_the_requisites_of_a_long_block_are_looked_at_once(tmp_path: Path) -> None:
    """The work grows with the length of the block: for each requisite only its own lines are read."""
    (tmp_path / "short").mkdir()
    (tmp_path / "long").mkdir()
    short = _calls_of_a_plan(tmp_path / "short", FEW)
    assert _calls_of_a_plan(tmp_path / "long", 10 * FEW) < 11 * short  # 100 times, if all lines were read


def _calls_of_a_plan(root: Path, count: int) -> int:
    states = "".join(
        f"s{number}:\n  test.nop:\n    - require: [test: s{number - 1}]\n" for number in range(1, count)
    )
    write(
        root,
        states__a="first:\n  test.nop:\n    - delayed_render: [block: later]\n#!delayed_block later\n"
        f"{{% if false %}}\n{states}{{% endif %}}\n#!end_delayed_block\n",
    )
    assert apply(root, "a", test=True).exit_code == 0
    return calls_made_by(lambda: apply(root, "a", test=True))
