"""A program that kills writers of a store at random moments and looks at what they leave behind.

Run by `test_crash.py` as a process of its own, because it forks: `crash_rounds.py FOLDER ROUNDS SEED`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import NoReturn

# Loaded here, once, so that a forked writer begins to write at once.
import cryptography.hazmat.primitives.ciphers.aead
import sqlalchemy.dialects.sqlite

from ensue.core.model.srn import Srn
from ensue.store.registry import tables
from ensue.store.registry.entry import RegistrationRequest
from ensue.store.registry.registry import ResourceRegistry
from ensue.store.registry.vault import ProjectVault

LOADED = (cryptography, sqlalchemy, tables)
BATCHES = 8
BATCH_SIZE = 12
ROUNDS_A_PROJECT = 10


def open_registry(cachedir: Path) -> ResourceRegistry:
    vault = ProjectVault.of_project(cachedir, environment={})
    return ResourceRegistry(cachedir, minion_id="m", run_id="crash", vault=vault)


def resource(batch: int, number: int) -> Srn:
    return Srn("ssh_host", f"h-{batch}-{number}")


def write_for_ever(cachedir: Path, progress: int, seed: int) -> NoReturn:
    """Register, rotate, invalidate and forget whole batches until killed; a byte for every operation done."""
    chance = random.Random(seed)  # noqa: S311  # chance, not secrecy
    registry = open_registry(cachedir)
    version = seed * 1_000_000
    while True:
        version += 1
        batch = chance.randrange(BATCHES)
        source = Srn("env", str(batch))
        match chance.choice(("register", "register", "register", "register", "rotate", "invalidate")):
            case "rotate":
                registry.rotate()
            case "invalidate":
                registry.invalidate(source)
            case _:
                config = {"version": version, "password": "secret-" * 20, "end": version}
                members = [resource(batch, number) for number in range(BATCH_SIZE)]
                registry.register_many(
                    [RegistrationRequest(srn=srn, config=config, source=source) for srn in members]
                )
        os.write(progress, b".")


def kill_at_random(cachedir: Path, seed: int) -> None:
    """Let a writer do some operations, then kill it somewhere within the next one."""
    chance = random.Random(seed)  # noqa: S311  # chance, not secrecy
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            write_for_ever(cachedir, writing, seed)
        finally:
            os._exit(3)
    os.close(writing)
    for _ in range(chance.randrange(12)):
        os.read(reading, 1)
    # A random part of an operation's time, spent awake: no clock is precise enough to sleep for it.
    end_s = time.perf_counter() + chance.random() * 0.012
    while time.perf_counter() < end_s:
        pass
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(reading)
    if not os.WIFSIGNALED(status):
        sys.exit(f"the writer ended by itself: {status}")


def look(cachedir: Path) -> dict[str, int]:
    """Read everything that is left and make sure that every batch is whole."""
    registry = open_registry(cachedir)
    records = {record.srn: record for record in registry.records()}
    whole = 0
    for batch in range(BATCHES):
        members = [resource(batch, number) for number in range(BATCH_SIZE)]
        states = {records[srn].status if srn in records else "absent" for srn in members}
        if len(states) != 1:
            sys.exit(f"batch {batch} is half {' and half '.join(states)}")
        configs = [registry.get(srn) for srn in members]
        if states == {"active"}:
            whole += 1
            versions = {(config or {}).get("version") for config in configs}
            ends = {(config or {}).get("end") for config in configs}
            if len(versions) != 1 or versions != ends:
                sys.exit(f"batch {batch} is of versions {versions}, {ends}")
    fault = registry.audit_fault()
    if fault is not None:
        sys.exit(f"the audit log has a fault: {fault}")
    repairs = sum(entry["action"] == "repair" for entry in registry.audit_entries())
    registry.close()
    check_database(cachedir / "store.db")
    return {"active_batches": whole, "repairs": repairs}


def check_database(path: Path) -> None:
    if path.exists():
        with closing(sqlite3.connect(path)) as database:
            (answer,) = database.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok":
            sys.exit(f"the database is damaged: {answer}")


def leftovers(cachedir: Path) -> list[str]:
    return (
        [path.name for path in cachedir.iterdir() if path.name.startswith(".")] if cachedir.exists() else []
    )


def main(folder: Path, rounds: int, seed: int) -> None:
    counts = {"rounds": 0, "active_batches": 0, "repairs": 0, "leftovers": 0}
    for number in range(rounds):
        cachedir = folder / f"project-{number // ROUNDS_A_PROJECT}"
        kill_at_random(cachedir, seed + number)
        for name, count in look(cachedir).items():
            counts[name] += count
        counts["rounds"] += 1
        counts["leftovers"] += len(leftovers(cachedir))
    json.dump(counts, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
