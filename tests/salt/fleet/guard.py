"""Runs a program that ends with the process that started this one, whatever ends that process.

    python guard.py PROGRAM [ARGUMENT]...      as the leader of a process group, with a pipe as stdin

The pipe closes when the process that has its other end is gone; then the whole process group is killed. So no
test leaves processes behind: not when its set-up fails, and not when pytest itself is killed.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys


def main() -> None:
    """Run the program until it ends, or until the process that started it has ended."""
    program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    select.select([sys.stdin.fileno(), os.pidfd_open(program.pid)], [], [])
    os.killpg(0, signal.SIGKILL)


main()
