"""What terraform prints is read, and nothing it may print fails."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.reach.terraform.messages import end_of, read_messages

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


def test_errors_come_before_warnings() -> None:
    """In the output of a command without `-json`, whose end would otherwise be cut off or hidden."""
    printed = b"Warning: Old\n\nwhy it is old\n\nError: Wrong\n\nwhy it is wrong\n\nWarning: Odd\n"
    assert (
        end_of(printed) == "Error: Wrong\n\nwhy it is wrong\n\nWarning: Old\n\nwhy it is old\n\nWarning: Odd"
    )
    assert end_of(b"Error: No" + b"o" * 3000).startswith("Error: No")
    assert end_of(b"x" * 3000 + b"end").endswith("end")


def test_what_is_destroyed() -> None:
    """What was never finished is not, and neither is what is only forgotten."""
    actions = [("a", "delete", "delete_because_no_resource_config"), ("b", "replace", "cannot_update")]
    others = [("c", "replace", "tainted"), ("d", "remove", None), ("e", "update", None)]
    printed = b"\n".join(
        json.dumps(
            {
                "type": "planned_change",
                "change": {"resource": {"addr": address}, "action": action, "reason": reason},
            }
        ).encode()
        for address, action, reason in (*actions, *others)
    )
    assert read_messages(printed).destroyed == ("a", "b")


def test_the_order_of_a_plan() -> None:
    """By address, outputs last, in whatever order terraform has looked at the resources."""
    messages: list[dict[str, object]] = [
        {"type": "outputs", "outputs": {"z": {"action": "create"}, "a": {"action": "create"}}},
        *(
            {"type": "planned_change", "change": {"resource": {"addr": address}, "action": "create"}}
            for address in ("p.b", "z.a", "p.a")
        ),
    ]
    printed = "\n".join(map(json.dumps, messages)).encode()
    assert [*read_messages(printed).planned] == ["p.a", "p.b", "z.a", "output.a", "output.z"]


@pytest.mark.parametrize(
    ("version", "takes"),
    [
        ({"terraform": "1.11.4"}, True), ({"terraform": "1.9.8"}, False), ({"terraform": "2.0.0-b1"}, True),
        ({"tofu": "1.10.0"}, False), ({"tofu": "1.11.0"}, True), ({"terraform": "odd"}, False), ({}, False),
    ],
)  # fmt: skip
def test_the_versions_that_take_variables_again(version: dict[str, str], *, takes: bool) -> None:
    """Those that have ephemeral variables, which a saved plan does not hold."""
    assert read_messages(json.dumps({"type": "version", **version}).encode()).takes_variables is takes


def test_a_warning_is_one_line() -> None:
    """Terraform writes paragraphs and lists; a warning of a state is a line among others."""
    diagnostic = {
        "severity": "warning",
        "summary": "Some objects",
        "detail": "They go:\n - a.b\n\nAfter  that.",
    }
    printed = json.dumps({"type": "diagnostic", "diagnostic": diagnostic}).encode()
    assert read_messages(printed).warnings == ("Some objects: They go: - a.b After that.",)
