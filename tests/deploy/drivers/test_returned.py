"""What drivers return is data that the store can keep, or is refused by its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.contracts.driver import Provisioned
from ensue.core.errors import DriverError
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers.returned import checked_mapping, checked_result

SECRET = "hunter2-secret"
CIRCLE: dict[str, Any] = {}
CIRCLE["self"] = CIRCLE
DEEP: Any = "x"
for _ in range(400):
    DEEP = [DEEP]

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False), st.text(),
    st.binary(),
)  # fmt: skip
KEYS = st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False), st.binary())
DATA = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3))
)


@given(st.dictionaries(KEYS, DATA, max_size=4))
def test_what_is_accepted_comes_back_from_the_store_as_it_is(data: dict[Any, Any]) -> None:
    """Otherwise the next deployment would see other inputs, and update what nobody has changed."""
    kept = checked_mapping(data, "it")
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(kept)) == kept
    assert checked_mapping(kept, "it") is kept


def test_keys_become_text_as_json_has_them() -> None:
    """A reference names an output by the text of its key."""
    data = {80: {True: 1, None: 2, 2.5: 3, b"b": 4}, "list": [{1: 2}]}
    assert checked_mapping(data, "it") == {
        "80": {"true": 1, "null": 2, "2.5": 3, "b": 4},
        "list": [{"1": 2}],
    }


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Path("/tmp"), "values.a is of the type PosixPath, which is not data"),
        ((1, 2), "values.a is of the type tuple, which is not data"),
        (2**64, "values.a is a number of more than 64 bits: write it as text"),
        (-(2**63) - 1, "values.a is a number of more than 64 bits: write it as text"),
        ("\ud800", "values.a holds half of a character: it cannot be written as UTF-8"),
        ([{"b": {SECRET}}], "values.a.0.b is of the type set, which is not data"),
        ({"\udfff": 1}, "values.a: the key '\\udfff' holds half of a character"),
        (CIRCLE, "values: a list or mapping holds itself"),
        (DEEP, "values: lists and mappings are nested more than 310 levels deep"),
        (Unknown("${x}"), "values.a is of the type Unknown, which is not data"),
    ],
)
def test_what_cannot_be_kept_is_refused(value: Any, message: str) -> None:
    """The message has the place and the kind, never the value."""
    with pytest.raises(DriverError) as caught:
        checked_result(Provisioned(values={"a": value}), "the driver lab: create")
    assert str(caught.value) == f"the driver lab: create: {message}"


def test_a_plan_may_hold_what_is_not_known() -> None:
    """Only there."""
    made = Provisioned(values={"a": Unknown("${x}")})  # type: ignore[dict-item]
    assert checked_result(made, "x", in_plan=True).values == made.values


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"values": [1]}, "x: values is not a mapping"),
        ({"secrets": None}, "x: secrets is not a mapping"),
        ({"cookie": "c"}, "x: cookie is not a mapping"),
        ({"cookie": {"a": object()}}, "x: cookie.a is of the type object, which is not data"),
        ({"manifests": []}, "x: manifests is not a mapping"),
        ({"registers": 5}, "x: registers is not a mapping"),
    ],
)
def test_fields_of_the_wrong_kind(fields: dict[str, Any], message: str) -> None:
    """Each is named."""
    with pytest.raises(DriverError) as caught:
        checked_result(Provisioned(**fields), "x")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "path", ["values", (), ("secrets",), ("values", "b"), ("values", "a", 1), ("values", "a", "b"), 5]
)
def test_a_path_that_leads_to_no_value_is_refused(path: Any) -> None:
    """The secret is somewhere else then."""
    with pytest.raises(DriverError) as caught:
        checked_result(Provisioned(values={"a": [1]}, sensitive=(path,)), "x")
    assert str(caught.value).startswith(f"x: sensitive: {path!r} leads to no value (")


def test_paths_of_secrets_lead_to_values() -> None:
    """A list is accepted, too."""
    made = Provisioned(
        values={"a": [1]}, manifests={"m": {}}, sensitive=(["values", "a", 0], ("manifests", "m"))
    )  # type: ignore[arg-type]
    assert checked_result(made, "x").sensitive == (("values", "a", 0), ("manifests", "m"))


def test_a_comment_is_text() -> None:
    """An exception, say, is written as what it says."""
    assert checked_result(Provisioned(comment=ValueError("x")), "x").comment == "x"  # type: ignore[arg-type]
