"""A program in which many processes register at once: `crowd.py FOLDER WRITERS EACH`.

Run by `test_crowd.py` as a process of its own, because it forks.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Loaded here, once, so that fifty forked writers do not load them fifty times.
import cryptography.hazmat.primitives.ciphers.aead
import sqlalchemy.dialects.sqlite

from ensue.core.model.srn import Srn
from ensue.store.registry import tables
from ensue.store.registry.registry import ResourceRegistry
from ensue.store.registry.vault import ProjectVault

LOADED = (cryptography, sqlalchemy, tables)


def write(cachedir: Path, writer: int, count: int) -> None:
    vault = ProjectVault.of_project(cachedir, environment={})
    registry = ResourceRegistry(cachedir, minion_id="m", run_id=f"writer-{writer}", vault=vault)
    for number in range(count):
        srn = Srn("ssh_host", f"h-{writer}-{number}")
        config = {"writer": writer, "number": number, "password": "hunter2"}
        registry.register(srn, config, source=Srn("env", "shared"), source_grains={"status": "succeeded"})
        if registry.get(srn) != config:
            sys.exit(f"{srn} cannot be read back")
    registry.close()


def main(cachedir: Path, writers: int, count: int) -> None:
    waiting, starting = os.pipe()
    children: list[int] = []
    for writer in range(writers):
        pid = os.fork()
        if pid == 0:
            os.close(starting)
            code = 1
            try:
                os.read(waiting, 1)
                write(cachedir, writer, count)
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    # All writers wait for the end of this pipe, so that they use the new project at the same time.
    os.close(starting)
    sys.exit(sum(os.waitpid(pid, 0)[1] != 0 for pid in children))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
