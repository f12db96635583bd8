"""Secrets are found, followed and hidden by paths, and a wrong path does nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.masking import MASK, Masker
from ensue.core.model.sensitive_paths import changed_paths, hide_paths, hide_places, values_at
from ensue.core.model.unknown import Unknown

DATA: dict[str, Any] = {"user": "root", "nics": [{"key": "k0"}, {"key": b"k1"}], 5: {"pin": 1234, "on": True}}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("user", ["root"]),
        ("nics", ["k0", "k1"]),
        ("nics:1:key", ["k1"]),
        ("5:pin", ["1234"]),
        ("5", ["1234"]),
        ("nics:7:key", []),
        ("user:deeper", []),
        ("nowhere", []),
    ],
)
def test_values(path: str, values: list[str]) -> None:
    """Every scalar below a path is found as text; truth values are no secrets."""
    assert list(values_at(DATA, [path])) == values


def test_what_is_unknown_is_no_secret() -> None:
    """What a plan does not know yet has a text for readers, which a masker must not hide everywhere."""
    assert list(values_at({"token": [Unknown("${state:a:token}"), "t0"]}, ["token"])) == ["t0"]


def test_what_is_hidden() -> None:
    """A value is hidden at its place, in a copy, and a path that leads nowhere hides nothing."""
    hidden = hide_paths(DATA, ["nics:0", "5:pin", "no:where", "user:deeper"])
    mask = "(sensitive)"
    assert hidden == {"user": "root", "nics": [mask, {"key": b"k1"}], 5: {"pin": mask, "on": True}}
    assert DATA["nics"][0] == {"key": "k0"}


def test_nothing_is_hidden_in_nothing() -> None:
    """None stays None: that there is no value is no secret."""
    assert hide_paths({"password": None}, ["password"]) == {"password": None}


def test_what_a_masker_changed_is_found_again() -> None:
    """The paths of masked values lead back to what was masked, also below keys that hold colons."""
    data = {"a": ["x", "see s3cret"], "b": {"c:d": "s3cret"}, "e": 1}
    masked = Masker(["s3cret"]).data(data)
    paths = list(changed_paths(data, masked))
    assert paths == ["a[1]", 'b:"c:d"']
    assert hide_paths(data, paths) == {"a": ["x", "(sensitive)"], "b": {"c:d": "(sensitive)"}, "e": 1}


@pytest.mark.parametrize("place", [(1, "k"), ("1", "k"), (-1, "k")])
def test_a_place_in_a_list_may_be_a_text(place: tuple[object, ...]) -> None:
    """An index is the same as a number and as a text; a place that the data lacks changes nothing."""
    data = [{"k": "a"}, {"k": "b"}]
    assert hide_places(data, [place]) == [{"k": "a"}, {"k": MASK}]
    assert hide_places(data, [(2, "k"), ("x",), (0, "other")]) == data
    assert hide_places("text", [place]) == "text"
