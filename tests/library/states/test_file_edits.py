"""Drivers load no functions: lists say which of `file` decide what is at a path, and which edit a part."""

from __future__ import annotations

from ensue.core.contracts.functions import EDITS_PART
from ensue.core.model.file_edits import EDITING, WHOLE
from ensue.library.states.file import FUNCTIONS


def test_the_functions_that_edit_a_part() -> None:
    """Those that are marked are the ones that drivers know."""
    assert {name for name, function in FUNCTIONS.items() if hasattr(function, EDITS_PART)} == EDITING


def test_every_function_is_one_of_them_or_leaves_the_path_to_others() -> None:
    """A new function needs a decision: whether two resources may have it with one path."""
    queries = {"exists", "missing"}
    others = {
        "accumulated",
        "cached",
        "not_cached",
        "pruned",
        "rename",
        "retention_schedule",
        "tidied",
        "touch",
    }
    assert FUNCTIONS.keys() == EDITING | WHOLE | queries | others
    assert not EDITING & WHOLE
