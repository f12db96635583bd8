"""`sensitive` of a return: paths that lead nowhere fail the state, since the secret is elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.model.returns import StateReturn
from ensue.engine.sensitive_returns import with_checked_paths

SECRET = "hunter2-of-the-return"


def returned(sensitive: Any) -> StateReturn:
    return StateReturn(name="a", result=True, new_state={"pin": SECRET}, sensitive=sensitive)


@pytest.mark.parametrize("sensitive", ["pin", ["pin"], ("pin",)])
def test_one_path_or_a_list_of_them(sensitive: Any) -> None:
    """A text is one path, not its letters."""
    checked = with_checked_paths(returned(sensitive))
    assert checked.result is True
    assert tuple(checked.sensitive) == ("pin",)


@pytest.mark.parametrize(
    ("sensitive", "problem"),
    [
        (5, "`sensitive` lists property paths, but it is of type int"),
        ({"pin": True}, "`sensitive` lists property paths, but it is of type dict"),
        (["pin", "pen"], "`sensitive` names 'pen', which is not in new_state"),
        (["pin["], "`sensitive` has a malformed path 'pin['"),
    ],
)
def test_what_names_no_place_fails_the_state_and_hides_it(sensitive: Any, problem: str) -> None:
    """Which value is secret is not known, so none is shown."""
    checked = with_checked_paths(returned(sensitive))
    assert checked.result is False
    assert checked.comment.startswith(problem)
    assert SECRET not in repr(checked)
