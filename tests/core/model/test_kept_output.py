"""Long texts of a return are cut at a character boundary, with a note of what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.model.enforced import EnforcedState
from ensue.core.model.kept_output import shortened, without_cut
from ensue.core.model.property_path import Indexed
from ensue.core.model.sizes import size_text

NOTE = "[… 2 bytes left out (keep_output_bytes)]"


@pytest.mark.parametrize(
    ("data", "kept", "cut"),
    [
        ("abcd", "abcd", {}),
        ("abcdef", f"abcd\n{NOTE}", {(): 2}),
        ("abcéx", "abc\n[… 3 bytes left out (keep_output_bytes)]", {(): 3}),
        ({"out": "abcdef", "code": 0}, {"out": f"abcd\n{NOTE}", "code": 0}, {("out",): 2}),
        ({"a": ["x", "abcdef"]}, {"a": ["x", f"abcd\n{NOTE}"]}, {("a",): 2}),
        ({"long": [1, 2, 3, 4, 5]}, {"long": [1, 2, 3, 4, 5]}, {}),
        (
            {"out": "[1,2,3,4]", "out_json": [1, 2, 3, 4]},
            {
                "out": "[1,2\n[… 5 bytes left out (keep_output_bytes)]",
                "out_json": "[… 5 bytes left out (keep_output_bytes)]",
            },
            {("out",): 5, ("out_json",): 5},
        ),
    ],
)
def test_shortened(data: Any, kept: Any, cut: dict[tuple[str, ...], int]) -> None:
    """No character is halved, and what is beside a text that is cut is left out when it is long, too."""
    assert shortened(data, 4) == (kept, cut)


def test_without_cut() -> None:
    """What is not whole is taken out, and the rest stays."""
    data = {"a": {"out": "x", 1: 2}, "code": 0}
    assert without_cut(data, [("a", "out")]) == {"a": {1: 2}, "code": 0}
    assert without_cut("x", [()]) is None


@pytest.mark.parametrize(
    ("steps", "cut"),
    [
        ((), "a:out"),
        (("a",), "a:out"),
        (("a", "out"), "a:out"),
        (("a", "out", "deeper"), "a:out"),
        ((Indexed("a", (0,)),), "a:out"),
        (("a", "code"), ""),
        (("b",), ""),
    ],
)
def test_what_a_reference_would_read_of_it(steps: tuple[Any, ...], cut: str) -> None:
    """A value that was cut, or that is around or below such a value."""
    state = EnforcedState(
        tag="t", module="m", function="f", id="i", name="n", sls="s", new_state={}, cut=(("a", "out"),)
    )
    assert state.cut_at(steps) == cut


@pytest.mark.parametrize(
    ("size", "text"), [(800, "800 bytes"), (1 << 20, "1 MiB"), (1_600_000, "1.5 MiB"), (5 << 40, "5120 GiB")]
)
def test_a_size_as_people_read_it(size: int, text: str) -> None:
    """In the largest unit that it is at least one of."""
    assert size_text(size) == text
