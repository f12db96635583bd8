"""What the process of a command does about Python's garbage collection."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell

COUNTS = '''
"""What the garbage collector never visits."""

import gc


class Mine:
    pass


def exempt():
    mine = sum(kind is Mine for kind in gc.get_objects())
    return {"any": gc.get_freeze_count() > 10_000, "own": mine == 0}
'''


def test_a_command_exempts_what_it_consists_of(shell: Shell) -> None:
    """The program is exempt by the time that functions of the project are loaded, and these are not."""
    shell.write("states/_modules/exempted.py", COUNTS)
    called = shell.run_anew("call", "*", "exempted.exempt", "--out", "json")
    assert called.code == 0
    assert '"any": true' in called.out
    assert '"own": false' in called.out


def test_another_process_is_left_alone(shell: Shell) -> None:
    """A program that runs commands in its own process keeps its own objects in the collection."""
    before = gc.get_freeze_count(), gc.get_threshold()
    assert shell.run("call", "*", "test.ping").code == 0
    assert (gc.get_freeze_count(), gc.get_threshold()) == before
