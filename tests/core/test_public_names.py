"""Public names that are loaded when they are first used."""

from __future__ import annotations

import json
import sys

import pytest

from ensue.core.public_names import places, public_name


def test_each_name_has_its_module() -> None:
    """Given the names of each module."""
    assert places({"a": ("x", "y"), "b": ("z",), "c": ()}) == {"x": "a", "y": "a", "z": "b"}


def test_a_name_is_loaded_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module is imported then, and not before."""
    monkeypatch.delitem(sys.modules, "this_module_is_not_there", raising=False)
    names = {"dumps": "json", "other": "this_module_is_not_there"}
    assert public_name("package", names, "dumps") is json.dumps
    with pytest.raises(ImportError, match="this_module_is_not_there"):
        public_name("package", names, "other")


def test_a_name_that_is_not_offered_is_no_attribute() -> None:
    """With the words that Python has for it."""
    with pytest.raises(AttributeError, match=r"^module 'package' has no attribute 'nobody'$"):
        public_name("package", {"dumps": "json"}, "nobody")
