"""Marked lines of a connection's script are not passed on, however the output is cut into pieces."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from ensue.reach.resources.unmarked_output import unmarked

TOKEN = "ensue-0123abcd"


class Heard:
    def __init__(self) -> None:
        self.stdout = b""
        self.stderr = b""

    def output(self, data: bytes) -> None:
        self.stdout += data

    def errors(self, data: bytes) -> None:
        self.stderr += data


def pieces(text: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[a:b] for a, b in pairwise(edges)]


@given(
    st.binary(),
    st.binary().filter(lambda printed: TOKEN.encode() not in printed),
    st.lists(st.integers(0, 200)),
)
@example(b"banner ensue-", b"said ensue-0123", [3, 12, 13, 14, 20])
def test_what_is_between_the_marks_is_passed_on(before: bytes, printed: bytes, cuts: list[int]) -> None:
    """A login shell's banner comes before the last mark of the beginning, a report after the output."""
    heard = Heard()
    listener = unmarked(heard, TOKEN, output_marks=1, error_marks=2)
    assert listener is not None
    output = before + f"{TOKEN}\n".encode() + printed + f"{TOKEN} exit 0\n".encode()
    errors = before + f"{TOKEN} pid 12\n".encode() + output
    for piece in pieces(output, cuts):
        listener.output(piece)
    for piece in pieces(errors, cuts):
        listener.errors(piece)
    assert (heard.stdout, heard.stderr) == (printed, printed)


def test_output_without_a_first_mark_is_passed_on_from_its_beginning() -> None:
    """A container's output is not marked, its errors are."""
    heard = Heard()
    listener = unmarked(heard, TOKEN, output_marks=0, error_marks=1)
    assert listener is not None
    listener.output(b"out")
    listener.errors(b"out")
    assert (heard.stdout, heard.stderr) == (b"out", b"")


def test_without_a_listener_there_is_none() -> None:
    """A connection then collects the output alone."""
    assert unmarked(None, TOKEN, output_marks=1, error_marks=1) is None
