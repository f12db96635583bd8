"""Lines of another machine's journal are checked for the types of their fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ensue.core.masking import Masker
from ensue.core.model import events
from ensue.core.model.returns import Return, ScopeReturn
from ensue.store.runs.journal_form import encode
from ensue.store.runs.line_types import has_types

_SCOPE = ScopeReturn(kind="block", name="b", scope="a/b", status="done")
_RETURN = Return(
    tag="t", id="a", name="a", sls="s", module="m", function="f", scope="", target="minion:a", result=None,
    changes={"any": [1, None]}, comment="", new_state=["x"], sensitive=("p",), delayed=(_SCOPE,),
)  # fmt: skip
EVENTS: list[Any] = [
    events.RunStarted("r", test=False, total=1, started_at="", mods=("a",)),
    events.NodeStarted("t", "a", "m.f", "", "minion:a", 0),
    events.CommandStarted("", "t", 1, "", ""),
    events.NodeFinished(_RETURN),
    events.ScopeClosed("t", _SCOPE),
    events.ResourceRegistered("ssh_host:a", None, changed=True),
    events.ResourceOrphaned("ssh_host:a", "x"),
    events.RunFinished("r", "failed", 2, ""),
]
LINES = [encode(event, Masker()).decode() for event in EVENTS]


@pytest.mark.parametrize("line", LINES)
def test_what_a_journal_has_is_accepted(line: str) -> None:
    """A line of each kind, as journals have it, has the types of its fields."""
    assert has_types(line)


@pytest.mark.parametrize("line", LINES)
def test_another_type_at_any_place_is_refused(line: str) -> None:
    """No field of an event takes a number with a fraction, or a mapping where a text is expected."""
    fields = json.loads(line)
    for name in fields:
        assert not has_types(json.dumps({**fields, name: 0.5})), name


@pytest.mark.parametrize("name", ["tag", "id", "result", "changes", "sensitive", "run_num", "delayed"])
def test_a_return_is_checked_as_well(name: str) -> None:
    """The fields of a return have their types, and its data may be anything."""
    line = json.loads(LINES[3])
    assert not has_types(json.dumps({**line, "returned": {**line["returned"], name: 0.5}}))
    assert has_types(json.dumps({**line, "returned": {**line["returned"], "new_state": 0.5}}))


@pytest.mark.parametrize(
    "line", ["", "{", "[]", '"x"', '{"type": "JobPublished"}', '{"type": 1}', "[" * 5000]
)
def test_what_is_no_event_of_a_run_is_refused(line: str) -> None:
    """Text that is no JSON, another shape, and events that only a coordinator writes, are refused."""
    assert not has_types(line)
