"""Delayed blocks with many requisites."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

from tests.app.test_project import apply, write

if TYPE_CHECKING:
    from pathlib import Path

MANY = 16_000


def test_the_requisites_of_a_long_block_are_looked_at_once(tmp_path: Path) -> None:
    """The time grows with the length of the block: for each requisite only its own lines are read."""
    states = "".join(f"s{one}:\n  test.nop:\n    - require: [test: s{one - 1}]\n" for one in range(1, MANY))
    write(
        tmp_path,
        states__a="first:\n  test.nop:\n    - delayed_render: [block: later]\n#!delayed_block later\n"
        f"{{% if false %}}\n{states}{{% endif %}}\n#!end_delayed_block\n",
    )
    begin = process_time()
    assert apply(tmp_path, "a", test=True).exit_code == 0
    assert process_time() - begin < 6
