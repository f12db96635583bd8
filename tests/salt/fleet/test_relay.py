"""The program of the minion, loaded as Salt loads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.salt.fleet.frames import Alive, Described, MinionEnded

if TYPE_CHECKING:
    from pathlib import Path

    from tests.salt.fleet.fake_minion import FakeMinion


def test_a_problem_is_reported_as_the_end(minion: FakeMinion) -> None:
    """What prevents an order is in the last message, which is signed; Salt's return says nothing more."""
    assert minion.run("apply", "1") == {"problem": ""}
    alive, described, ended = minion.messages("1")
    assert alive == Alive()
    assert isinstance(described, Described)
    assert isinstance(ended, MinionEnded)
    assert "the coordinator has no ensue for its Python and platform" in ended.problem


def test_a_job_runs_once(minion: FakeMinion) -> None:
    """A job that is published again is refused, and no frame of it is signed twice; another job runs."""
    minion.run("apply", "1")
    count = len(minion.fired)
    assert minion.run("apply", "1") == {"problem": "it has run this job already"}
    assert len(minion.fired) == count
    assert minion.run("call", "2") == {"problem": ""}


def test_without_a_key_nothing_is_signed(minion: FakeMinion, tmp_path: Path) -> None:
    """A minion whose key cannot be read says so in what Salt returns."""
    (tmp_path / "minion.pem").unlink()
    problem = minion.run("apply", "1")["problem"]
    assert problem.startswith("it has no key to sign with")
    assert minion.fired == []
