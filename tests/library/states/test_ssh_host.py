"""State module `ssh_host`: SLS applied elsewhere, and files carried."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from ensue.core.errors import RemoteTimeoutError, StateFailedError, UnknownResourceError
from ensue.core.model.returns import Return, ScopeReturn, StateReturn
from ensue.core.model.srn import Srn
from ensue.library.states import ssh_host
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext, FakeStateContext

TARGET = Srn("ssh_host", "web-01")
CONTENT = b"client\n\xff\x00"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def there() -> FakeConnection:
    """The target."""
    return FakeConnection(TARGET, files={"/etc/openvpn/client.ovpn": CONTENT})


@pytest.fixture
def here() -> FakeConnection:
    """The managing minion."""
    return FakeConnection(Srn("minion", "control"), files={"/srv/send": CONTENT})


@pytest.fixture
def ctx(there: FakeConnection, here: FakeConnection) -> FakeStateContext:
    return FakeStateContext(here, others={"web-01": FakeFunctionContext(there)})


def fetch(ctx: FakeStateContext, **arguments: Any) -> StateReturn:
    given = {"remote_path": "/etc/openvpn/client.ovpn", "local_path": "/root/client.ovpn"} | arguments
    return asyncio.run(ssh_host.fetch_file(ctx, "web-01", **given))


def send(ctx: FakeStateContext, **arguments: Any) -> StateReturn:
    given = {"local_path": "/srv/send", "remote_path": "/etc/sent"} | arguments
    return asyncio.run(ssh_host.send_file(ctx, "web-01", **given))


def mode_of(connection: FakeConnection, path: str) -> int:
    file_stat = asyncio.run(connection.stat(path))
    assert file_stat is not None
    return file_stat.mode


def content_of(connection: FakeConnection, path: str) -> bytes:
    return asyncio.run(connection.read(path))


def one_return(tag: str, *, result: bool | None = True, changes: dict[str, Any] | None = None) -> Return:
    return Return(
        tag=tag,
        id=tag,
        name=tag,
        sls="openvpn",
        module="test",
        function="nop",
        scope="s",
        target=str(TARGET),
        result=result,
        changes=changes or {},
        comment=f"{tag} is done",
    )


def applied(ctx: FakeStateContext, *returns: Return, status: str = "done", **more: Any) -> StateReturn:
    ctx.applied_return = ScopeReturn(
        kind="apply",
        name="openvpn",
        scope="s",
        status=status,
        target=str(TARGET),
        returns={returned.tag: returned for returned in returns},
        **more,
    )
    return asyncio.run(ssh_host.state_applied(ctx, "web-01", "openvpn.init"))


def test_changes_are_those_of_the_states_that_changed(ctx: FakeStateContext) -> None:
    """By tag; states without changes are counted only."""
    returned = applied(ctx, one_return("a", changes={"new": 1}), one_return("b"))

    assert (returned.result, returned.changes) == (True, {"a": {"new": 1}})
    assert returned.new_state == {
        "target": "ssh_host:web-01",
        "mods": ["openvpn.init"],
        "states": 2,
        "changed": 1,
    }


def test_a_failed_state_fails_it_and_is_named(ctx: FakeStateContext) -> None:
    """With its comment."""
    returned = applied(ctx, one_return("a", result=False), one_return("b"))

    assert returned.result is False
    assert "1 failed" in returned.comment
    assert "a (test.nop): a is done" in returned.comment


def test_sls_that_do_not_compile_fail_it(ctx: FakeStateContext) -> None:
    """With the compiler's message."""
    returned = applied(ctx, status="failed", comment="states/openvpn/init.sls:3: no such function")

    assert returned.result is False
    assert "states/openvpn/init.sls:3" in returned.comment


def test_in_a_plan_what_would_change_makes_it_none(ctx: FakeStateContext) -> None:
    """None inside is None outside."""
    ctx.test = True
    assert applied(ctx, one_return("a", result=None, changes={"new": 1}), one_return("b")).result is None


@pytest.mark.parametrize("mods", ["a,b.c", "a, b.c ", ["a", "b.c"]])
def test_mods_may_be_a_list_or_separated_by_commas(ctx: FakeStateContext, mods: Any) -> None:
    """All spellings mean the same."""
    asyncio.run(ssh_host.state_applied(ctx, "web-01", mods))

    assert ctx.applied[0].mods == ("a", "b.c")


def test_no_mods_are_an_error(ctx: FakeStateContext) -> None:
    """Applying nothing is a mistake."""
    with pytest.raises(StateFailedError, match="names no SLS"):
        asyncio.run(ssh_host.state_applied(ctx, "web-01", " , "))


@pytest.mark.parametrize("name", ["T@ssh_host:vm*", "vm*", "web-01,web-02", "a or b"])
def test_several_targets_fail_a_plan_too(there: FakeConnection, name: str) -> None:
    """`name` takes one resource, so what targets several is refused before the apply."""
    ctx = FakeStateContext(there, test=True)
    with pytest.raises(StateFailedError, match="`name` takes one resource"):
        asyncio.run(ssh_host.state_applied(ctx, name, "x"))


@pytest.mark.parametrize("test", [False, True])
def test_an_unknown_target_is_for_the_engine_to_judge(ctx: FakeStateContext, *, test: bool) -> None:
    """It knows whether an earlier state may register it."""
    ctx.others.clear()
    ctx.test = test
    for call in (fetch, send, lambda ctx: asyncio.run(ssh_host.state_applied(ctx, "web-01", "a"))):
        with pytest.raises(UnknownResourceError, match="no such resource: web-01") as raised:
            call(ctx)
        assert raised.value.target == "web-01"


