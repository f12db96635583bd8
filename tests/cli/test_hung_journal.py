"""A file system that does not answer while the journal is written: signals are handled nevertheless."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.cli.shell import Shell

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

LONGEST_S = 60

HANG = """\
import os


def journal(name):
    "Put a pipe that nobody reads in the place of the journal: writing to it waits for ever."
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, bytes(65536))
    except BlockingIOError:
        os.set_blocking(writing, True)
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        try:
            path = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            continue
        if path.endswith(".jsonl"):
            os.dup2(writing, descriptor)
    os.close(writing)
    with open(name, "w") as fifo:
        fifo.write("hangs\\n")
    return {"name": name, "result": True, "changes": {}, "comment": str(reading)}
"""

SLS = """\
hang:
  hang.journal:
    - name: {fifo}
next:
  cmd.run:
    - name: touch {flag}
"""


def test_two_signals_end_a_run_whose_journal_hangs(tmp_path: Path) -> None:
    """The first signal is acknowledged, the second ends the command, and nothing starts unrecorded."""
    project, fifo, flag = Shell(tmp_path / "project"), tmp_path / "fifo", tmp_path / "flag"
    os.mkfifo(fifo)
    project.write("ensue.yaml", "id: m1\n")
    project.write("states/_states/hang.py", HANG)
    project.write("states/s.sls", SLS.format(fifo=fifo, flag=flag))
    with project.start("apply", "s") as process:
        try:
            assert fifo.read_text() == "hangs\n"
            process.send_signal(signal.SIGINT)
            _until(process, b"SIGINT: nothing new is started")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LONGEST_S)
        finally:
            process.kill()
    assert process.returncode == 130
    assert not flag.exists()


def _until(process: subprocess.Popen[bytes], notice: bytes) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if notice in line:
            return
    raise AssertionError(notice)
