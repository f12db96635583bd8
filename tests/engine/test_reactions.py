"""Reactions to changes that a run owes to later ones, because they failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engine.harness import Lab, Row

from ensue.engine.services import EngineHooks

if TYPE_CHECKING:
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.state_identity import StateIdentity


class Owed:
    """What earlier runs owe, which is nothing, and what this one notes."""

    def __init__(self) -> None:
        self.noted: list[tuple[str, bool]] = []

    def owed_since(self, identity: StateIdentity) -> str:
        assert identity
        return ""

    def note_reaction(self, chunk: Chunk, identity: StateIdentity, path: str, *, is_done: bool) -> None:
        assert (identity.scope, path) == ("", "")
        self.noted.append((chunk.id, is_done))


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
    """One that succeeded is done; in a plan nothing reacts, so that nothing is owed."""
    owed = Owed()
    returns = Lab(hooks=EngineHooks(owed=owed)).returns(ROWS, test=test)
    assert [id_ for id_, returned in returns.items() if returned.owed] == ([] if test else ["fails"])
    assert owed.noted == ([] if test else [("fails", False), ("succeeds", True)])


def test_nothing_is_owed_where_it_is_not_kept() -> None:
    """The return of a failed reaction does not say that a later run makes up for it."""
    assert not [id_ for id_, returned in Lab().returns(ROWS).items() if returned.owed]
