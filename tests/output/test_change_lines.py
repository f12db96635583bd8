"""Which sign the short view gives a state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.model.returns import Return
from ensue.output.change_lines import mark_of

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
