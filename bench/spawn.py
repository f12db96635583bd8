"""Start one program and write down what it took: run by `measure`, as a process of its own.

The peak memory that the system reports for a process begins with that of the process that started it. Whoever
measures has grown by what it measured before; this one imports next to nothing.

usage: spawn.py DESCRIPTOR PROGRAM [ARGUMENT...]
"""

import os
import sys
import time

report, argv = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(report, False)
started = time.perf_counter()
pid = os.posix_spawn(argv[0], argv, os.environ)
_, status, usage = os.wait4(pid, 0)
wall_s = time.perf_counter() - started
cpu_s = usage.ru_utime + usage.ru_stime
os.write(report, f"{os.waitstatus_to_exitcode(status)} {wall_s!r} {cpu_s!r} {usage.ru_maxrss}".encode())
