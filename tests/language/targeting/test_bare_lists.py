"""A list of minions without its sign is refused with the form that is meant."""

from __future__ import annotations

import pytest

from ensue.language.targeting.bare_lists import refuse_bare_lists
from ensue.language.targeting.errors import TargetSyntaxError


@pytest.mark.parametrize(
    ("expression", "column", "meant"),
    [("web1,web2", 1, "L@web1,web2"), ("G@os:Debian and (web1,db*)", 18, "L@web1,db*")],
)
def test_a_bare_list_is_refused(expression: str, column: int, meant: str) -> None:
    """The message has the place, and the list with its sign."""
    with pytest.raises(TargetSyntaxError, match="a list of minions needs its sign") as caught:
        refuse_bare_lists(expression)
    assert caught.value.column == column
    assert caught.value.problem.endswith(f"write {meant}")


@pytest.mark.parametrize("expression", ["*", "web[1,2]*", "L@web1,web2", "not ( E@web(1,2) or I@a:b,c )", ""])
def test_other_targets_pass(expression: str) -> None:
    """Commas in brackets, and in words with a sign, are theirs."""
    refuse_bare_lists(expression)
