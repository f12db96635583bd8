"""Ids of minions: only minions whose id is one word in every context are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.salt.fleet.minion_keys import public_pem, signer

from ensue.core.masking import Masker
from ensue.core.model.fleet import FleetReport
from ensue.output.colours import PLAIN
from ensue.output.fleet import fleet_text
from ensue.salt.fleet.admission import Admission, Admitted, Twin
from ensue.salt.fleet.batches import with_keys
from ensue.salt.fleet.frames import Alive, MinionEnded, packed
from ensue.salt.fleet.sealing import RunKey

if TYPE_CHECKING:
    from collections.abc import Sequence

HOSTILE = (
    *(
        "../x",
        ".",
        "..",
        "-",
        "a/b",
        "a\\b",
        "a\nb",
        "a\rb",
        "a\x00b",
        "a\x1b[31m",
        "a\u202eb",
        "x" * 300,
        "",
    ),
    *(" ", "a b", "x or *", "a,b", "a)", "(a", "not", "and", "web*", "[a]", "a_|-b", "${x}"),
)
WORDS = frozenset({"not", "and"})
"""Those that are words, and mean nothing else behind `L@`."""


class _Master:
    """Has a good key for every id."""

    def accepted_key(self, _: str) -> bytes:
        return public_pem("web1")


def _asked(minions: Sequence[str]) -> tuple[set[str], dict[str, str]]:
    master: Any = _Master()
    known, unknown = with_keys(master, minions)
    return set(known), {report.id: report.problem for report in unknown}


@pytest.mark.parametrize("minion", [character for character in HOSTILE if character not in WORDS])
def test_an_id_that_is_no_word_is_not_asked(minion: str) -> None:
    """Its report says why, and the others are asked; its control characters reach no terminal."""
    known, problems = _asked([minion, "web-01.example.org"])
    assert known == {"web-01.example.org"}
    assert problems[minion].startswith("its id cannot be used in a target")
    master: Any = _Master()
    _, reports = with_keys(master, [minion])
    report = FleetReport(run_id="r", test=False, status="failed", exit_code=2, minions=tuple(reports))
    text = fleet_text(report, Masker(()), PLAIN)
    assert len(text.splitlines()) == 3
    assert all(character.isprintable() for character in text.replace("\n", ""))


@given(st.text() | st.sampled_from(HOSTILE))
def test_every_id_that_is_asked_is_one_word_of_a_target(minion: str) -> None:
    """An id does not change for which minions a job is published."""
    known, problems = _asked([minion])
    assert len(known) + len(problems) == 1
    if known:
        assert f"( * ) and L@{minion},web1".split() == ["(", "*", ")", "and", f"L@{minion},web1"]
        assert f"L@{minion},web1".removeprefix("L@").split(",") == [minion, "web1"]
        assert "/" not in minion
        assert minion not in {"", ".", ".."}


def test_two_machines_with_one_key_are_told_apart_by_their_frames() -> None:
    """The same number with other content is of another machine; the same frame again is not."""
    key = RunKey()
    admission = Admission("run")
    admission.expect("1", {"web1": public_pem("web1")})
    original, twin = (signer("web1", public=key.public) for _ in range(2))
    (first,), (second,) = original.frames(packed(Alive())), twin.frames(packed(Alive()))

    def admitted(frame: dict[str, Any]) -> object:
        return admission.admit("ensue/run/web1", {"id": "web1", "data": frame})

    assert isinstance(admitted(first), Admitted)
    assert admitted(first) is None
    assert admitted(second) == Twin("web1")
    (end,) = original.frames(packed(MinionEnded("")))
    assert isinstance(admitted(end), Admitted)
    (other_end,) = twin.frames(packed(MinionEnded("")))
    assert admitted(other_end) == Twin("web1")


def test_a_minion_that_is_asked_again_is_no_second_machine() -> None:
    """A minion keeps no frames of `fleet status`: asked again, it makes others with the same numbers."""
    key = RunKey()
    admission = Admission("run")
    admission.expect("1", {"web1": public_pem("web1"), "web2": public_pem("web2")})
    admission.expect_anew("web1")
    for minion, second_means in (("web1", None), ("web2", Twin("web2"))):
        results = []
        for machine in (signer(minion, public=key.public) for _ in range(2)):
            (frame,) = machine.frames(packed(Alive()))
            results.append(admission.admit(f"ensue/run/{minion}", {"id": minion, "data": frame}))
        assert isinstance(results[0], Admitted)
        assert results[1] == second_means


def test_an_id_that_a_target_matches_twice_is_asked_once() -> None:
    """There is one key and one report of each id."""
    assert _asked(["web1", "web1"]) == ({"web1"}, {})
