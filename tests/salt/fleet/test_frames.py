"""What minions report arrives whole, in order, and within bounds."""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.salt.fleet.minion_keys import signer

from ensue.salt.fleet import frames
from ensue.salt.fleet.frames import Answered, Happened, MinionMessages, packed
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.signing import FRAME_BYTES, LAST, MORE, frame_name

if TYPE_CHECKING:
    import random


def test_a_message_is_read_as_it_was_written() -> None:
    """The frames of a message, which the signer of a minion makes, open with the key of its run."""
    import base64

    key, sent = RunKey(), Happened(("{}", "ä"))
    (frame,) = signer("web1", public=key.public).frames(packed(sent))
    content = key.opened(base64.b64decode(frame["sealed"]), frame_name("run", "1", "web1", 0))
    assert MinionMessages().add(0, content) == [sent]


def test_a_frame_hides_its_content() -> None:
    """A planted secret is not in the text of a frame, and two frames of the same content differ."""
    made = signer("web1", public=RunKey().public)
    first, second = (made.frames(b"planted")[0]["sealed"] for _ in range(2))
    assert "planted" not in first
    assert first != second


def test_another_key_opens_nothing() -> None:
    """The key of another run, and another name, open no frame."""
    import base64

    key = RunKey()
    (frame,) = signer("web1", public=key.public).frames(b"x")
    sealed, name = base64.b64decode(frame["sealed"]), frame_name("run", "1", "web1", 0)
    for opening, about in ((RunKey(), name), (key, frame_name("run", "1", "web1", 1))):
        with pytest.raises(ValueError, match="altered"):
            opening.opened(sealed, about)


def test_a_long_message_is_cut_into_numbered_frames() -> None:
    """Each frame fits into an event of Salt, and their numbers go on from message to message."""
    made = signer("web1", public=RunKey().public)
    numbers = [frame["number"] for _ in range(2) for frame in made.frames(b"x" * (2 * FRAME_BYTES + 1))]
    assert numbers == [*range(6)]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_frames_arrive_in_any_order(sizes: list[int], shuffler: random.Random) -> None:
    """Frames may arrive in any order and repeatedly: each message is read whole, in order, once."""
    sent = [Answered(ok=True, value=[number] * 50) for number in range(len(sizes))]
    contents: list[bytes] = []
    for message, size in zip(sent, sizes, strict=True):
        body = packed(message)
        cuts = [len(body) * at // size for at in range(size + 1)]
        pieces = [body[start:end] for start, end in pairwise(cuts)]
        contents += [*(MORE + piece for piece in pieces[:-1]), LAST + pieces[-1]]
    arriving = [*enumerate(contents), *list(enumerate(contents))[::2]]
    shuffler.shuffle(arriving)
    messages = MinionMessages()
    assert [message for number, content in arriving for message in messages.add(number, content)] == sent
    assert messages.next == len(contents)
    assert not messages.has_gap


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"?x",
        LAST,
        LAST + b"no zlib",
        LAST + zlib.compress(b"no json"),
        LAST + zlib.compress(b'{"type": "Nothing"}'),
        LAST + zlib.compress(b'{"type": "Happened", "lines": [1]}'),
        LAST + zlib.compress(b'{"type": "Answered", "ok": true, "value": ' + b"[" * 100_000),
        LAST + zlib.compress(b'"' + b"x" * (frames.MOST_MESSAGE_BYTES + 1) + b'"'),
    ],
)
def test_what_is_no_message_is_refused(content: bytes) -> None:
    """A malformed message, and one that inflates to more than its bound, is refused."""
    with pytest.raises(ValueError, match=r".+"):
        MinionMessages().add(0, content)


def test_messages_have_a_bound_together() -> None:
    """Many large messages of a minion reach the bound of all of them together."""
    large = LAST + zlib.compress(b'{"type":"Happened","lines":["' + b"x" * (15 << 20) + b'"]}', 9)
    messages = MinionMessages()
    for number in range(4):
        messages.add(number, large)
    with pytest.raises(ValueError, match="more than 64 MiB"):
        messages.add(4, large)
