"""Which sign the short view gives a state, and what it says of the changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.model.returns import Return
from ensue.output.change_lines import change_items, mark_of, with_old

if TYPE_CHECKING:
    from ensue.core.model.data import DataMap


@pytest.mark.parametrize("result", [None, True], ids=["plan", "apply"])
@pytest.mark.parametrize(
    ("module", "function", "changes", "mark"),
    [
        ("terraform", "applied", {"a.b": "create", "a.c": "create"}, "+"),
        ("terraform", "applied", {"a.b": "create", "output.x": "create"}, "+"),
        ("terraform", "applied", {"output.x": "create"}, "~"),
        ("terraform", "applied", {"a.b": "create", "a.c": "update"}, "~"),
        ("terraform", "applied", {"a.b": "create", "a.c": "replace"}, "-/+"),
        ("terraform", "applied", {"a.b": "delete"}, "-"),
        ("graph", "deployed", {"created": ["a"]}, "+"),
        ("graph", "deployed", {"created": ["a"], "updated": ["b"]}, "~"),
    ],
)
def test_what_owns_many_things(
    module: str, function: str, changes: DataMap, mark: str, result: bool | None
) -> None:
    """A configuration or a deployment that only creates has the sign of something new, as in an apply."""
    returned = Return(
        tag="t", name="n", id="i", sls="s", module=module, function=function, result=result,
        scope="", target="", changes=changes, comment="",
    )  # fmt: skip
    assert mark_of(returned) == mark


@pytest.mark.parametrize(
    ("changes", "before", "items"),
    [
        ({"mode": "0600"}, {"mode": "0640"}, "mode: 0640 -> 0600"),
        ({"n": {"mode": "0711"}}, {"mode": "0755"}, "mode: 0755 -> 0711"),
        ({"mode": "0600"}, {"mode": None}, "mode: 0600"),
        ({"mode": "0600"}, {"exists": False}, "mode: 0600"),
        ({"mode": "0600"}, None, "mode: 0600"),
        ({"groups": ["a"]}, {"groups": ["b"]}, "groups: a"),
        ({"n": "n"}, {"n": "m"}, "n: m -> n"),
        ({"shell": {"old": "a", "new": "b"}}, {"shell": "a"}, "shell: a -> b"),
    ],
)
def test_the_old_value_is_beside_the_new_one(changes: DataMap, before: DataMap | None, items: str) -> None:
    """Where the state before has a plain value of that name."""
    assert change_items(with_old(changes, before, "n"), "n") == items
