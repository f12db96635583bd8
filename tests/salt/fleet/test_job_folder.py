"""What a minion keeps of a job: its frames until they are acknowledged, and that it has run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from ensue.salt.fleet import job_folder
from ensue.salt.fleet.frames import MinionEnded, Warned
from ensue.salt.fleet.job_folder import JobFolder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.salt.fleet.fake_minion import FakeMinion

DYING = """
import base64, json, os, signal, sys, zlib

order = json.loads(sys.stdin.readline())
text = "continues" if order["continues"] else "begins"
content = zlib.compress(json.dumps({"type": "Warned", "messages": [text]}).encode())
os.write(1, base64.b64encode(content) + b"\\n")
if not order["continues"]:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _frames(first: int, count: int) -> list[dict[str, Any]]:
    return [{"number": number} for number in range(first, first + count)]


@pytest.fixture
def job(tmp_path: Path) -> JobFolder:
    """A job that runs."""
    folder = JobFolder(tmp_path, "1")
    assert folder.claimed()
    assert folder.locked()
    return folder


def test_frames_are_kept_until_they_are_acknowledged(job: JobFolder, tmp_path: Path) -> None:
    """Frames are there from any number on; only those that were acknowledged are forgotten."""
    for first, count in ((0, 1), (1, 3), (4, 1)):
        assert job.keep(_frames(first, count)) == ""
    other = JobFolder(tmp_path, "1")
    assert [frame["number"] for frame in other.frames_since(2)] == [2, 3, 4]
    assert (other.first_kept(), other.next_number) == (0, 5)
    other.acknowledge(2)
    assert [frame["number"] for frame in other.frames_since(0)] == [1, 2, 3, 4]
    job.end()
    other.acknowledge(5)
    assert (other.first_kept(), other.next_number, other.has_ended) == (5, 5, True)


def test_one_process_has_a_job(job: JobFolder, tmp_path: Path) -> None:
    """A job is claimed once, and locked by one process at a time."""
    other = JobFolder(tmp_path, "1")
    assert not other.claimed()
    assert not other.locked()
    job.unlock()
    assert other.locked()
    other.unlock()


def test_kept_frames_are_bounded(job: JobFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound nothing is kept but the end."""
    monkeypatch.setattr(job_folder, "MOST_KEPT_BYTES", 30)
    assert job.keep(_frames(0, 1)) == ""
    assert "more than" in job.keep(_frames(1, 9))
    assert job.keep(_frames(1, 9), is_last=True) == ""


def test_jobs_are_forgotten_once_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many jobs, the last ones are remembered, and those whose frames may still be requested."""
    monkeypatch.setattr(job_folder, "KEEP_JOBS", 2)
    for number in range(4):
        folder = JobFolder(tmp_path, str(number))
        assert folder.claimed()
        assert folder.locked()
        folder.keep(_frames(0, 1))
        if number != 1:
            folder.acknowledge(1)
        folder.unlock()
    job_folder.forget_jobs(tmp_path / "jobs")
    assert sorted(path.name for path in (tmp_path / "jobs").iterdir()) == ["1", "2", "3"]
    os.utime(tmp_path / "jobs" / "1" / "frames", (0, 0))
    job_folder.forget_jobs(tmp_path / "jobs")
    assert sorted(path.name for path in (tmp_path / "jobs").iterdir()) == ["2", "3"]


def test_a_job_that_has_run_is_only_reported_again(minion: FakeMinion) -> None:
    """An order that requests frames sends the same frames again, from the number on, and runs nothing."""
    minion.run("apply", "1")
    frames = [*minion.fired]
    minion.fired.clear()
    assert minion.run("apply", "1", since={"web1": 1}) == {"problem": ""}
    assert minion.fired == frames[1:]
    assert minion.run("acknowledge", "2", frames={"web1": {"1": len(frames)}}) == {"problem": ""}
    problem = minion.run("apply", "1", since={"web1": 0})["problem"]
    assert "acknowledged" in problem


def test_an_order_that_was_lost_is_run_when_it_is_asked_for(minion: FakeMinion) -> None:
    """A job that never arrived begins when the coordinator asks for its frames."""
    assert minion.run("apply", "1", since={"web1": 0}) == {"problem": ""}
    assert isinstance(minion.messages("1")[-1], MinionEnded)


def test_a_killed_ensue_is_started_again(minion: FakeMinion) -> None:
    """The second process knows that it continues, and the frames of both are numbered as one job's."""
    minion.ship("dying", DYING)
    assert minion.run("apply", "1") == {"problem": ""}
    warned = [message for message in minion.messages("1") if isinstance(message, Warned)]
    assert [message.messages for message in warned] == [("begins",), ("continues",)]
    assert minion.messages("1")[-1] == MinionEnded("")
