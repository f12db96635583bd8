"""Drivers load no functions, so those of `file` that edit a part of a content are in a list."""

from __future__ import annotations

from ensue.core.contracts.functions import EDITS_PART
from ensue.core.model.file_edits import EDITING
from ensue.library.states.file import FUNCTIONS


def test_the_functions_that_edit_a_part() -> None:
    """Those that are marked are the ones that drivers know."""
    assert {name for name, function in FUNCTIONS.items() if hasattr(function, EDITS_PART)} == EDITING
