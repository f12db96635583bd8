"""Resources are no target of a run over minions."""

from __future__ import annotations

import pytest

from ensue.language.targeting.errors import TargetSyntaxError
from ensue.language.targeting.resource_words import refuse_resources


@pytest.mark.parametrize(
    ("target", "column"), [("T@dummy:*", 1), ("web* and T@dummy", 10), ("( T@ssh_host:x ) or db1", 3)]
)
def test_resources_are_refused(target: str, column: int) -> None:
    """The error is at the word, and names what is meant."""
    with pytest.raises(TargetSyntaxError, match="names resources") as caught:
        refuse_resources(target)
    assert caught.value.column == column


@pytest.mark.parametrize("target", ["*", "G@T@x", "web1", "L@a,b", "XT@y and I@role:T@z"])
def test_other_words_are_not(target: str) -> None:
    """A sign within a word is none."""
    refuse_resources(target)
