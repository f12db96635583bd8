"""Delayed blocks with many requisites."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

from tests.app.test_project import apply, write

if TYPE_CHECKING:
    from pathlib import Path

FEW = 1_000


def test_the_requisites_of_a_long_block_are_looked_at_once(tmp_path: Path) -> None:
    """The time grows with the length of the block: for each requisite only its own lines are read."""
    (tmp_path / "short").mkdir()
    (tmp_path / "long").mkdir()
    short_s = _plan_s(tmp_path / "short", FEW)
    assert _plan_s(tmp_path / "long", 10 * FEW) < 30 * short_s  # 100 times as long, if all lines were read


def _plan_s(root: Path, count: int) -> float:
    states = "".join(
        f"s{number}:\n  test.nop:\n    - require: [test: s{number - 1}]\n" for number in range(1, count)
    )
    write(
        root,
        states__a="first:\n  test.nop:\n    - delayed_render: [block: later]\n#!delayed_block later\n"
        f"{{% if false %}}\n{states}{{% endif %}}\n#!end_delayed_block\n",
    )
    begin_s = process_time()
    assert apply(root, "a", test=True).exit_code == 0
    return process_time() - begin_s
