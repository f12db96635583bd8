"""What terraform prints is read, and nothing it may print fails."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ensue.terraform.messages import read_messages

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_TYPES = st.sampled_from(["planned_change", "apply_complete", "outputs", "diagnostic", "version"])


@given(_TYPES, st.dictionaries(st.sampled_from(["change", "hook", "outputs", "diagnostic"]), _JSON))
def test_no_message_is_too_odd(kind: str, more: dict[str, object]) -> None:
    """Whatever is in a message, it is left out where it makes no sense."""
    read_messages(json.dumps({"type": kind, **more}).encode())


@given(st.binary(max_size=50))
def test_no_text_is_too_odd(printed: bytes) -> None:
    """Lines that are no JSON are left out."""
    read_messages(printed)


def test_an_error_has_its_place() -> None:
    """File and line of the configuration come first."""
    diagnostic = {
        "severity": "error",
        "summary": "Unsupported argument",
        "detail": "Not here.",
        "range": {"filename": "main.tf", "start": {"line": 3}},
    }
    printed = json.dumps({"type": "diagnostic", "diagnostic": diagnostic}).encode()

    assert read_messages(printed).errors == ("main.tf:3: Unsupported argument: Not here.",)
