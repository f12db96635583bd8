"""The caller of a scope is found by its path, whatever its ID and the IDs around it hold."""

from __future__ import annotations

from dataclasses import dataclass

from ensue.store.runs.callers import caller_of


@dataclass
class Known:
    id: str


def test_the_state_whose_id_the_path_ends_with() -> None:
    """A nearer state of the same tag is not the caller when its ID is not in the path."""
    states = {"": Known("x/y"), "x/y": Known("x/y"), "a/b": Known("c"), "a/b/c": Known("d")}
    assert caller_of("x/y/z", "z", states.get) is states[""]
    assert caller_of("x/y/x/y/z#2", "z", states.get) is states["x/y"]
    assert caller_of("a/b/c/in/folders", "in/folders", states.get) is states["a/b"]
    assert caller_of("a/b/e/f", "f", states.get) is None
