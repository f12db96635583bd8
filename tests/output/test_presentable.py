"""Data is masked by place and by value, and made of what JSON and YAML can hold."""

from __future__ import annotations

from typing import Any

from ensue.core.masking import Masker
from ensue.core.model.plain_data import plain
from ensue.core.model.returns import Return, ScopeReturn
from ensue.core.model.sensitive_paths import hide_in_changes
from ensue.core.model.unknown import Unknown
from ensue.output.presentable import return_data, returns_data


def _return(**fields: Any) -> Return:
    given: dict[str, Any] = {
        "tag": "test_|-a_|-a_|-present",
        "id": "a",
        "name": "a",
        "sls": "s",
        "module": "test",
        "function": "present",
        "scope": "",
        "target": "minion:m",
        "result": True,
        "changes": {},
        "comment": "",
        **fields,
    }
    return Return(**given)


def test_keys_and_order_are_those_of_as_data() -> None:
    """A return is shown with the same keys in the same order as `as_data` gives them."""
    scope = ScopeReturn(kind="block", name="b", scope="a/b", status="done", target="t:x")
    returned = _return(warnings=("w",), delayed=(scope,), applied=(scope,), new_state={"k": 1})
    shown = return_data(returned, Masker())
    assert shown == returned.as_data()
    assert list(shown) == list(returned.as_data())


def test_sensitive_paths_are_masked_by_place() -> None:
    """What a sensitive path leads to is masked in all parts, although the masker has not heard of it."""
    state = {"user": "u", "credentials": {"password": "p", "port": 22}, "keys": [{"k": "a"}, {"k": "b"}]}
    returned = _return(
        new_state=state,
        old_state={**state, "user": "v"},
        changes={"new": state, "old": None, "credentials": {"old": None, "new": {"password": "p"}}},
        sensitive=("credentials:password", "keys:1:k", "absent:path", "user:too:deep"),
    )
    shown = return_data(returned, Masker())
    masked = {
        "user": "u",
        "credentials": {"password": "(sensitive)", "port": 22},
        "keys": [{"k": "a"}, {"k": "(sensitive)"}],
    }
    assert shown["new_state"] == masked
    # There, the item that is secret now may have another place, so each of the list is hidden.
    everywhere = {**masked, "keys": [{"k": "(sensitive)"}, {"k": "(sensitive)"}]}
    assert shown["old_state"] == {**everywhere, "user": "v"}
    assert shown["changes"]["new"] == everywhere
    assert shown["changes"]["credentials"] == {"old": None, "new": {"password": "(sensitive)"}}
    assert state["credentials"] == {"password": "p", "port": 22}, "the return itself is left as it was"


def test_a_path_to_a_mapping_masks_it_whole() -> None:
    """A sensitive path that ends at a mapping leaves nothing of it."""
    assert hide_in_changes({"a": {"b": 1}}, ["a"]) == {"a": "(sensitive)"}


def test_nested_returns_are_masked_too() -> None:
    """Returns of scopes are masked by their own paths and by the values the masker knows."""
    inner = _return(new_state={"token": "t0"}, sensitive=("token",), comment="said swordfish")
    scope = ScopeReturn(
        kind="apply", name="x", scope="a/x", status="done", comment="swordfish", returns={inner.tag: inner}
    )
    shown = return_data(_return(applied=(scope,)), Masker(["swordfish"]))
    [entry] = shown["applied"]
    assert entry["comment"] == "(sensitive)"
    assert entry["returns"][inner.tag]["new_state"] == {"token": "(sensitive)"}
    assert entry["returns"][inner.tag]["comment"] == "said (sensitive)"


def test_the_path_of_a_scope_is_masked() -> None:
    """A scope is called as the state that asked for it, and so may hold a secret of that state's ID."""
    inner = _return(scope="add swordfish/b")
    scope = ScopeReturn(kind="block", name="b", scope=inner.scope, status="done", returns={inner.tag: inner})
    shown = return_data(_return(id="add swordfish", delayed=(scope,)), Masker(["swordfish"]))
    [entry] = shown["delayed"]
    assert entry["scope"] == entry["returns"][inner.tag]["__scope__"] == "add (sensitive)/b"


def test_a_secret_that_is_one_of_our_keys_harms_nothing() -> None:
    """A password `result` masks the value `result`, never the key."""
    shown = return_data(_return(comment="result", changes={"result": "result"}), Masker(["result"]))
    assert shown["result"] is True
    assert shown["comment"] == "(sensitive)"
    assert shown["changes"] == {"(sensitive)": "(sensitive)"}


def test_no_return_is_lost_to_masking() -> None:
    """Two tags that differ in their secrets alone are both shown."""
    returns = {f"cmd_|-a_|-echo {secret}_|-run": _return() for secret in ("secret-one", "secret-two")}
    shown = dict(returns_data(returns, Masker(["secret-one", "secret-two"])))
    assert list(shown) == ["cmd_|-a_|-echo (sensitive)_|-run", "cmd_|-a_|-echo (sensitive)_|-run#2"]


def test_what_json_lacks_becomes_text() -> None:
    """Bytes, sets, unknown values, objects and odd keys all have a form a reader understands."""
    odd = {1: b"ab", None: b"\xff", b"k": {2, 1}, "u": Unknown("${cloud:vm:id}"), "t": (1, [2])}
    assert plain(odd) == {
        "1": "ab",
        "None": "\\xff",
        "k": [1, 2],
        "u": "(known after apply)",
        "t": [1, [2]],
    }
