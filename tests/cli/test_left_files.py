"""What plug-ins leave open is written when a command ends, though nothing is collected then."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = """
class Keeper:
    def __init__(self, name, mode):
        self.itself = self
        self.file = open(name, mode)

def written(name, mode, text):
    keeper = Keeper(name, mode)
    keeper.file.write(text if mode == "w" else text.encode())
    return {"name": name, "result": True, "changes": {}, "comment": ""}
"""


@pytest.mark.parametrize("mode", ["w", "wb", "w+b"])
def test_a_file_that_a_state_leaves_open_in_a_cycle_is_written(tmp_path: Path, mode: str) -> None:
    """Its text is there after the command: Python itself may lose it."""
    (tmp_path / "ensue.yaml").write_text("id: vm\n")
    states = tmp_path / "states"
    (states / "_states").mkdir(parents=True)
    (states / "_states" / "keeper.py").write_text(PLUGIN)
    left = tmp_path / "left.txt"
    (states / "one.sls").write_text(f"{left}:\n  keeper.written:\n    - mode: {mode}\n    - text: kept\n")
    command = [sys.executable, "-m", "ensue", "apply", "one"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert left.read_text() == "kept"
