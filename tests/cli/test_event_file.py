"""The lines of `--events`, with readers that are slow or stop."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace
from typing import Any

from ensue.cli.event_file import EventFile

LINE = b'{"event": "x", "text": "' + b"." * 100_000 + b'"}\n'


class _Session(SimpleNamespace):
    """A command that keeps its messages."""

    def __init__(self) -> None:
        super().__init__(results_lost=False, messages=[], lines=self)

    def write(self, message: str) -> None:
        self.messages.append(message)


def _opened(**limits: Any) -> tuple[int, _Session, EventFile]:
    session: Any = _Session()
    reader, writer = os.pipe()
    return reader, session, EventFile(writer, session, **limits)


def test_lines_beyond_the_bound_are_counted() -> None:
    """Memory is bounded when nobody reads; the reader learns how many lines are missing, and where."""
    reader, session, file = _opened(most_waiting_bytes=4 * len(LINE))
    for _ in range(50):
        file.put(LINE)
    # What was full has room again as soon as it is read.
    with os.fdopen(reader, "rb") as lines:
        kinds = ["x"]
        while kinds[-1] == "x":
            line = json.loads(lines.readline())
            kinds.append(line["event"])
        file.put(b'{"event": "last"}\n')
        assert json.loads(lines.readline()) == {"event": "last"}
    file.end()
    lost = line["count"]
    assert kinds == ["x"] * (len(kinds) - 1) + ["events_lost"]
    assert len(kinds) - 2 + lost == 50
    assert 4 <= len(kinds) - 2 <= 6
    assert session.results_lost
    assert session.messages == [f"ensue: {lost} events are lost, because their reader is too slow"]


def test_a_reader_that_stops_does_not_keep_the_command_from_ending() -> None:
    """At the end, the wait for a reader that takes nothing has a deadline."""
    reader, session, file = _opened(silence_s=0.01)
    file.put(LINE)
    file.end()
    os.close(reader)
    assert session.results_lost
    assert session.messages == ["ensue: events are lost, because nobody has read them for 0.01 s"]


def test_a_reader_that_closes_its_end_is_no_error() -> None:
    """What comes after that is dropped, and the command succeeds."""
    reader, session, file = _opened(most_waiting_bytes=4 * len(LINE))
    os.close(reader)
    for _ in range(50):
        file.put(LINE)
    file.end()
    assert not session.results_lost
    assert session.messages == []


def test_a_line_that_is_longer_than_the_bound_is_written() -> None:
    """A line that waits alone is always taken."""
    reader, session, file = _opened(most_waiting_bytes=1)
    file.put(LINE)
    with os.fdopen(reader, "rb") as lines:
        assert lines.readline() == LINE
    file.end()
    assert session.messages == []
