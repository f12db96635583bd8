"""Configurations as bytes."""

from __future__ import annotations

import pathlib
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.errors import ResourceError, TamperedError
from ensue.core.model.srn import Srn
from ensue.store.registry import configuration

SRN = Srn("ssh_host", "web-01")
DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.text(st.characters(codec="utf-8"))
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), DATA, max_size=5))
def test_data_comes_back(data: dict[str, Any]) -> None:
    """Any data comes back equal, bytes apart from text."""
    assert configuration.decode(configuration.encode(data, srn=SRN), srn=SRN) == data


def test_equal_data_has_one_form() -> None:
    """The order of keys and the kind of mapping or text do not matter; the type of a value does."""

    class Text(str):
        __slots__ = ()

    encoded = configuration.encode({"a": 1, "b": {"c": [1], "d": "x"}}, srn=SRN)
    same = configuration.encode(MappingProxyType({"b": {"d": Text("x"), "c": (1,)}, "a": 1}), srn=SRN)
    assert encoded == same
    assert configuration.encode({"a": True}, srn=SRN) != configuration.encode({"a": 1}, srn=SRN)
    assert configuration.encode({"a": b"x"}, srn=SRN) != configuration.encode({"a": "x"}, srn=SRN)


@pytest.mark.parametrize(
    "value", [object(), pathlib.Path("/hunter2"), 2**70, "\udcff", {1: "hunter2", "a": {2, 3}.__iter__()}]
)
def test_what_is_no_data_is_refused_unseen(value: Any) -> None:
    """The message names the resource and the remedy, never the value."""
    with pytest.raises(ResourceError, match="ssh_host:web-01") as caught:
        configuration.encode({"password": value}, srn=SRN)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("encoded", [b"", b"\xff\xff", b"\x01", b"\x81"])
def test_other_bytes_are_tampering(encoded: bytes) -> None:
    """Bytes that are no configuration are reported as tampering."""
    with pytest.raises(TamperedError, match="ssh_host:web-01"):
        configuration.decode(encoded, srn=SRN)


def test_watched_grains_may_be_nested() -> None:
    """A watched key is a grain, or a colon path where no grain has that name; what is missing is left out."""
    grains = {"status": "succeeded", "network": {"address": "10.0.0.1"}, "a:b": 1}
    watch = ("status", "network:address", "a:b", "network:port", "gone", "status:x")
    assert configuration.watched_part(grains, watch) == {
        "status": "succeeded",
        "network:address": "10.0.0.1",
        "a:b": 1,
    }
