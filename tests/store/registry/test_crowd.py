"""The store under many writers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from .conftest import MakeRegistry

PROGRAM = Path(__file__).with_name("crowd.py")
WRITERS = 50
EACH = 10


def test_fifty_writers_lose_nothing(make_registry: MakeRegistry, cachedir: Path) -> None:
    """Fifty processes that begin a project at once share one key; all they register is there and logged."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(cachedir), str(WRITERS), str(EACH)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    registry = make_registry()
    assert len(registry.list_for_type("ssh_host")) == WRITERS * EACH
    for writer in range(WRITERS):
        for number in range(0, EACH, 3):
            config = registry.get(Srn("ssh_host", f"h-{writer}-{number}"))
            assert config == {"writer": writer, "number": number, "password": "hunter2"}
    keys = [line for line in (cachedir / "key").read_text().splitlines() if not line.startswith("#")]
    assert len(keys) == 1
    assert registry.audit_fault() is None
    registered = {entry["srn"] for entry in registry.audit_entries() if entry["action"] == "register"}
    assert len(registered) == WRITERS * EACH
    assert not [path.name for path in cachedir.iterdir() if path.name.startswith(".")]