def test_a_host_out_of_reach_is_named_with_what_it_was_derived_from(ctx: FakeStateContext) -> None:
    """The chain of sources is where to look."""

    class Silent(FakeConnection):
        async def stat(self, path: str, *, follow: bool = False) -> None:
            raise RemoteTimeoutError(f"no answer for {path} {follow}", target=str(TARGET), timeout_s=1)

    ctx.others["web-01"] = FakeFunctionContext(Silent(TARGET))
    ctx.registry.register(TARGET, {}, source=Srn("starting_state", "env-01"))

    returned = fetch(ctx)

    assert returned.result is False
    assert returned.comment.endswith("(ssh_host:web-01 was derived from starting_state:env-01)")


def test_fetching_brings_any_bytes_and_keeps_them_private(
    ctx: FakeStateContext, here: FakeConnection
) -> None:
    """A new file is its owner's alone; changes name checksums, never content."""
    returned = fetch(ctx)

    assert content_of(here, "/root/client.ovpn") == CONTENT
    assert mode_of(here, "/root/client.ovpn") == 0o600
    assert returned.result is True
    assert returned.changes == {
        "path": "/root/client.ovpn",
        "sha256": {"old": None, "new": SHA256},
        "size": {"old": None, "new": len(CONTENT)},
    }
    assert returned.new_state == {
        "path": "/root/client.ovpn",
        "sha256": SHA256,
        "size": len(CONTENT),
        "mode": "0600",
        "user": "root",
        "group": "root",
    }
    assert returned.old_state == {
        "path": "/root/client.ovpn",
        "exists": False,
        "sha256": None,
        "size": None,
    }


def test_fetching_again_changes_nothing_and_transfers_nothing(
    ctx: FakeStateContext, there: FakeConnection
) -> None:
    """Checksums are compared where the files are."""
    first = fetch(ctx)
    there.calls.clear()

    second = fetch(ctx)

    assert (second.result, second.changes, second.new_state) == (True, {}, first.new_state)
    assert "read" not in {call.method for call in there.calls}


def test_an_existing_file_keeps_its_mode_unless_told(ctx: FakeStateContext, here: FakeConnection) -> None:
    """Mode alone is a change too."""
    asyncio.run(here.write("/root/client.ovpn", b"old", mode=0o640))

    fetch(ctx)
    assert mode_of(here, "/root/client.ovpn") == 0o640
    returned = fetch(ctx, mode="0604")
    assert returned.changes == {"path": "/root/client.ovpn", "mode": {"old": "0640", "new": "0604"}}
    assert mode_of(here, "/root/client.ovpn") == 0o604
    assert fetch(ctx, mode=604).changes == {}


def test_a_plan_writes_nothing(ctx: FakeStateContext, here: FakeConnection) -> None:
    """It names what would be written."""
    ctx.test = True

    returned = fetch(ctx)

    assert returned.result is None
    assert returned.changes["sha256"] == {"old": None, "new": SHA256}
    assert asyncio.run(here.stat("/root/client.ovpn")) is None


def test_a_missing_file_fails_an_apply_and_not_a_plan(ctx: FakeStateContext) -> None:
    """The comment says what is missing where."""
    returned = fetch(ctx, remote_path="/etc/nothing")
    assert (returned.result, returned.comment) == (False, "/etc/nothing on ssh_host:web-01 does not exist")
    ctx.test = True
    assert fetch(ctx, remote_path="/etc/nothing").result is None


def test_a_folder_is_no_file(ctx: FakeStateContext) -> None:
    """Neither as source nor as destination."""
    assert fetch(ctx, remote_path="/etc").comment == "/etc on ssh_host:web-01 is a directory, not a file"
    assert fetch(ctx, local_path="/root").comment == "/root on minion:control is a directory, not a file"


def test_the_folder_it_goes_to_is_made_on_request(ctx: FakeStateContext, here: FakeConnection) -> None:
    """Without makedirs a missing folder is an error that says so."""
    with pytest.raises(StateFailedError, match="the folder /new/deep on minion:control does not exist"):
        fetch(ctx, local_path="/new/deep/file")
    fetch(ctx, local_path="/new/deep/file", makedirs=True)
    assert content_of(here, "/new/deep/file") == CONTENT


@pytest.mark.parametrize(
    "wrong",
    [
        {"local_path": "client.ovpn"},
        {"remote_path": "etc/x"},
        {"mode": "rw"},
        {"mode": "-644"},
        {"mode": "77777"},
    ],
)
def test_arguments_that_make_no_sense_are_refused(ctx: FakeStateContext, wrong: dict[str, Any]) -> None:
    """Relative paths and modes that are not octal, or too big."""
    with pytest.raises(StateFailedError, match=r"is not an absolute path|is not a file mode"):
        fetch(ctx, **wrong)


def test_sending_sets_mode_and_owner(ctx: FakeStateContext, there: FakeConnection) -> None:
    """The same the other way round, and a second time nothing changes."""
    returned = send(ctx, mode="0640", user="www-data", group=33)

    assert content_of(there, "/etc/sent") == CONTENT
    file_stat = asyncio.run(there.stat("/etc/sent"))
    assert file_stat is not None
    assert (file_stat.mode, file_stat.uid, file_stat.gid) == (0o640, 33, 33)
    assert set(returned.changes) == {"path", "sha256", "size", "mode", "user", "group"}
    assert send(ctx, mode="0640", user="www-data", group=33).changes == {}
    assert send(ctx, user="nobody").changes["user"] == {"old": "www-data", "new": "nobody"}
