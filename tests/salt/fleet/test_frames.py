"""What minions report arrives whole, in order, and only for the run that it was sealed for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.salt.fleet.frames import Answered, Collected, Happened, Piece, frame_name, read, written
from ensue.salt.fleet.sealing import RunKey


def test_a_frame_can_be_read_by_its_run() -> None:
    """What is sealed for a run can be read with its key."""
    key, name = RunKey(), frame_name("run", "web1", 0)
    sent = Happened(("{}", "ä"))
    assert read(written(sent, key.public, name), key, name) == sent


def test_a_frame_hides_its_content() -> None:
    """A planted secret is not in the text of a frame, and two frames of the same content differ."""
    key = RunKey()
    one, other = (written(Answered(ok=True, value="planted"), key.public, "n") for _ in range(2))
    assert "planted" not in one
    assert one != other


@pytest.mark.parametrize("name", [("run", "web2", 0), ("run", "web1", 1), ("other", "web1", 0)])
def test_a_frame_counts_only_in_its_place(name: tuple[str, str, int]) -> None:
    """A frame that is repeated elsewhere, or as another minion's, is refused."""
    key = RunKey()
    frame = written(Answered(ok=True, value=1), key.public, frame_name("run", "web1", 0))
    with pytest.raises(ValueError, match="altered"):
        read(frame, key, frame_name(*name))


def test_another_key_reads_nothing() -> None:
    """The key of another run does not open a frame."""
    frame = written(Answered(ok=True, value=1), RunKey().public, "n")
    with pytest.raises(ValueError, match="altered"):
        read(frame, RunKey(), "n")


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_parts_arrive_in_any_order(sizes: list[int], random: object) -> None:
    """Whatever order events arrive in, and however often, frames come out whole, in order, once each."""
    parts = [
        (number, part, size, f"{number}.{part};") for number, size in enumerate(sizes) for part in range(size)
    ]
    parts += parts[::2]
    random.shuffle(parts)  # type: ignore[attr-defined] # a random.Random
    collected = Collected()
    ready = [frame for part in parts for frame in collected.add(Piece(*part))]
    wanted = [
        (number, "".join(f"{number}.{part};" for part in range(size))) for number, size in enumerate(sizes)
    ]
    assert ready == wanted
    assert collected.complete == len(sizes)
