"""Calls of states on resources that other minions manage: the options as data, and the return."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ensue.core.errors import StateFailedError
from ensue.core.masking import MASK, Masker
from ensue.core.model.resource_call import ResourceReturn
from ensue.core.model.returns import SkippedReturn
from ensue.engine.calls_elsewhere import as_lists, check_call_elsewhere, returned_elsewhere


@pytest.mark.parametrize(
    ("option", "expected"),
    [((), []), (("a", ("b", 1)), ["a", ["b", 1]]), (("a", {"fun": "f"}), ["a", {"fun": "f"}]), (None, None)],
)
def test_options_are_lists_in_a_call(option: Any, expected: Any) -> None:
    """Tuples are, at any depth, as in the JSON that the other minion reads."""
    assert repr(as_lists(option)) == repr(expected)


@pytest.mark.parametrize("skipped", [True, False])
def test_a_return_of_another_minion_is_one_of_this_run(*, skipped: bool) -> None:
    """A state whose condition was not met is skipped here too, and its secrets are masked from now on."""
    masker = Masker()
    answer = ResourceReturn(
        result=True, comment="done", new_state={"a": 1}, skipped=skipped, secrets=("s3cret",)
    )
    returned = returned_elsewhere("x", answer, masker)
    assert isinstance(returned, SkippedReturn) is skipped
    assert (returned.name, returned.comment, returned.new_state) == ("x", "done", {"a": 1})
    assert masker.text("is s3cret") == f"is {MASK}"


@pytest.mark.parametrize(
    ("delayed_render", "has_slots", "message"),
    [
        ((("block", "late"),), False, "`delayed_render` cannot be rendered for it here"),
        ((), True, "a slot cannot call a function on it here"),
    ],
)
def test_what_would_be_done_here_is_refused(delayed_render: Any, has_slots: bool, message: str) -> None:
    """A slot calls a function where the resource is, and so does the template of a block."""
    options = SimpleNamespace(delayed_render=delayed_render)
    chunk = SimpleNamespace(options=options, has_slots=has_slots)
    node: Any = SimpleNamespace(target="ssh_host:web", chunk=chunk)
    with pytest.raises(StateFailedError, match=message):
        check_call_elsewhere(node)
    options.delayed_render, chunk.has_slots = (), False
    check_call_elsewhere(node)
