"""What a plan of a deployment shows of fields that change, without their secrets."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.deploy.provisioning.stand_ins import Environment, RememberingDriver, environment

from ensue.core.contracts.driver import Planned
from ensue.core.masking import MASK
from ensue.core.model.data import leaf_places, texts
from ensue.deploy.provisioning.field_changes import _hidden, _reported, changed_fields
from ensue.deploy.provisioning.set_differences import differences

SECRET = "s3cret-"
KEYS = st.sampled_from(["a", "b", "0", "c d"])
VALUES = st.recursive(
    st.sampled_from(["plain", 1, None, f"{SECRET}1", f"{SECRET}2"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=3), st.dictionaries(KEYS, VALUES, max_size=3))
def test_no_secret_is_shown_whatever_joins_or_leaves(before: dict[str, Any], after: dict[str, Any]) -> None:
    """A value that holds secrets may be added, removed or replaced as a whole, by one of another shape."""
    secret = [
        place
        for data in (before, after)
        for place, leaf in leaf_places(data)
        if isinstance(leaf, str) and leaf.startswith(SECRET)
    ]
    for difference in differences(before, after):
        shown = _hidden(difference, secret)
        assert not any(SECRET in text for value in (shown.before, shown.after) for text in texts(value))


def test_a_mapping_with_a_secret_that_joins_is_masked() -> None:
    """Only the place of the secret is hidden."""
    (difference,) = differences({}, {"creds": {"user": "u", "password": "p"}})
    shown = _hidden(difference, [("creds", "password")])
    assert (shown.before, shown.after) == (None, {"user": "u", "password": MASK})


def test_values_under_the_key_of_a_secret_are_masked() -> None:
    """On both sides, at any depth; references and null stay."""
    before = {"params": {"password": "old", "db": {"api_token": 7, "host": "a"}}}
    after = {"params": {"password": "${resources.db.password}", "db": {"api_token": None, "host": "b"}}}
    shown = {
        change.path: (change.before, change.after)
        for change in (_hidden(difference, []) for difference in differences(before, after))
    }
    assert shown == {
        "/params/password": (MASK, "${resources.db.password}"),
        "/params/db/api_token": (MASK, None),
        "/params/db/host": ("a", "b"),
    }


def test_what_a_driver_reports_is_masked_under_the_key_of_a_secret() -> None:
    """A pair, a text and a nested mapping; what is under other keys stays."""
    changes: dict[str, Any] = {
        "password": {"old": "s1", "new": "s2"},
        "user": {"old": {"name": "a", "token": "s3"}, "new": {"name": "b", "token": "s4"}},
        "db": {"api_token": "s5", "size": {"old": 1, "new": 2}},
    }
    shown = {change.path: (change.before, change.after) for change in _reported(changes)}
    assert shown == {
        "/password": (MASK, MASK),
        "/user": ({"name": "a", "token": MASK}, {"name": "b", "token": MASK}),
        "/db/api_token": (None, MASK),
        "/db/size": (1, 2),
    }


def test_inputs_of_a_planned_update_differ_field_by_field() -> None:
    """A plan shows the old and the new input of an update, and what its driver would change."""
    driver = RememberingDriver(plan_is_pure=True)
    shop = environment(fake=driver)
    shop.deploy({"db": _entity(1)})
    driver.planned = Planned(changes={"disk": {"old": "1 GB", "new": "2 GB"}})
    shop.deploy({"db": _entity(2)}, test=True)
    assert _changes(shop) == {"/values/size": (1, 2), "/disk": ("1 GB", "2 GB")}


def test_a_resource_that_is_left_has_no_changes() -> None:
    """Neither one that a deployment leaves as it is, nor one that it creates; an update shows its inputs."""
    shop = environment(fake=RememberingDriver())
    shop.deploy({"db": _entity(1)})
    assert _changes(shop) == {}
    shop.deploy({"db": _entity(1)})
    assert _changes(shop) == {}
    shop.deploy({"db": _entity(2)})
    assert _changes(shop) == {"/values/size": (1, 2), "/outputs/size": (1, 2)}


def _entity(size: int) -> dict[str, Any]:
    return {"driver_type": "fake", "driver_inputs": {"values": {"size": size}}}


def _changes(shop: Environment) -> dict[str, tuple[Any, Any]]:
    (outcome,) = [outcome for outcome in shop.all if outcome.key.type == "db"]
    return {change.path: (change.before, change.after) for change in changed_fields(outcome)}
