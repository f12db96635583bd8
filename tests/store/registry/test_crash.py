"""The store under kill -9."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("crash_rounds.py")


def test_a_killed_writer_leaves_a_readable_store(tmp_path: Path) -> None:
    """After 50 kills at random moments the store is readable, no batch is partial, the audit log is whole."""
    seed = random.randrange(10**6)  # noqa: S311  # chance, not secrecy
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path), "50", str(seed)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    assert json.loads(done.stdout)["rounds"] == 50
