"""A minion prints only so much on the coordinator's terminal, and what is left out is counted and named."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.output.test_fleet_progress import _finished, _Terminal
from tests.output.test_progress import Loop

from ensue.core.masking import Masker
from ensue.core.model.events import NodeStarted, RunStarted
from ensue.core.model.fleet import FleetReport, MinionReport
from ensue.output.colours import PLAIN
from ensue.output.fleet import answers_text, fleet_text, status_rows
from ensue.output.fleet_progress import LiveFleetProgress, PlainFleetProgress
from ensue.output.minion_lines import (
    LONGEST_CHARS,
    MOST_ANSWER_CHARS,
    MOST_CHARS,
    MOST_LINES,
    MOST_SUMMARY_CHARS,
    MinionLines,
    bounded_lines,
)
from ensue.output.streams import ErrorLines

MEBIBYTE = 1 << 20


def _report(*minions: MinionReport) -> FleetReport:
    return FleetReport(run_id="r", test=False, status="failed", exit_code=2, minions=minions)


def test_a_minion_does_not_fill_the_progress() -> None:
    """However much it reports, the failures of others are shown, and the rest of its own is counted."""
    stream = io.StringIO()
    progress = PlainFleetProgress(ErrorLines(stream), Masker(()), Loop())
    for number in range(5000):
        progress.of_minion("loud", _finished("loud", number, id="x" * 500, result=False, comment="no"))
    progress.of_minion("web1", _finished("web1", 5000, result=False, comment="it is broken"))
    progress.ended(MinionReport(id="loud", problem="y" * MEBIBYTE, ok=False))
    progress.close()
    lines = stream.getvalue().splitlines()
    assert "failed: web1 one (cmd.run): it is broken" in lines
    assert sum(line.startswith("failed: x") for line in lines) <= MOST_LINES
    assert len(stream.getvalue()) < MOST_CHARS + 2 * LONGEST_CHARS
    assert lines[-1] == "ensue: loud: 4984 lines, 2.5 MiB left out (`ensue runs show` has what happened)"


def test_states_that_take_long_count_for_their_minion() -> None:
    """Lines that a timer writes are those of the minion whose state runs."""
    loop, stream = Loop(), io.StringIO()
    progress = PlainFleetProgress(ErrorLines(stream), Masker(()), loop)
    for number in range(2 * MOST_LINES):
        progress.of_minion(
            "loud", NodeStarted(f"t{number}", "loud one", "cmd.run", "", "minion:loud", number)
        )
    progress.of_minion("web1", NodeStarted("t", "web1 one", "cmd.run", "", "minion:web1", 9999))
    loop.advance(60)
    progress.close()
    lines = stream.getvalue().splitlines()
    assert sum("loud one" in line for line in lines) == MOST_LINES
    assert sum("web1 one" in line for line in lines) == 1


def test_a_live_display_cuts_names() -> None:
    """It is drawn five times a second, and a name of many megabytes would fill the terminal."""
    loop = Loop()
    progress = LiveFleetProgress(ErrorLines(_Terminal()), Masker(()), loop, PLAIN)
    progress.of_minion("loud", RunStarted("r", False, 1, "", ()))
    progress.of_minion("loud", NodeStarted("t", "x" * MEBIBYTE, "cmd.run", "y" * MEBIBYTE, "minion:loud", 1))
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(progress._tree())
    assert len(console.export_text()) < 2000
    progress.close()


def test_the_summary_has_so_much_about_one_minion() -> None:
    """Its problem, its warnings and what it is are cut; that of the next one follows."""
    loud = MinionReport(
        id="loud",
        ok=False,
        problem="z" * MEBIBYTE + "\n" + "\n".join(["line"] * 10_000),
        warnings=tuple(f"{number} {'w' * MEBIBYTE}" for number in range(12)),
        status={"salt": "s" * MEBIBYTE, "abi": "a"},
    )
    quiet = MinionReport(id="web1", ok=False, problem="it does not answer")
    text = fleet_text(_report(loud, quiet), Masker(()), PLAIN)
    lines = text.splitlines()
    assert len(text) < MOST_SUMMARY_CHARS + 12 * LONGEST_CHARS
    assert "  and 10000 more lines, 1.0 MiB more (`ensue runs show` has it)" in lines
    assert "  it does not answer" in lines
    assert "warning: and 2 more texts of warnings" in lines
    assert all(len(cell) <= LONGEST_CHARS for row in status_rows(_report(loud), Masker(())) for cell in row)


def test_an_answer_is_cut_on_a_terminal_alone() -> None:
    """What is redirected is whole."""
    answer = "a" * MEBIBYTE
    loud = MinionReport(id="loud", answer=answer)
    quiet = MinionReport(id="web1", answer="good")
    report = _report(loud, quiet)
    assert answer in answers_text(report, Masker(()), PLAIN)
    text = answers_text(report, Masker(()), PLAIN, most_chars=MOST_ANSWER_CHARS)
    assert len(text) < MOST_ANSWER_CHARS + 200
    assert "and 768.0 KiB more (--out json has it)" in text
    assert text.endswith("web1:\n    good\n")


@given(st.lists(st.text(max_size=30)), st.integers(1, 60))
def test_no_character_is_lost_uncounted(lines: list[str], most_chars: int) -> None:
    """What is printed is never longer than allowed, and all of it unless something is counted."""
    shown = [*bounded_lines(lines, most_chars, "there")]
    if shown != lines:
        *shown, count = shown
        assert count.endswith("more (there)")
        assert sum(len(line) + 1 for line in lines) > most_chars
    assert sum(map(len, shown)) <= most_chars
    taker = MinionLines(5, most_chars)
    taken = [taker.take(line) for line in lines]
    assert sum(map(len, taken)) <= most_chars
    assert taken == lines or taker.rest


def test_empty_lines_take_room() -> None:
    """A problem of a million line ends is counted like any other text."""
    shown = [*bounded_lines([""] * MEBIBYTE, 100, "there")]
    assert len(shown) < 110
    assert shown[-1] == "and 1048476 more lines, 1023.9 KiB more (there)"
