"""Texts that many minions report are kept once, and nothing that is reported changes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.events import NodeFinished, RunStarted
from ensue.core.model.returns import Return
from ensue.salt.fleet import shared_texts
from ensue.salt.fleet.shared_texts import SharedTexts

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


def _event(minion: str, data: Any) -> NodeFinished:
    return NodeFinished(
        Return(
            tag="file_|-a_|-/a_|-managed",
            id="a",
            name="/a",
            sls="web",
            module="file",
            function="managed",
            scope="",
            target=f"minion:{minion}",
            result=True,
            changes={"diff": data},
            comment="the file is new".capitalize(),  # not the same object every time
            new_state=data,
            old_state=None,
            run_num=0,
            start_time="00:00:00",
            duration_ms=1.0,
        )
    )


@given(DATA)
def test_an_event_stays_as_it_is(data: Any) -> None:
    """Whatever a state returns, the event is equal to what it was."""
    event, texts = _event("m", data), SharedTexts()
    before = deepcopy(event)
    texts.share(event)
    texts.share(started := RunStarted(run_id="r", test=False, total=0, started_at="", mods=(), minion_id="m"))
    assert event == before
    assert started.run_id == "r"


def test_equal_texts_are_one_object(monkeypatch: Any) -> None:
    """Two minions with the same comment and path share both; too many texts are forgotten."""
    texts = SharedTexts()
    one, other = (_event(name, {"path": "/ETC/A".lower()}) for name in ("m1", "m2"))
    for event in (one, other):
        texts.share(event)
    assert one.returned.comment is other.returned.comment
    assert one.returned.new_state["path"] is other.returned.new_state["path"]
    assert one.returned.target != other.returned.target
    monkeypatch.setattr(shared_texts, "MOST_TEXTS", 2)
    texts.share(_event("m3", "x"))
    texts.share(third := _event("m4", "x"))
    assert third.returned.comment is not one.returned.comment
