"""One registry in many threads, and in a forked child."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import MakeRegistry

FORK = """
import os, sys
from pathlib import Path
from ensue.core.model.srn import Srn
from ensue.store.registry.registry import ResourceRegistry
registry = ResourceRegistry(Path(sys.argv[1]), minion_id="m")
registry.register(Srn("t", "parent"), {"n": 1})
registry.get(Srn("t", "parent"))
children = []
for number in range(4):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            for turn in range(10):
                registry.register(Srn("t", f"child-{number}-{turn}"), {"n": turn})
                assert registry.get(Srn("t", "parent")) == {"n": 1}
            code = 0
        finally:
            os._exit(code)
    children.append(pid)
for turn in range(10):
    registry.register(Srn("t", f"parent-{turn}"), {"n": turn})
assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4
assert len(registry.list_for_type("t")) == 51, registry.list_for_type("t")
assert registry.audit_fault() is None, registry.audit_fault()
registry.close()
"""


def test_threads_share_a_registry(make_registry: MakeRegistry) -> None:
    """Registering, reading and listing from eight threads at once lose nothing and raise nothing."""
    registry = make_registry()

    def work(number: int) -> bool:
        srn = Srn("ssh_host", f"h-{number}")
        scope = "run" if number % 3 == 0 else "cache"
        registry.register(srn, {"n": number}, scope=scope)  # type: ignore[arg-type]  # one of two words
        registry.observe(Srn("env", "1"), {"status": "succeeded"})
        return registry.get(srn) == {"n": number} and srn.id in registry.list_for_type("ssh_host")

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(120)))
    assert len(registry.records()) == 120
    assert registry.audit_fault() is None


def test_a_forked_child_may_go_on_with_its_parents_registry(tmp_path: Path) -> None:
    """Parent and children use one registry object at once and share neither connections nor locks."""
    subprocess.run([sys.executable, "-c", FORK, str(tmp_path / ".ensue")], check=True, timeout=300)
