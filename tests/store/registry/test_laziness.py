"""Runs that derive nothing load no heavy modules and make no store."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
import ensue.derived
from ensue.core.model.srn import Srn
from ensue.store.registry.registry import ResourceRegistry
registry = ResourceRegistry(Path(sys.argv[1]), minion_id="m")
srn = Srn("ssh_host", "web-01")
assert registry.get(srn) is None and registry.records() == [] and registry.list_for_type("ssh_host") == []
registry.register(srn, {}, scope="run")
assert registry.get(srn) == {}
registry.close()
print([name for name in ("sqlalchemy", "cryptography", "keyring") if name in sys.modules])
"""


def test_nothing_heavy_is_loaded_before_a_store_is_used(tmp_path: Path) -> None:
    """Reading an empty registry and registering for the run load neither SQLAlchemy nor cryptography."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / ".ensue")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    assert sorted(path.name for path in (tmp_path / ".ensue").iterdir()) == [
        "audit.jsonl",
        "audit.jsonl.head",
    ]
