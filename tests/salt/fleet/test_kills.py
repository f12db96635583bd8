"""Runs over real minions that end by kill -9: nothing is lost, and no state that has ended runs again.

`ENSUE_TORTURE_ROUNDS` says how many rounds each test has; `make torture-fleet` does thirty.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.salt.fleet.kills import TARGET, KillingGround
from tests.salt.fleet.real_fleet import HAS_SALT

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.salt.fleet.real_fleet import Fleet

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "1"))
SEEDS = random.sample(range(10**6), ROUNDS)

if HAS_SALT:

    @pytest.fixture(params=SEEDS)
    def ground(fleet: Fleet, request: pytest.FixtureRequest) -> Generator[KillingGround]:
        """A run that a test cuts short, at a point that the seed draws."""
        made = KillingGround(fleet, random.Random(request.param))  # noqa: S311 -- chance, not secrecy
        yield made
        made.close()

    def test_the_coordinator_is_killed(ground: KillingGround) -> None:
        """A resumed run takes what minions have reported meanwhile; no job runs twice."""
        process = ground.begun()
        process.kill()
        process.communicate()
        if ground.has_ended():  # It was quicker.
            assert ground.check_journals() == 0
        else:
            assert ground.check(*ground.fleet.run("runs", "resume", "--out", "json")) == 0

    @pytest.mark.parametrize("place", ["before", "after", "forgotten"])
    def test_the_coordinator_is_killed_while_it_acknowledges(ground: KillingGround, place: str) -> None:
        """The run has ended: its journal is whole, it is not resumed, and the next run does not wait."""
        program = Path(__file__).with_name("killed_coordinator.py")
        words = ("apply", "--tgt", " or ".join(TARGET), "kills", "--timeout", "60")
        root = str(ground.fleet.base / "project")
        done = subprocess.run(
            [sys.executable, program, place, "--root", root, *words],
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert ground.has_ended()
        assert ground.check_journals() == 0
        code, _, err = ground.fleet.run("runs", "resume")
        assert code != 0
        assert "nothing to resume" in err, err
        if place == "before":
            assert all(ground.frames(minion) for minion in TARGET)
        code, out, err = ground.fleet.run(*words)
        assert code == 0, (out, err)

    def test_ensue_is_killed_on_a_minion(ground: KillingGround) -> None:
        """The minion goes on from the journal of its own run, and the run ends as if nothing had happened."""
        process = ground.begun()
        ground.kill_ensue()
        out, err = process.communicate()
        ground.check(process.returncode, out, err)

    def test_a_minion_is_killed(ground: KillingGround) -> None:
        """When the minion is back, its job goes on from the journal of the minion's own run."""
        process = ground.begun()
        ground.restart_minion()
        out, err = process.communicate()
        ground.check(process.returncode, out, err)

    def test_the_master_is_killed(ground: KillingGround) -> None:
        """The run is stopped, and a resumed run takes what minions have done without a master."""
        process = ground.begun()
        ground.restart_master()
        out, err = process.communicate()
        if process.returncode:
            assert "E0879" in err, (out, err)
            assert ground.check(*ground.fleet.run("runs", "resume", "--out", "json")) == 0
        else:  # The minions were quicker.
            ground.check(0, out, err)
