"""`ensue deploy` killed around the `keep` of a program: nothing is made twice, and nothing is forgotten.

The program is that of the documentation which chooses a random name and waits until it is kept. It runs
within another one, which kills ensue before or after any step that it takes, or a moment later.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import random
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell
from tests.support.chance import chance_of
from tests.test_docs import ROOT, blocks

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "3"))
IS_LONG = ROUNDS >= 50
LONGEST_AWAKE_S = 0.03
DEPLOY = ("deploy", "score.yaml", "--app", "shop", "--env", "dev", "--env-type", "development")
DESTROY = ("deploy", "--app", "shop", "--env", "dev", "--destroy")
CREATION = ("read document", "write keep", "read answer", "make", "write outputs")
REMOVAL = ("read document", "remove", "write outputs")
MOMENTS = [f"{when}|{step}" for step in CREATION for when in ("before", "after")]
_CHANCE = chance_of(__name__)

SEEDS = _CHANCE.sample(range(10**6), len(MOMENTS) * (ROUNDS // 10 if IS_LONG else 1))

DEFINITIONS = f"""\
kind: Definition
metadata: {{id: bucket}}
entity:
  type: s3
  driver_type: command
  driver_inputs:
    values:
      command: [{sys.executable}, killing.py, programs/random_bucket.py]
      acknowledge: true
      storage: storage
  criteria: [{{}}]
---
kind: Definition
metadata: {{id: workload}}
entity: {{type: workload, driver_type: echo, criteria: [{{}}]}}
"""

SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: a, variables: {FILES: "${resources.files.bucket}"}}}
resources: {files: {type: s3}}
"""

KILLING = '''
"""Runs a program; at the step that the file `kill` names, kills ensue, which has started this process."""

import builtins
import fcntl
import os
import runpy
import select
import shutil
import signal
import sys
from pathlib import Path

ensue = os.pidfd_open(os.getppid())
running = open("running", "w")
fcntl.flock(running, fcntl.LOCK_SH)
kill = Path("kill")
when, step, awake_s = kill.read_text().split("|") if kill.exists() else ("", "", 0)
reads = iter(["read document", "read answer"])


def reach(*moment):
    if moment != (when, step):
        return
    kill.unlink()
    if float(awake_s) and os.fork():
        return
    if float(awake_s):
        os.closerange(0, 3)
        select.select([], [], [], float(awake_s))
    try:
        signal.pidfd_send_signal(ensue, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if float(awake_s):
        os._exit(0)
    select.select([ensue], [], [])


def around(name, work):
    def step(*words, **options):
        this = name(*words)
        reach("before", this)
        result = work(*words, **options)
        reach("after", this)
        return result

    return step


def make(path, **options):
    with open("made", "a") as log:
        log.write("" if path.exists() else f"{path.name}\\n")
    os.makedirs(path, exist_ok=True)


class Input:
    readline = staticmethod(around(lambda: next(reads), sys.stdin.readline))


sys.stdin = Input()
Path.mkdir = around(lambda *_: "make", make)
shutil.rmtree = around(lambda *_: "remove", shutil.rmtree)
builtins.print = around(lambda line: "write keep" if line.startswith('{"keep"') else "write outputs", print)
sys.argv.pop(0)
runpy.run_path(sys.argv[0])
'''


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with one bucket, of the documentation's program."""
    shell = Shell(tmp_path)
    for block in blocks((ROOT / "docs" / "driver-command.md").read_text(encoding="utf-8")):
        if block.rest == "programs/random_bucket.py":
            shell.write(block.rest, block.body)
    shell.write("ensue.yaml", "id: m\n")
    shell.write("killing.py", KILLING)
    shell.write("definitions/all.yaml", DEFINITIONS)
    shell.write("score.yaml", SCORE)
    return shell


def was_killed(shell: Shell, moment: str, awake_s: float, *words: str) -> bool:
    """Run a command that is killed a given time after a moment, if that comes; return whether it was."""
    shell.write("kill", f"{moment}|{awake_s}")
    ended = shell.run(*words)
    # The program outlives ensue: the next command begins when it has ended.
    with (shell.root / "running").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    (shell.root / "kill").unlink(missing_ok=True)
    assert ended.code in {0, -9}, ended.err
    return ended.code != 0


def buckets(root: Path) -> list[str]:
    """Return the buckets that there are."""
    storage = root / "storage"
    return [path.name for path in storage.iterdir()] if storage.exists() else []


@pytest.mark.parametrize(("moment", "seed"), list(zip(itertools.cycle(MOMENTS), SEEDS, strict=False)))
def test_killed_around_a_keep(shell: Shell, moment: str, seed: int) -> None:
    """After four kills, the first at this moment, there is one bucket, and after a removal there is none."""
    chance = random.Random(seed)  # noqa: S311 -- chance, not secrecy
    assert was_killed(shell, moment, 0.0, *DEPLOY)
    assert len(buckets(shell.root)) <= 1
    for _ in range(2):
        was_killed(shell, chance.choice(MOMENTS), chance.uniform(0, LONGEST_AWAKE_S), *DEPLOY)
        assert len(buckets(shell.root)) <= 1
    ended = shell.run(*DEPLOY)
    assert ended.code == 0, ended.err
    (made,) = buckets(shell.root)
    assert (shell.root / "made").read_text().split() == [made]

    removal = f"{chance.choice(['before', 'after'])}|{chance.choice(REMOVAL)}"
    was_killed(shell, removal, chance.choice([0.0, chance.uniform(0, LONGEST_AWAKE_S)]), *DESTROY)
    ended = shell.run(*DESTROY)
    assert ended.code == 0, ended.err
    assert buckets(shell.root) == []
