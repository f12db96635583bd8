"""Reactions to changes that a run owes to later ones, because they failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engine.harness import Lab, Row

from ensue.core.model.state_tag import words_of
from ensue.engine.services import EngineHooks

if TYPE_CHECKING:
    from ensue.core.model.state_identity import StateIdentity


class Owed:
    """Of each state whose ID says so, this run owes the reaction."""

    def owed_since(self, identity: StateIdentity) -> str | None:
        assert identity

    def is_owed(self, identity: StateIdentity) -> bool:
        return "fails" in words_of(identity.tag).id


ROWS = [
    Row("changes", "change"),
    Row("fails", "fail", onchanges=["changes"]),
    Row("succeeds", "nop", onchanges=["changes"]),
    Row("fails-alone", "fail"),
    Row("same", "nop"),
    Row("does-not-run", "fail", onchanges=["same"]),
]


@pytest.mark.parametrize("test", [False, True])
def test_a_reaction_that_failed_is_owed(*, test: bool) -> None:
    """Only states that react owe something; in a plan nothing reacts, so that nothing is owed."""
    returns = Lab(hooks=EngineHooks(owed=Owed())).returns(ROWS, test=test)
    assert [id_ for id_, returned in returns.items() if returned.owed] == ([] if test else ["fails"])


def test_nothing_is_owed_where_it_is_not_kept() -> None:
    """The return of a failed reaction does not say that a later run makes up for it."""
    assert not [id_ for id_, returned in Lab().returns(ROWS).items() if returned.owed]
