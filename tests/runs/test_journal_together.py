"""Returns of calls that touch nothing are written many at a time; everything else when it comes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ensue.errors import StoreError
from ensue.masking import Masker
from ensue.model.events import NodeFinished, NodeStarted, RunFinished
from ensue.model.returns import Return
from ensue.runs.journal import Journal, read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.model.events import RunEvent

RUN = "20261121T120000-0f424a"


def finished(number: int) -> NodeFinished:
    """Return the end of a state's call."""
    return NodeFinished(
        Return(
            tag=f"t{number}",
            id="a",
            name="a",
            sls="s",
            module="test",
            function="nop",
            scope="",
            target="minion:m",
            result=True,
            changes={},
            comment="",
            run_num=number,
        )
    )


def started(number: int) -> NodeStarted:
    """Return the beginning of a state's call."""
    return NodeStarted(
        tag_=f"t{number}", id="a", function="cmd.run", scope="", target="minion:m", run_num=number
    )


END = RunFinished(run_id=RUN, status="succeeded", exit_code=0, ended_at="2026-11-21T12:00:01+00:00")


class Turns:
    """An event loop that turns when it is told to."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []

    def soon(self, call: Callable[[], None]) -> None:
        """Have something called at the next turn."""
        self.due.append(call)

    def turn(self) -> None:
        """Turn once."""
        due, self.due = self.due, []
        for call in due:
            call()


def test_they_are_there_when_the_loop_has_turned(tmp_path: Path) -> None:
    """Until then they wait, one call for all of them, and stand in order."""
    turns, events = Turns(), [finished(number) for number in range(3)]
    with Journal.create(tmp_path, RUN, masker=Masker()) as journal:
        journal.write_together(turns.soon)
        for event in events:
            journal.write(event)
        assert read_run(tmp_path, RUN) == []
        assert len(turns.due) == 1
        turns.turn()
        assert read_run(tmp_path, RUN) == events


@pytest.mark.parametrize("other", [started(9), END])
def test_whatever_else_happens_brings_them_along(tmp_path: Path, other: RunEvent) -> None:
    """Before a call that may do something is on its way, all that came before is in the file."""
    turns = Turns()
    with Journal.create(tmp_path, RUN, masker=Masker()) as journal:
        journal.write_together(turns.soon)
        journal.write(finished(0))
        journal.write(other)
        assert read_run(tmp_path, RUN) == [finished(0), other]
        turns.turn()
        assert read_run(tmp_path, RUN) == [finished(0), other]


def test_what_was_told_to_have_begun_is_written_when_it_ends(tmp_path: Path) -> None:
    """The return of a call that may have done something does not wait."""
    with Journal.create(tmp_path, RUN, masker=Masker()) as journal:
        journal.write_together(Turns().soon)
        journal.write(started(0))
        journal.write(finished(0))
        assert read_run(tmp_path, RUN) == [started(0), finished(0)]


def test_what_waits_at_the_end_is_written(tmp_path: Path) -> None:
    """Closing a journal loses nothing."""
    with Journal.create(tmp_path, RUN, masker=Masker()) as journal:
        journal.write_together(Turns().soon)
        journal.write(finished(0))
    assert read_run(tmp_path, RUN) == [finished(0)]


def test_a_full_disk_is_told_to_who_writes_next(tmp_path: Path) -> None:
    """What goes wrong while the loop turns ends the run like any other fault of its journal."""
    turns = Turns()
    journal = Journal(tmp_path / "x.jsonl", os.open("/dev/full", os.O_WRONLY), Masker())
    journal.write_together(turns.soon)
    journal.write(finished(0))
    turns.turn()
    with pytest.raises(StoreError, match="No space left"):
        journal.write(finished(1))
    with pytest.raises(StoreError, match="No space left"):
        journal.close()
