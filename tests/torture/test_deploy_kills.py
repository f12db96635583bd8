"""`ensue deploy` killed at random moments: nothing is made twice that the driver could have known.

The driver writes down each thing that it orders outside before it keeps a cookie for it, as a cloud does:
only what was ordered and not yet kept may be ordered again, and then the driver has to look for it.
`ENSUE_TORTURE_ROUNDS` says how many rounds there are.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell
from tests.support.chance import chance_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.long

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "3"))
_CHANCE = chance_of(__name__)

SEEDS = _CHANCE.sample(range(10**6), min(ROUNDS, 50))
LONGEST_AWAKE_S = 0.02
LONGEST_S = 300.0
MOST_KILLS = 4
SECRET = "pl4nted-s3cret"
RESOURCES = 24
DEPLOY = ("deploy", "set.yaml", "--app", "shop", "--env", "dev", "--env-type", "development")

DRIVER = '''
"""Orders things in `log`, a line each: `order ID NUMBER`, `found ID NUMBER`, `change ID`, `delete ID`."""

import os

from ensue.core.contracts.driver import Planned, Provisioned


def step(request):
    """Tell the test that a moment has come to kill this."""
    descriptor = os.open(request.root / "progress", os.O_WRONLY | os.O_NONBLOCK)
    os.write(descriptor, b".")
    os.close(descriptor)


def write(request, line):
    step(request)
    descriptor = os.open(request.root / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{line}\\n".encode())
    os.close(descriptor)
    step(request)


def ordered(request):
    """Look for what an interrupted call has ordered."""
    path = request.root / "log"
    lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    gone = {line[1] for line in lines if line[0] == "delete"}
    found = [line[2] for line in lines if line[:2] == ["order", request.id] and line[1] not in gone]
    return found[-1] if found else None


async def create(request):
    number = (request.cookie or {}).get("number")
    if number is None and request.was_interrupted:
        number = ordered(request)
        if number is not None:
            write(request, f"found {request.id} {number}")
    if number is None:
        number = str(os.getpid())
        write(request, f"order {request.id} {number}")
    await request.services.keep({"number": number})
    return Provisioned(values={"number": number}, secrets=request.secrets, cookie={"number": number})


async def update(request):
    assert request.cookie, "a resource that is there has a cookie"
    write(request, f"change {request.id}")
    return Provisioned(values={"number": request.cookie["number"]}, secrets=request.secrets)


async def delete(request):
    write(request, f"delete {request.id}")


async def plan(request):
    return Planned()
'''

DEFINITIONS = f"""\
kind: Definition
metadata: {{id: thing}}
entity:
  type: thing
  driver_type: orders
  driver_inputs:
    values: {{of: "${{resources.base-env.outputs.name}}"}}
    secrets: {{password: {SECRET}}}
  criteria: [{{}}]
