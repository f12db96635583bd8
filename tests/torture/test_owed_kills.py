"""An apply is killed at random moments: a plain apply afterwards runs each handler of what had changed."""

from __future__ import annotations

import os
import random
import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell
from tests.support.chance import chance_of

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "3"))
_CHANCE = chance_of(__name__)

SEEDS = _CHANCE.sample(range(10**6), ROUNDS)
_STATES = 6
_KILLS = 3

SLS = """\
{% for number in range(STATES) %}
c{{ number }}:
  file.managed:
    - name: ROOT/c{{ number }}
    - contents_pillar: word
    - onchanges_in: [cmd: run{{ number }}]
    - listen_in: [cmd: heard{{ number }}]
run{{ number }}:
  cmd.run:
    - name: cat ROOT/c{{ number }} >> ROOT/run{{ number }}
heard{{ number }}:
  cmd.wait:
    - name: cat ROOT/c{{ number }} >> ROOT/heard{{ number }}
{% endfor %}
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_handlers_after_kills(tmp_path: Path, seed: int) -> None:
    """Each has run at least once since the last change of its state, and none runs again after that."""
    chance = random.Random(seed)  # noqa: S311  # chance, not secrecy
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: m1\n")
    shell.write("states/t.sls", SLS.replace("STATES", str(_STATES)).replace("ROOT", str(shell.root)))
    words = [f"word{number}" for number in range(_KILLS)]
    for word in words:
        process = shell.start("apply", "t", "--pillar", f"word={word}")
        # The run is killed when so many bytes of its journal are there: any moment may be the one.
        most = chance.randint(1, 40_000)
        while process.poll() is None and _journaled(shell) < most:
            pass
        process.send_signal(signal.SIGKILL)
        process.communicate()
    ended = shell.run("apply", "t", "--pillar", f"word={words[-1]}")
    assert ended.code == 0, ended.err
    lines = _lines(shell)
    assert {name: texts[-1] for name, texts in lines.items()} == dict.fromkeys(lines, words[-1])
    assert len(lines) == 2 * _STATES
    assert "owed since" not in shell.run("plan", "t", "--pillar", f"word={words[-1]}").out
    assert shell.run("apply", "t", "--pillar", f"word={words[-1]}").code == 0
    assert _lines(shell) == lines


def _journaled(shell: Shell) -> int:
    """Return how large the newest journal is."""
    journals = sorted((shell.root / ".ensue/runs").glob("*.jsonl"))
    return journals[-1].stat().st_size if journals else 0


def _lines(shell: Shell) -> dict[str, list[str]]:
    return {
        path.name: path.read_text().splitlines()
        for path in sorted(shell.root.iterdir())
        if path.name.startswith(("run", "heard"))
    }
