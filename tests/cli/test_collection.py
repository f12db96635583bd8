"""What the process of a command does about Python's garbage collection."""

from __future__ import annotations

import gc
import gzip
from typing import TYPE_CHECKING

import pytest

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


LEAVING = '''
"""Leaves objects in a cycle at the end of the process."""

import gzip
import weakref

KEPT = []


class Mine:
    pass


def proxy():
    KEPT.append(weakref.proxy(Mine()))
    return True


def packed(path):
    file = gzip.open(path, "wb")
    file.write(b"whole")
    file.itself = [file]
    return True


def finished(path):
    class Ending:
        def __del__(self):
            with open(path, "w") as file:
                file.write("whole")

    KEPT.append((Ending(), KEPT))
    return True


def suspended(path):
    def finishing():
        try:
            yield
        finally:
            with open(path, "w") as file:
                file.write("whole")

    waiting = finishing()
    next(waiting)
    KEPT.append((waiting, KEPT))
    return True


def written(path):
    file = open(path, "w")
    file.write("whole")
    KEPT.append((file, KEPT))
    return True
'''


@pytest.mark.parametrize("function", ["finished", "packed", "suspended", "written"])
def test_what_a_function_leaves_is_finished(shell: Shell, function: str) -> None:
    """Files that it leaves open are written at the end, also compressed ones.

    Finalizers are called, and generators resume where they are to clean up.
    """
    shell.write("states/_modules/leaving.py", LEAVING)
    path = shell.root / "left"
    assert shell.run_anew("call", "*", f"leaving.{function}", str(path)).code == 0
    content = path.read_bytes()
    assert (gzip.decompress(content) if function == "packed" else content) == b"whole"


def test_an_object_that_fails_whatever_it_is_asked(shell: Shell) -> None:
    """A proxy of an object that is gone does not fail the command at its end."""
    shell.write("states/_modules/leaving.py", LEAVING)
    called = shell.run_anew("call", "*", "leaving.proxy")
    assert (called.code, called.err) == (0, "")


def test_another_process_is_left_alone(shell: Shell) -> None:
    """A program that runs commands in its own process keeps its own objects in the collection."""
    before = gc.get_freeze_count(), gc.get_threshold()
    assert shell.run("call", "*", "test.ping").code == 0
    assert (gc.get_freeze_count(), gc.get_threshold()) == before
