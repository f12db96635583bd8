"""State module `environ`: variables of the process itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    import pytest


def test_variables_reach_later_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set is seen by commands on the managing minion; False empties or removes."""
    monkeypatch.setenv("ENSUE_TEST_A", "old")
    monkeypatch.setenv("ENSUE_TEST_B", "old")
    here = MinionConnection(HERE)
    planned, done = thrice("environ.setenv", here, "x", value={"ENSUE_TEST_A": "new", "ENSUE_TEST_B": False})
    assert planned.changes == done.changes == {"ENSUE_TEST_A": "new", "ENSUE_TEST_B": ""}
    assert (planned.result, planned.comment) == (None, "Environ values will be changed")
    assert execute("cmd.run", context(here), 'echo "$ENSUE_TEST_A"', python_shell=True) == "new"
    assert os.environ["ENSUE_TEST_B"] == ""
    _, done = thrice("environ.setenv", here, "ENSUE_TEST_B", value=False, false_unsets=True)
    assert done.changes == {"ENSUE_TEST_B": None}
    assert "ENSUE_TEST_B" not in os.environ
    assert execute("environ.item", context(here), "ENSUE_TEST_A") == {"ENSUE_TEST_A": "new"}


def test_what_cannot_be_is_said() -> None:
    """A number is no text, and another target does not inherit ensue's environment."""
    failed = state("environ.setenv", context(), "ENSUE_TEST_C", value=1)
    assert (failed.result, "Environ value must be string, dict or False" in failed.comment) == (False, True)
    there = context(FakeConnection(Srn("ssh_host", "web")))
    failed = state("environ.setenv", there, "ENSUE_TEST_C", value="x")
    assert (failed.result, "write /etc/environment there" in failed.comment) == (False, True)
    assert state("environ.setenv", context(), "A=B", value="x").result is False
    assert "ENSUE_TEST_C" not in os.environ
