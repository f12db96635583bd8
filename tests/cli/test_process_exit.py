"""A process that ends at once has still done all that others left to its end."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import command, environment

if TYPE_CHECKING:
    from tests.cli.shell import Shell

LAST = '''
"""A state that leaves something to be done at the end of the process."""

import atexit
import threading
from pathlib import Path

from ensue.core.model.returns import StateReturn


def done(ctx, name, how):
    def write():
        Path(name).write_text("written at the end")

    def write_later():
        threading.main_thread().join()
        write()

    if how == "atexit":
        atexit.register(write)
    else:
        threading.Thread(target=write_later).start()
    return StateReturn(name=name, result=True)


FUNCTIONS = {"done": done}
'''

OPEN = '''
"""Functions that write to a file and leave it open."""

from functools import partial

kept = []


class Holder:
    def __init__(self, file):
        self.file, self.itself = file, self


def write(name, how):
    file = open(name, "w")
    file.write("seventeen letters")
    holder = Holder(file)
    if how == "by the module":
        kept.append(file)
    elif how == "by a cycle of the module":
        kept.append(holder)
    else:
        write.kept = partial(print, file=file)
    return True
'''


@pytest.mark.parametrize("how", ["atexit", "thread"])
def test_what_is_left_to_the_end_is_done(shell: Shell, tmp_path: Path, how: str) -> None:
    """A function registered with `atexit` is called, and a thread is waited for."""
    written = tmp_path / "written"
    shell.write("states/_states/last.py", LAST)
    shell.write("states/t.sls", f"t:\n  last.done:\n    - name: {written}\n    - how: {how}\n")
    assert shell.run_anew("apply", "t").code == 0
    assert written.read_text() == "written at the end"


@pytest.mark.parametrize("held", ["by the module", "by a cycle of the module", "by a function"])
@pytest.mark.parametrize("caller", ["template", "state", "call"])
def test_what_a_module_wrote_is_in_its_file(shell: Shell, tmp_path: Path, held: str, caller: str) -> None:
    """What a module wrote to a file that it never closes is there at the end, whatever holds the file."""
    written = tmp_path / "written"
    shell.write("states/_modules/opening.py", OPEN)
    words = ["call", "*", "opening.write", str(written), held]
    if caller != "call":
        words = ["apply", "t"]
        called = {
            "template": f"{{% do salt['opening.write']('{written}', '{held}') %}}\nt:\n  test.nop: []\n",
            "state": f"t:\n  module.run:\n    - opening.write:\n      - {written}\n      - {held}\n",
        }
        shell.write("states/t.sls", called[caller])
    assert shell.run_anew(*words).code == 0
    assert written.read_text() == "seventeen letters"


def test_all_output_is_there(shell: Shell) -> None:
    """A reader of a pipe gets the last byte of a large result, and the exit code of a failed run."""
    states = "".join(f"s{number}:\n  test.nop: []\n" for number in range(2000))
    shell.write("states/t.sls", f"{states}bad:\n  test.fail_without_changes: []\n")
    ended = shell.run_anew("apply", "t", "--out", "json")
    assert ended.code == 2
    assert len(next(iter(ended.document.values()))) == 2001


def test_output_that_cannot_be_written_is_no_success(shell: Shell) -> None:
    """On a full device the command does not end with 0."""
    shell.write("states/t.sls", "t:\n  test.nop: []\n")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command(), "apply", "t", "--out", "json"],
            cwd=shell.root,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=300,
            check=False,
        )
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr
