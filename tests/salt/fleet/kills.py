"""Runs over real minions in which something is killed at a drawn point, and invariants that hold afterwards.

Each minion has a folder with `log`, in which each of its states leaves a line, and `progress`, a named pipe
that reports the same: a test knows how far a run is without a clock.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.salt.fleet.real_fleet import MINIONS, awaited_starts, check_answers, restarted

from ensue.core.model.events import NodeFinished, NodeStarted
from ensue.store.runs.run_history import read_events

if TYPE_CHECKING:
    import random
    import subprocess
    from collections.abc import Sequence

    from tests.salt.fleet.real_fleet import Fleet

STATES = 8
NAMES = tuple(f"s{number}" for number in range(STATES))
SLS = "{% set out = pillar.folder %}" + "".join(
    f"""
s{number}:
  cmd.run:
    - name: echo s{number} >> {{{{ out }}}}/log-{{{{ grains.id }}}}; echo . > {{{{ out }}}}/progress
"""
    for number in range(STATES)
)
VICTIM = "web1"
TARGET = ("web1", "db1")
_LONGEST_S = 120.0
_LONGEST_AWAKE_S = 0.2


@dataclass(slots=True)
class KillingGround:
    """A fleet whose runs are cut short.

    Args:
        fleet: the fleet.
        chance: draws where.
    """

    fleet: Fleet
    chance: random.Random
    progress: int = field(default=-1)
    before: dict[str, list[Path]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        out = self.fleet.base / "out"
        (self.fleet.base / "states" / "kills.sls").write_text(SLS)
        pipe = out / "progress"
        if not pipe.exists():
            os.mkfifo(pipe)
        # It is open for reading and writing, so that writers never lack a reader.
        self.progress = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self._drain()
        self.before = {minion: self._runs(minion) for minion in TARGET}
        for minion in TARGET:
            (out / f"log-{minion}").unlink(missing_ok=True)

    def close(self) -> None:
        """Close the pipe."""
        os.close(self.progress)

    def begun(self) -> subprocess.Popen[str]:
        """Begin a run, and return once a drawn number of states has run, and a drawn moment has passed."""
        target = " or ".join(TARGET)
        process = self.fleet.begun("apply", "--tgt", target, "kills", "--timeout", "60", "--out", "json")
        count = self.chance.randint(1, STATES * len(TARGET) - 1)
        ends_at = time.monotonic() + _LONGEST_S
        while count > 0:
            ready, _, _ = select.select([self.progress], [], [], ends_at - time.monotonic())
            assert ready, "the run does not go on"
            count -= os.read(self.progress, 2).count(b"\n")
        end_s = time.perf_counter() + self.chance.random() * _LONGEST_AWAKE_S
        while time.perf_counter() < end_s:  # No clock is precise enough to sleep for a part of a state.
            pass
        return process

    def _drain(self) -> None:
        while select.select([self.progress], [], [], 0)[0]:
            os.read(self.progress, 4096)

    def kill_ensue(self) -> bool:
        """Kill the ensue that runs on a minion; return whether there was one."""
        return kill_ensue(self.fleet, VICTIM)

    def restart_minion(self) -> None:
        """Kill a minion with all its jobs, and start it again."""
        folder = self.fleet.base / VICTIM
        self.fleet.minions[VICTIM] = restarted("salt-minion", folder, self.fleet.minions[VICTIM])

    def restart_master(self) -> None:
        """Kill the master, and start it again."""
        folder = self.fleet.base / "m"
        self.fleet.programs["m"] = restarted("salt-master", folder, self.fleet.programs["m"])
        with awaited_starts(self.fleet.base):
            pass
        check_answers(self.fleet, "*", len(MINIONS))

    def frames(self, minion: str) -> list[Path]:
        """Return the frames that a minion keeps of its last job."""
        jobs = sorted((self.fleet.base / minion / "cache/ensue/jobs").iterdir())
        return [*(jobs[-1] / "frames").iterdir()]

    def has_ended(self) -> bool:
        """Return whether the journal of the coordinator has the end of its run."""
        code, out, err = self.fleet.run("runs", "list", "--limit", "1", "--out", "json")
        assert code == 0, err
        (newest,) = json.loads(out)
        return bool(newest["ended_at"])

    def check(self, code: int, out: str, err: str) -> int:
        """Check all invariants at the end; return how many calls were repeated.

        Args:
            code: the exit code of the last command.
            out: its JSON.
            err: its messages.
        """
        assert code == 0, (out, err)
        results = json.loads(out)
        assert sorted(results) == sorted(TARGET)
        for minion, returns in results.items():
            assert [returned["result"] for returned in returns.values()] == [True] * STATES, minion
        return self.check_journals()

    def check_journals(self) -> int:
        """Check what minions and journals have at the end; return how many calls were repeated."""
        repeated = 0
        for minion in TARGET:
            log = Counter((self.fleet.base / "out" / f"log-{minion}").read_text().split())
            assert sorted(log) == sorted(NAMES), minion
            starts = self._starts(minion)
            assert not [name for name, count in log.items() if count > starts[name]], (log, starts)
            repeated += starts.total() - STATES
        self._check_history()
        return repeated

    def _runs(self, minion: str) -> list[Path]:
        """Return the journals of a minion's own runs, oldest first."""
        return sorted((self.fleet.base / minion / "cache/ensue/project/runs").glob("*.jsonl"))

    def _starts(self, minion: str) -> Counter[str]:
        """Return the calls of a minion's states; make sure that none was called again after it had ended."""
        finished: set[str] = set()
        starts: Counter[str] = Counter()
        for path in [path for path in self._runs(minion) if path not in self.before[minion]]:
            events = list(read_events(path))
            begun = Counter(event.id for event in events if isinstance(event, NodeStarted))
            assert not finished & begun.keys(), path
            starts += begun
            finished |= {event.returned.id for event in events if isinstance(event, NodeFinished)}
        return starts

    def _check_history(self) -> None:
        """Make sure that the journal of the coordinator has each state of each minion as succeeded."""
        code, out, err = self.fleet.run("runs", "show", "last", "--out", "json")
        assert code == 0, err
        (returns,) = json.loads(out).values()
        names: Sequence[Any] = sorted(
            returned["__id__"] for returned in returns.values() if returned["result"] is True
        )
        assert names == sorted(f"{minion} s{number}" for minion in TARGET for number in range(STATES))


def kill_ensue(fleet: Fleet, minion: str) -> bool:
    """Kill the ensue that runs on a minion, and wait for its end; return whether there was one."""
    root = fleet.base / minion
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes()
            is_ensue = b"ensue.cli.fleet_minion" in words
            if is_ensue and (entry / "cwd").readlink().is_relative_to(root):
                process = os.pidfd_open(int(entry.name))
                signal.pidfd_send_signal(process, signal.SIGKILL)
                select.select([process], [], [])
                os.close(process)
                return True
        except (OSError, ValueError):
            continue
    return False
