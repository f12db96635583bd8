"""`--follow` prints whole lines after the ID of their state, without secrets and control sequences."""

from __future__ import annotations

import io
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ensue.core.contracts.following import FollowedState
from ensue.core.masking import Masker
from ensue.output.colours import PLAIN
from ensue.output.followed_lines import MOST_LINE_BYTES, FollowedLines
from ensue.output.streams import ErrorLines

STATE = FollowedState(id="build", function="cmd.run", target="minion:m")


def printed(
    *pieces: bytes, errors: tuple[bytes, ...] = (), state: FollowedState = STATE, secret: str = ""
) -> list[str]:
    """Return what is printed of a command that writes pieces of output, then of errors."""
    stream = io.StringIO()
    follow = FollowedLines(ErrorLines(stream), Masker([secret] if secret else []), PLAIN)
    command = follow(state)
    for piece in pieces:
        command.output(piece)
    for piece in errors:
        command.errors(piece)
    command.end()
    return stream.getvalue().splitlines()


def test_lines_are_printed_when_they_are_complete() -> None:
    """A line that comes in pieces is one line; the last one may lack its end."""
    assert printed(b"on", b"e\ntwo\nthr", b"ee") == ["build | one", "build | two", "build | three"]


def test_output_and_errors_are_lines_of_their_own() -> None:
    """A line of output that is not complete is not mixed with a line of errors."""
    assert printed(b"half", errors=(b"wrong\n",)) == ["build | wrong", "build | half"]


def test_the_target_is_named_unless_it_is_this_machine() -> None:
    """Lines of several hosts can be distinguished."""
    state = FollowedState(id="build", function="cmd.run", target="ssh_host:web-01")
    assert printed(b"x\n", state=state) == ["build on ssh_host:web-01 | x"]


@given(st.lists(st.integers(min_value=1, max_value=24), max_size=4))
def test_a_secret_that_comes_in_pieces_is_not_printed(cuts: list[int]) -> None:
    """Wherever it is cut."""
    text = b"before hunter2secret after\n"
    edges = sorted({0, len(text), *cuts})
    pieces = [text[a:b] for a, b in pairwise(edges)]
    assert printed(*pieces, secret="hunter2secret") == ["build | before (sensitive) after"]


def test_a_line_that_is_too_long_is_left_out() -> None:
    """Neither its beginning, which may end within a secret, nor its rest is printed; memory stays bounded."""
    long = b"x" * (MOST_LINE_BYTES // 2 + 1)
    left_out = "build | (a line of more than 64 KiB is left out)"
    assert printed(b"a\n", long, long, long, b"\nb\n") == ["build | a", left_out, "build | b"]
    assert printed(long + long) == [left_out]
    assert printed(long + long + b"\nb\n") == [left_out, "build | b"]


def test_a_long_line_is_cut() -> None:
    """After a thousand characters."""
    (line,) = printed(b"x" * 5000 + b"\n")
    assert line == "build | " + "x" * 1000 + "…"


def test_of_a_progress_bar_the_last_form_is_printed() -> None:
    """A carriage return begins the line again, unless it ends it."""
    assert printed(b"10%\r50%\r100%\nnext\r\n") == ["build | 100%", "build | next"]


def test_a_command_cannot_control_the_terminal() -> None:
    """Neither with its output, nor with the ID that it gave its state."""
    state = FollowedState(id="a\x1b[2Jb", function="cmd.run", target="minion:m")
    assert printed(b"\x1b[31mred\x1b[0m\tx\x07\n", state=state) == ["ab | red     x"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    """A line is printed whatever is in it."""
    assert printed(b"a\xffb\n") == ["build | a\ufffdb"]
