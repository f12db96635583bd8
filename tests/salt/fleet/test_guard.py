"""What tests start does not outlive them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

_GUARD = Path(__file__).with_name("guard.py")
_KILLED = f"""
import os, subprocess, sys
guard = subprocess.Popen([sys.executable, {str(_GUARD)!r}, "sh", "-c", "echo $$; read x < $0", sys.argv[1]],
                         stdin=subprocess.PIPE, start_new_session=True)
print(guard.pid, flush=True)
os.read(0, 1)
os.kill(os.getpid(), 9)
"""


def test_a_program_ends_with_the_test_that_was_killed(tmp_path: Path) -> None:
    """When the process that started it is killed, the guard kills the program."""
    os.mkfifo(tmp_path / "gate")
    command = [sys.executable, "-c", _KILLED, str(tmp_path / "gate")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as test:
        assert test.stdin is not None
        assert test.stdout is not None
        pids = {int(test.stdout.readline()), int(test.stdout.readline())}
        processes = [os.pidfd_open(pid) for pid in pids]
        test.stdin.close()
        assert test.wait() == -signal.SIGKILL
        for process in processes:
            assert select.select([process], [], [], 60)[0]
            os.close(process)
