"""Measure one whole process: wall time, processor time, peak memory.

Everything from the start of the interpreter to the exit counts, as it does for a user at the prompt. Nothing
inside the process is instrumented.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SPAWN: Final = Path(__file__).with_name("spawn.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One process that ran to its end.

    Args:
        wall_s: from before it was started until it was reaped, in seconds.
        cpu_s: user and system time of it and of its children that it waited for, in seconds.
        peak_rss_mib: the largest resident set of any one of these processes, in MiB.
    """

    wall_s: float
    cpu_s: float
    peak_rss_mib: float


class MeasurementError(Exception):
    """The process did not do what it should."""


def run_once(
    argv: Sequence[str], *, cwd: Path, timeout_s: float, env: Mapping[str, str] | None = None
) -> Sample:
    """Run a process and measure it.

    Args:
        argv: the program, by absolute path, and its arguments.
        cwd: the folder it runs in.
        timeout_s: the process is ended after this time.
        env: its environment; None is this process's own.

    Raises:
        MeasurementError: it ran out of time or its exit code is not 0; the text ends with its last output.
    """
    with TemporaryFile() as output, TemporaryFile() as report:
        spawner = [sys.executable, "-I", "-S", str(_SPAWN), str(report.fileno()), *argv]
        process = subprocess.Popen(
            spawner,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=[report.fileno()],
            start_new_session=True,
        )
        # The group is this process's own: ending it ends what it started and nothing else.
        alarm = threading.Timer(timeout_s, os.killpg, (process.pid, signal.SIGKILL))
        alarm.start()
        try:
            spawner_code = process.wait()
        finally:
            alarm.cancel()
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if spawner_code == -signal.SIGKILL:
            msg = f"more than {timeout_s:.0f} s"
            raise MeasurementError(msg)
        report.seek(0)
        code, wall_s, cpu_s, peak_kib = (report.read() or b"1 0 0 0").split()
        if int(code) != 0:
            output.seek(0)
            last_words = output.read().decode(errors="replace")[-1500:]
            msg = f"exit code {int(code)}: {last_words}"
            raise MeasurementError(msg)
    return Sample(wall_s=float(wall_s), cpu_s=float(cpu_s), peak_rss_mib=int(peak_kib) / 1024)


def middle(samples: Sequence[Sample]) -> Sample:
    """Return the medians, each figure by itself."""
    return Sample(
        wall_s=median(sample.wall_s for sample in samples),
        cpu_s=median(sample.cpu_s for sample in samples),
        peak_rss_mib=median(sample.peak_rss_mib for sample in samples),
    )
