"""The differences between deployment sets: their operations lead from one to the other."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ensue.deploy.provisioning.canonical import canonical
from ensue.deploy.provisioning.set_differences import delta, differences
from ensue.workload_output import apply_patch

KEYS = st.sampled_from(["a", "b", "a/b", "~1", "", "0"])
DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "x", "$"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(DATA, DATA)
def test_the_operations_make_the_second_of_the_first(before: Any, after: Any) -> None:
    """Applied to the one, they give the other; there are none where both are the same."""
    changes = list(differences({"it": before}, {"it": after}))
    patched = apply_patch({"it": before}, [change.operation for change in changes])
    assert canonical(patched) == canonical({"it": after})
    assert bool(changes) is (canonical(before) != canonical(after))


def test_parts_that_come_go_and_change() -> None:
    """A part that is the same is not mentioned; 1 and 1.0 differ, as in templates."""
    difference = delta(
        {"web": {"a": [1]}, "api": 1, "job": 0}, {"web": {"a": [1, 2], "b": 1}, "api": 1, "new": {}}
    )
    assert (difference.added, difference.removed, list(difference.updated)) == ({"new": {}}, ["job"], ["web"])
    assert [change.operation for change in difference.updated["web"]] == [
        {"op": "replace", "path": "/a", "value": [1, 2]},
        {"op": "add", "path": "/b", "value": 1},
    ]
    assert not delta({"web": {"a": 1}}, {"web": {"a": 1}})
    assert delta({"web": 1}, {"web": 1.0})
