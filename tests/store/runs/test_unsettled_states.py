"""Which declarations states that failed or were not called might have made."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ensue.engine.outcome import EngineOutcome, NotRunChunk
from ensue.store.runs.unsettled_states import UnsettledStates

PATHS = st.lists(st.sampled_from(["a", "b", "/", "ab"]), min_size=1, max_size=5).map("".join)


def not_run(*ids: str) -> UnsettledStates:
    """Return the unsettled states of a run that has not started states of its top scope with these IDs."""
    chunks = [NotRunChunk(scope="", tag=id_, id=id_, function="test.nop", reason="failhard") for id_ in ids]
    return UnsettledStates(EngineOutcome(returns={}, not_run=tuple(chunks), status="failed"), lambda *_: True)


@given(st.lists(PATHS, max_size=4), PATHS)
def test_what_is_below_such_a_state_may_still_be_declared(ids: list[str], scope: str) -> None:
    """A scope counts if the path of such a state and a slash are its beginning."""
    expected = any(scope.startswith(f"{id_}/") for id_ in ids)
    assert not_run(*ids).may_still_declare(scope, "") is expected


def test_many_states_and_many_declarations() -> None:
    """The work does not grow with the product of both: this takes minutes if each is compared with each."""
    count = 20_000
    states = not_run(*map(str, range(count)))
    assert not any(states.may_still_declare(f"x{place}/y", "") for place in range(count))
