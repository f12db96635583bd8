"""Driver `state` in a run that remembers what it is asked for; real runs are in `tests/cli`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.errors import DriverError, DriverInputError
from ensue.core.model.returns import Return, ScopeReturn
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers import state
from ensue.testing.driver import FakeDriverServices, driver_request

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.core.contracts.driver import DriverRequest


def returned(id_: str, new_state: Any = None, **fields: Any) -> Return:
    """Return the return of a state."""
    known: dict[str, Any] = {
        "tag": f"file_|-{id_}_|-{id_}_|-managed",
        "id": id_,
        "name": id_,
        "sls": "",
        "module": "file",
        "function": "managed",
        "scope": "",
        "target": "minion:m",
        "result": True,
        "changes": {},
        "comment": "",
        "new_state": new_state,
        **fields,
    }
    return Return(**known)


def request(path: Path, values: Any, *returns: Return, **fields: Any) -> DriverRequest:
    """Return a request in a run in which states have these returns."""
    services = FakeDriverServices(returns={returned.tag: returned for returned in returns})
    return driver_request(path, services, values=values, **fields)


def asked(of: DriverRequest) -> FakeDriverServices:
    assert isinstance(of.services, FakeDriverServices)
    return of.services


UNKNOWN = Unknown("${resources.db.outputs.it}")
ABSENT = {"state": "file.absent", "name": "/etc/motd"}
MANAGED: dict[str, Any] = {"state": "file.managed", "name": "/etc/motd", "arguments": {"contents": "{{ 7 }}"}}
NEW_STATE = {"path": "/etc/motd", "mode": "0600", "contents": "s3cret", "list": [{"a": 1}]}


def test_a_state_makes_the_resource(tmp_path: Path) -> None:
    """Its arguments are handed on as they are; what it says of itself are the outputs, secrets apart."""
    made = returned("/etc/motd", NEW_STATE, sensitive=("contents",), changes={"diff": "x"}, comment="made")
    given = request(tmp_path, MANAGED, made)
    provisioned = asyncio.run(state.create(given))
    (call,) = asked(given).asked
    assert (call.function, call.names, call.arguments, call.target) == (
        "file.managed",
        ("/etc/motd",),
        {"contents": "{{ 7 }}"},
        "",
    )
    assert provisioned.values == {"path": "/etc/motd", "mode": "0600", "list": [{"a": 1}]}
    assert provisioned.secrets == {"contents": "s3cret"}
    assert (provisioned.changed, provisioned.comment) == (True, "made")
    assert asyncio.run(state.update(request(tmp_path, MANAGED, returned("x", {})))).changed is False


def test_params_of_the_resource_are_arguments(tmp_path: Path) -> None:
    """`{param: NAME}` is the param with its type, at any depth; `default` is for a missing one."""
    arguments = {
        "size": {"param": "size"},
        "list": [{"param": "none", "default": "d"}],
        "map": {"a": {"param": "tags"}, "param": "b", "other": 1},
    }
    values = {"state": "a.b", "arguments": arguments, "delete": {"state": "a.c", "arguments": arguments}}
    given = request(tmp_path, values, returned("x"), params={"size": 5, "tags": {"param": "size"}})
    filled = {"size": 5, "list": ["d"], "map": {"a": {"param": "size"}, "param": "b", "other": 1}}
    provisioned = asyncio.run(state.create(given))
    assert asked(given).asked[0].arguments == filled
    assert provisioned.cookie is not None
    assert provisioned.cookie["delete"] == {"state": "a.c", "arguments": filled}


def test_a_missing_param_is_an_error(tmp_path: Path) -> None:
    """The error is at the argument and has the similar names."""
    values = {"state": "a.b", "arguments": {"size": {"param": "size"}}}
    given = request(tmp_path, values, returned("x"), params={"siz": 5})
    with pytest.raises(DriverInputError, match=r"no param 'size' \(did you mean siz\?\)") as caught:
        asyncio.run(state.create(given))
    assert caught.value.keys == ("arguments", "size")


def test_a_param_that_is_not_known_makes_the_plan_wait(tmp_path: Path) -> None:
    """What the state would do is known after apply."""
    values = {"state": "a.b", "arguments": {"size": {"param": "size"}}}
    planned = asyncio.run(state.plan(request(tmp_path, values, params={"size": UNKNOWN})))
    assert planned.comment == "what it is made of is known after apply"


def test_a_state_without_a_name_has_that_of_the_resource(tmp_path: Path) -> None:
    """The id of a state in the report then says which resource it is."""
    given = request(tmp_path, {"state": "test.nop", "target": "ssh_host:web"}, returned("x"))
    asyncio.run(state.create(given))
    assert asked(given).asked[0].names == (given.key,)
    assert asked(given).asked[0].target == "ssh_host:web"


def test_sls_make_the_resource(tmp_path: Path) -> None:
    """Several SLS are one run; their outputs are those that are named."""
    given = request(
        tmp_path,
        {"sls": ["db", "user"], "outputs": {"mode": "conf:mode", "first": "conf:list:0:a", "all": "user"}},
        returned("conf", NEW_STATE, sensitive=("list:0",)),
        returned("user", {"uid": 5}),
    )
    provisioned = asyncio.run(state.create(given))
    assert asked(given).asked[0].names == ("db", "user")
    assert provisioned.values == {"mode": "0600", "all": {"uid": 5}}
    assert provisioned.secrets == {"first": 1}
    nameless = request(tmp_path, {"sls": "db"}, returned("conf", NEW_STATE))
    assert asyncio.run(state.create(nameless)).values == {}


@pytest.mark.parametrize("sensitive", ["", "list", "list:0", "list:0:a"])
def test_a_branch_with_a_secret_in_it_is_secret(tmp_path: Path, sensitive: str) -> None:
    """Whether the path of the secret is above the output or below it."""
    values = {**MANAGED, "outputs": {"it": "list", "mode": "mode"}}
    given = request(tmp_path, values, returned("x", NEW_STATE, sensitive=(sensitive,)))
    provisioned = asyncio.run(state.create(given))
    assert provisioned.secrets == ({"it": [{"a": 1}]} if sensitive else {"it": [{"a": 1}], "mode": "0600"})


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"it": "conf:nope"}, "outputs: new_state of conf has no 'nope' (it has path, mode, contents, list)"),
        ({"it": "conf:list:7"}, "outputs: new_state of conf has no 'list:7' (list has 1 item)"),
        ({"it": "conf:mod"}, "outputs: new_state of conf has no 'mod' (did you mean mode?)"),
        ({"it": "config:mode"}, "outputs: no state has the ID 'config' (did you mean conf?)"),
    ],
)
def test_an_output_that_is_not_there(tmp_path: Path, outputs: dict[str, str], message: str) -> None:
    """The message names the state and the path."""
    values = {"sls": "db", "outputs": outputs}
    given = request(tmp_path, values, returned("conf", NEW_STATE), returned("user", {}))
    with pytest.raises(DriverError) as caught:
        asyncio.run(state.create(given))
    assert str(caught.value) == message


def test_an_output_is_at_a_key_that_is_no_text(tmp_path: Path) -> None:
    """YAML and Python make such keys; a similar one is named where a path leads to nothing."""
    path = {"outputs": {"it": "conf:8080"}}
    given = request(tmp_path, {"sls": "db", **path}, returned("conf", {8080: "open"}))
    assert asyncio.run(state.create(given)).values == {"it": "open"}
    given = request(tmp_path, {"sls": "db", **path}, returned("conf", {8081: "open"}))
    with pytest.raises(DriverError, match=r"has no '8080' \(did you mean 8081\?\)"):
        asyncio.run(state.create(given))


def test_a_failed_state_fails_the_resource(tmp_path: Path) -> None:
    """Each failure is named; SLS that do not compile fail with what is wrong."""
    bad = returned("conf", result=False, comment="no space")
    with pytest.raises(DriverError, match="conf: no space"):
        asyncio.run(state.create(request(tmp_path, {"sls": "db"}, bad, returned("user", {}))))

    class Failing(FakeDriverServices):
        async def run_sls(self, mods: Any, *, target: str = "") -> ScopeReturn:
            assert not target
            return ScopeReturn(
                kind="apply", name=str(mods), scope="s", status="failed", comment="no such SLS"
            )

    with pytest.raises(DriverError, match="no such SLS"):
        asyncio.run(state.create(driver_request(tmp_path, Failing(), values={"sls": "db"})))


def test_registrations_are_filled_with_outputs(tmp_path: Path) -> None:
    """`{output: NAME}` anywhere in a configuration is an output, also a secret one."""
    registers = {"ssh_host:web": {"host": {"output": "path"}, "auth": [{"output": "contents"}], "port": 22}}
    made = returned("x", NEW_STATE, sensitive=("contents",))
    provisioned = asyncio.run(state.create(request(tmp_path, {**MANAGED, "registers": registers}, made)))
    assert provisioned.registers == {"ssh_host:web": {"host": "/etc/motd", "auth": ["s3cret"], "port": 22}}
    wrong = {**MANAGED, "registers": {"ssh_host:web": {"host": {"output": "pth"}}}}
    with pytest.raises(DriverError, match=r"registers: there is no output 'pth' \(did you mean path\?\)"):
        asyncio.run(state.create(request(tmp_path, wrong, made)))


def test_delete_runs_what_the_inputs_said(tmp_path: Path) -> None:
    """It is kept in the cookie; without it nothing is undone."""
    values = {**MANAGED, "delete": {"state": "file.absent", "name": "/etc/motd"}}
    cookie = asyncio.run(state.create(request(tmp_path, values, returned("x", {})))).cookie
    gone = request(tmp_path, {}, returned("x", {}), cookie=cookie)
    asyncio.run(state.delete(gone))
    (call,) = asked(gone).asked
    assert (call.function, call.names) == ("file.absent", ("/etc/motd",))
    for nothing in (None, {}, {"delete": None}):
        left = request(tmp_path, {}, cookie=nothing)
        asyncio.run(state.delete(left))
        assert asked(left).asked == []
    failing = request(tmp_path, {}, returned("x", result=False, comment="busy"), cookie=cookie)
    with pytest.raises(DriverError, match="x: busy"):
        asyncio.run(state.delete(failing))


def test_the_removal_is_kept_before_the_states_run(tmp_path: Path) -> None:
    """What a failed create has made is removed; one with other names after it adds to that."""
    values = {**MANAGED, "delete": ABSENT}
    failing = request(tmp_path, values, returned("x", result=False, comment="busy"))
    with pytest.raises(DriverError, match="x: busy"):
        asyncio.run(state.create(failing))
    (kept,) = asked(failing).kept
    other = {**values, "name": "/etc/other", "delete": {**ABSENT, "name": "/etc/other"}}
    again = request(tmp_path, other, returned("x", result=False, comment="busy"), cookie=kept)
    with pytest.raises(DriverError, match="x: busy"):
        asyncio.run(state.create(again))
    gone = request(tmp_path, {}, returned("x", {}), cookie=asked(again).kept[-1])
    asyncio.run(state.delete(gone))
    assert [call.names for call in asked(gone).asked] == [("/etc/other",), ("/etc/motd",)]


def test_other_contents_leave_nothing(tmp_path: Path) -> None:
    """The thing is the same, and a failed attempt at it is forgotten once one succeeds."""
    values = {**MANAGED, "delete": ABSENT}
    made = returned("/etc/motd", {})
    cookie = asyncio.run(state.create(request(tmp_path, values, made))).cookie
    changed = {**values, "arguments": {"contents": "other"}}
    failing = request(tmp_path, changed, returned("/etc/motd", result=False), cookie=cookie)
    with pytest.raises(DriverError):
        asyncio.run(state.update(failing))
    again = asyncio.run(state.update(request(tmp_path, changed, made, cookie=asked(failing).kept[-1])))
    assert (again.cookie or {})["former"] == []
    assert again.warnings == ()


def test_what_is_left_may_be_known_later_only(tmp_path: Path) -> None:
    """A plan in which a state is known after apply does not say that something is left."""
    cookie = asyncio.run(state.create(request(tmp_path, {"sls": "a"}, returned("/one", {})))).cookie
    waiting = returned("/two", unknown=True, result=None)
    assert planned(tmp_path, {"sls": "a"}, waiting, cookie=cookie)[0].warnings == ()
    known = planned(tmp_path, {"sls": "a"}, returned("/two", result=None), cookie=cookie)[0]
    assert "file.managed /one (nothing removes it" in known.warnings[0]


LISTED = "a list of {resource, config}"


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ({}, ["give either `state` or `sls`"]),
        ({"state": "a.b", "sls": "c"}, ["give either `state` or `sls`"]),
        ({"delte": {}, "state": "a.b"}, ["there is no key 'delte' (did you mean delete?)"]),
        ({"sls": "a", "name": "x", "arguments": {}}, ["arguments, name: only a `state` has these"]),
        ({"state": "a.b", "arguments": []}, ["`arguments` is not a mapping"]),
        ({"state": "a.b", "outputs": []}, ["`outputs` is not a mapping of output names to ID:path"]),
        (
            {"state": "a.b", "registers": 5},
            [f"`registers` is neither a mapping of resources to configurations nor {LISTED}"],
        ),
        ({"state": "a.b", "delete": 5}, ["`delete` is not a mapping"]),
        ({"state": "a.b", "delete": {"sls": "x", "state": "y"}}, ["delete: give either `state` or `sls`"]),
        (["a"], ["values are not a mapping: give `state` or `sls`"]),
        (MANAGED, []),
        ({"state": "a.b", **dict.fromkeys(("arguments", "outputs", "registers", "delete"), UNKNOWN)}, []),
        ({"sls": UNKNOWN, "delete": {"sls": UNKNOWN, "target": UNKNOWN}}, []),
    ],
)
def test_what_is_wrong_with_the_inputs(tmp_path: Path, values: Any, problems: list[str]) -> None:
    """All problems are reported before anything runs, and a create with such inputs runs nothing."""
    given = request(tmp_path, values)
    assert state.check(given) == problems
    if problems:
        with pytest.raises(DriverError):
            asyncio.run(state.create(given))
        assert asked(given).asked == []


def planned(path: Path, values: Mapping[str, Any], *returns: Return, **fields: Any) -> tuple[Any, int]:
    """Return what a plan says, and how many runs it made."""
    given = request(path, values, *returns, **fields)
    return asyncio.run(state.plan(given)), len(asked(given).asked)


def test_a_plan(tmp_path: Path) -> None:
    """It runs in test mode; what would change has no outputs, and what is unknown is not run."""
    would, runs = planned(
        tmp_path, MANAGED, returned("x", NEW_STATE, result=None, comment="would be made"), cookie={}
    )
    assert (would.comment, would.would_change, would.outputs, runs) == ("would be made", True, None, 1)
    is_there, _ = planned(tmp_path, MANAGED, returned("x", {"a": 1}), cookie={})
    assert not is_there.would_change
    assert is_there.outputs.values == {"a": 1}
    unknown, runs = planned(tmp_path, {**MANAGED, "arguments": {"contents": UNKNOWN}})
    assert (unknown.would_change, unknown.outputs, runs) == (True, None, 0)


@pytest.mark.parametrize(
    ("drift", "remark"),
    [
        ({"size": {"old": 2, "new": None}}, " (removed by someone else)"),
        ({"size": {"old": 2, "new": 3}}, ""),
        ({}, ""),
    ],
)
def test_a_plan_says_what_was_removed(tmp_path: Path, drift: dict[str, Any], remark: str) -> None:
    """All that the last deployment has made is gone, and nobody who is known has done that."""
    gone = returned("x", NEW_STATE, result=None, comment="would be made", drift=drift)
    assert planned(tmp_path, MANAGED, gone, cookie={})[0].comment == f"would be made{remark}"


def test_the_plan_of_a_new_resource_says_what_stays(tmp_path: Path) -> None:
    """Without `delete`, nothing removes what is made."""
    new = returned("x", NEW_STATE, result=None, comment="would be made")
    stays = "would be made; a removal leaves what it makes: there is no `delete`"
    assert planned(tmp_path, MANAGED, new)[0].comment == stays
    removal = {"state": "file.absent", "name": "/etc/motd"}
    assert planned(tmp_path, {**MANAGED, "delete": removal}, new)[0].comment == "would be made"


def test_without_delete_what_was_made_stays() -> None:
    """Nothing says that it was destroyed."""
    assert state.leaves({"delete": {"state": "file.absent"}}) is False
    assert state.leaves({"delete": None}) is True
    assert state.leaves(None) is False


def removed(path: Path, values: Any) -> list[str]:
    """Return the names of what a removal destroys that another resource with the inputs `MANAGED` has."""
    cookie = asyncio.run(state.create(request(path, values, returned("x")))).cookie
    others = state.manages(request(path, MANAGED))
    return [each.name for each in state.destroys(cookie) if any(each.takes(other) for other in others)]


COMMAND = {"state": "cmd.run", "name": "rm /etc/motd"}
OWN: dict[str, Any] = {"state": "file.managed", "name": "/etc/motd", "arguments": {"contents": "own"}}


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({**MANAGED, "delete": ABSENT}, ["file.absent /etc/motd", "file.absent /etc/motd"]),
        ({**OWN, "delete": ABSENT}, ["file.absent /etc/motd"]),
        ({**OWN, "delete": {**ABSENT, "name": "/etc//motd/"}}, ["file.absent /etc//motd/"]),
        ({**OWN, "delete": {**ABSENT, "name": "/etc"}}, ["file.absent /etc"]),
        ({**OWN, "delete": COMMAND}, ["cmd.run rm /etc/motd"]),
        ({**OWN, "delete": {"sls": ["b", "a"]}}, ["SLS a, b"]),
        ({**OWN, "delete": {**ABSENT, "target": "web-01"}}, []),
        ({**OWN, "delete": {**ABSENT, "name": "/etc/motd.d"}}, []),
        ({**OWN, "delete": {"state": "file.line", "name": "/etc/motd"}}, []),
        (OWN, []),
    ],
)
def test_what_a_delete_destroys_may_be_of_another_resource(
    tmp_path: Path, values: Any, names: list[str]
) -> None:
    """The same path, or one above it, on the same target; a command or an SLS undoes what was made."""
    assert removed(tmp_path, values) == names


@pytest.mark.parametrize(("user", "is_same"), [("alice", False), ("bob", True)])
def test_short_arguments_tell_objects_of_one_name_apart(tmp_path: Path, user: str, *, is_same: bool) -> None:
    """A key of two users are two objects."""
    key = {"state": "ssh_auth.present", "name": "ssh-ed25519 AAAA", "arguments": {"user": "bob"}}
    gone = {"state": "ssh_auth.absent", "name": "ssh-ed25519 AAAA", "arguments": {"user": user}}
    cookie = {"delete": gone}
    (destroyed,) = state.destroys(cookie)
    assert destroyed.takes(state.manages(request(tmp_path, key))[0]) is is_same


def test_what_is_known_after_other_resources_is_no_object(tmp_path: Path) -> None:
    """Neither an unknown name, nor the declaration with an unknown argument."""
    assert state.manages(request(tmp_path, {**MANAGED, "name": UNKNOWN})) == ()
    (named,) = state.manages(request(tmp_path, {**MANAGED, "arguments": {"contents": UNKNOWN}}))
    assert named.name == "file.managed /etc/motd"
    assert state.managed({"delete": None}) == state.managed(None) == ()


@pytest.mark.parametrize("secret", [("values",), ("values", "name"), ("values", "delete", "name")])
def test_a_name_with_a_secret_is_in_no_message(tmp_path: Path, secret: tuple[str, ...]) -> None:
    """The objects are compared all the same."""
    values = {**MANAGED, "name": "/etc/hunter2", "delete": {"state": "file.absent", "name": "/etc/hunter2"}}
    given = request(tmp_path, values, returned("x"), sensitive=(secret,))
    cookie = asyncio.run(state.create(given)).cookie
    shown = [each.name for each in (state.managed(cookie), state.destroys(cookie))["delete" in secret]]
    assert shown
    assert not [name for name in shown if "hunter2" in name]
    assert state.destroys(cookie)[0].takes(state.managed(cookie)[0])