---
kind: Definition
metadata: {{id: base}}
entity: {{type: base-env, driver_type: orders, criteria: [{{}}]}}
---
kind: Definition
metadata: {{id: any-workload}}
entity: {{type: workload, driver_type: echo, criteria: [{{}}]}}
"""


def project(root: Path) -> Shell:
    """Write a project of workloads with things that need the base environment."""
    shell = Shell(root)
    shell.write("ensue.yaml", "id: m\n")
    shell.write("states/_drivers/orders.py", DRIVER)
    shell.write("definitions/all.yaml", DEFINITIONS.replace("outputs.name", "outputs.number"))
    lines = [f"  w{n}: {{externals: {{thing: {{type: thing}}}}}}\n" for n in range(RESOURCES)]
    shell.write("set.yaml", "modules:\n" + "".join(lines))
    return shell


def killed(shell: Shell, progress: int, chance: random.Random, *words: str) -> bytes:
    """Run a command and kill it at a step of its drivers, or a moment later; return its output."""
    while select.select([progress], [], [], 0)[0]:
        os.read(progress, 4096)
    process = shell.start(*words)
    ended = os.pidfd_open(process.pid)
    for _ in range(chance.randint(1, 2 * RESOURCES)):
        ready, _, _ = select.select([progress, ended], [], [], LONGEST_S)
        assert ready, "the deployment neither goes on nor ends"
        if progress not in ready:
            break
        os.read(progress, 1)
    select.select([ended], [], [], chance.uniform(0, LONGEST_AWAKE_S))
    os.close(ended)
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    return b"".join(process.communicate())


def orders(root: Path, word: str, log_name: str = "log") -> Counter[str]:
    """Return how often a driver has done something to each resource."""
    log = root / log_name
    lines = log.read_text().splitlines() if log.exists() else []
    return Counter(line.split()[1] for line in lines if line.startswith(f"{word} "))


def check_store(root: Path) -> None:
    """Make sure that the store is whole and holds no secret in the clear."""
    path = root / ".ensue/store.db"
    if path.exists():
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for file in (root / ".ensue").rglob("*"):
        with contextlib.suppress(OSError):
            assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


@pytest.fixture
def progress(tmp_path: Path) -> Iterator[int]:
    """The pipe into which drivers write a byte before and after each thing that they do."""
    pipe = tmp_path / "project/progress"
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    # It is open for reading and writing, so that writers never lack a reader.
    descriptor = os.open(pipe, os.O_RDWR)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_at_random_moments(tmp_path: Path, progress: int, seed: int) -> None:
    """Each thing is ordered once, however often the deployment is killed; a last one completes all of it."""
    chance = random.Random(seed)  # noqa: S311 -- chance, not secrecy
    shell = project(tmp_path / "project")
    for _ in range(chance.randint(1, MOST_KILLS)):
        assert SECRET.encode() not in killed(shell, progress, chance, *DEPLOY)
        check_store(shell.root)
    ended = shell.run(*DEPLOY, "--out", "json")
    assert ended.code == 0, ended.err
    assert {node["status"] for node in ended.document["nodes"]} <= {"created", "updated", "unchanged"}
    assert set(orders(shell.root, "order").values()) == {1}
    assert len(orders(shell.root, "order")) == RESOURCES + 1
    again = shell.run(*DEPLOY, "--out", "json")
    assert {node["status"] for node in again.document["nodes"]} == {"unchanged"}

    destroy = ("deploy", "--app", "shop", "--env", "dev", "--destroy")
    for _ in range(chance.randint(1, 2)):
        killed(shell, progress, chance, *destroy)
        check_store(shell.root)
    ended = shell.run(*destroy, "--out", "json")
    assert ended.code == 0, ended.err
    assert {node["status"] for node in ended.document["nodes"]} <= {"destroyed"}
    assert len(orders(shell.root, "delete")) == RESOURCES + 1
    assert shell.run(*destroy, "--out", "json").document["nodes"] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_replacement_killed_at_random_moments(tmp_path: Path, progress: int, seed: int) -> None:
    """The other driver makes each thing once, and the earlier thing is destroyed only when that exists."""
    chance = random.Random(seed)  # noqa: S311 -- chance, not secrecy
    shell = project(tmp_path / "project")
    assert shell.run(*DEPLOY).code == 0
    shell.write("states/_drivers/others.py", DRIVER.replace('"log"', '"other log"'))
    other = DEFINITIONS.replace("outputs.name", "outputs.number")
    shell.write("definitions/all.yaml", other.replace("driver_type: orders", "driver_type: others", 1))
    replace = (*DEPLOY, "--allow-replace")
    for _ in range(chance.randint(1, MOST_KILLS)):
        assert SECRET.encode() not in killed(shell, progress, chance, *replace)
        check_store(shell.root)
        assert orders(shell.root, "delete").keys() <= orders(shell.root, "order", "other log").keys()
    ended = shell.run(*replace, "--out", "json")
    assert ended.code == 0, ended.err
    assert set(orders(shell.root, "order", "other log").values()) == {1}
    things = orders(shell.root, "order", "other log").keys()
    assert (len(things), orders(shell.root, "delete").keys()) == (RESOURCES, things)
    again = shell.run(*DEPLOY, "--out", "json")
    assert {node["status"] for node in again.document["nodes"]} == {"unchanged"}

    destroy = ("deploy", "--app", "shop", "--env", "dev", "--destroy")
    killed(shell, progress, chance, *destroy)
    assert shell.run(*destroy).code == 0
    assert orders(shell.root, "delete", "other log").keys() == things
    assert len(orders(shell.root, "delete")) == RESOURCES + 1
