"""State modules `user` and `group` on this machine, with accounts of their own that are removed again."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, needs_root, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

HASH = "$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9AjRbLCelDCy.g."


@pytest.fixture
def account() -> Iterator[str]:
    """The name of a user and group that are gone afterwards."""
    name = f"ens{secrets.token_hex(4)}"
    yield name
    connection = MinionConnection(HERE)
    for user in (name, f"{name}b"):
        state("user.absent", context(connection), user, purge=True)
        state("group.absent", context(connection), user)


@needs_root
def test_a_group_comes_changes_and_goes(account: str) -> None:
    """A group's members and number are made as described, and Salt's changes are returned."""
    here = MinionConnection(HERE)
    planned, done = thrice("group.present", here, account, gid=45678)
    assert (planned.result, planned.comment) == (None, f"Group {account} set to be added")
    assert done.changes == {"name": account, "passwd": "x", "gid": 45678, "members": []}
    assert done.comment == f"New group {account} created"

    planned, done = thrice("group.present", here, account, members=["daemon", "bin"])
    assert (planned.result, planned.changes) == (None, {})
    assert done.changes == {"Final": "All changes applied successfully"}
    assert execute("group.info", context(here), account)["members"] == ["daemon", "bin"]

    thrice("group.present", here, account, addusers=["sys"], delusers=["bin", "nobody"])
    assert execute("group.info", context(here), account)["members"] == ["daemon", "sys"]
    thrice("group.present", here, account, members=[], gid=45679)
    assert execute("group.info", context(here), account) == {
        "name": account, "passwd": "x", "gid": 45679, "members": [],
    }  # fmt: skip

    taken = state("group.present", context(here), f"{account}b", gid=45679)
    assert (taken.result, f"already taken by group {account}" in taken.comment) == (False, True)
    planned, done = thrice("group.absent", here, account)
    assert (planned.comment, done.changes) == (f"Group {account} is set for removal", {account: ""})


@needs_root
def test_members_that_cannot_join(account: str) -> None:
    """The rest of the state is applied, and `Failed` has what is not, as in Salt."""
    here = MinionConnection(HERE)
    made = state("group.present", context(here), account, gid=45680, members=["daemon", "nosuchuser"])
    assert (made.result, made.changes) == (False, {"Failed": {"members": ["daemon", "nosuchuser"]}})
    assert made.comment.startswith(f"Group {account} has been created but, some changes could not be applied")
    assert "nosuchuser" in made.comment
    assert execute("group.info", context(here), account)["gid"] == 45680

    joined = state("group.present", context(here), account, addusers=["nosuchuser", "daemon"], gid=45681)
    assert (joined.result, joined.changes) == (False, {"Failed": {"addusers": ["nosuchuser"]}})
    assert "Some changes could not be applied" in joined.comment
    assert execute("group.info", context(here), account) == {
        "name": account, "passwd": "x", "gid": 45681, "members": ["daemon"],
    }  # fmt: skip


@needs_root
@pytest.mark.parametrize("gid", [None, 45682, "name"])
def test_a_user_of_its_own_group(account: str, gid: int | str | None) -> None:
    """The group of its name that exists is its primary group, and has no entry for it, as in Salt."""
    here = MinionConnection(HERE)
    thrice("group.present", here, account, gid=45682)
    given = account if gid == "name" else gid
    made = state("user.present", context(here), account, gid=given, groups=[account], createhome=False)
    assert (made.result, made.changes["gid"], made.changes["groups"]) == (True, 45682, [account])
    assert execute("group.info", context(here), account)["members"] == []
    again = state("user.present", context(here), account, gid=given, groups=[account], createhome=False)
    assert (again.result, again.changes) == (True, {})


@needs_root
def test_a_user_comes_changes_and_goes(account: str, tmp_path: Path) -> None:
    """A user is added with all of `user.info` as changes; later only what differs is changed."""
    here = MinionConnection(HERE)
    home = tmp_path / "home"
    planned, done = thrice(  # noqa: S604 (the login shell)
        "user.present", here, account, home=str(home), shell="/bin/sh", fullname="Ada L", groups=["daemon"]
    )
    assert (planned.result, planned.comment) == (None, f"User {account} set to be added")
    assert done.comment == f"New user {account} created"
    assert {key: done.changes[key] for key in ("fullname", "groups", "home", "name", "shell")} == {
        "fullname": "Ada L", "groups": sorted([account, "daemon"]), "home": str(home),
        "name": account, "shell": "/bin/sh",
    }  # fmt: skip
    assert home.stat().st_uid == done.changes["uid"]

    planned, done = thrice(  # noqa: S604 (the login shell)
        "user.present", here, account, shell="/bin/bash", roomnumber=3, optional_groups=["bin", "nosuch"],
        remove_groups=False, password=HASH,
    )  # fmt: skip
    assert "shell: /bin/bash" in planned.comment
    assert HASH not in planned.comment
    assert done.changes == {
        "groups": sorted([account, "bin", "daemon"]), "shell": "/bin/bash", "roomnumber": "3",
        "passwd": "XXX-REDACTED-XXX",
    }  # fmt: skip
    assert execute("shadow.info", context(here), account)["passwd"] == HASH
    assert state("user.present", context(here), account, groups=[]).changes == {"groups": [account]}

    planned, done = thrice("user.absent", here, account, purge=True)
    assert (planned.result, done.changes) == (None, {f"{account} group": "removed", account: "removed"})
    assert not home.exists()


@needs_root
def test_numbers_of_a_user_change_only_when_allowed(account: str) -> None:
    """Since files keep the old owner, a number changes only with `allow_uid_change` or `allow_gid_change`."""
    here = MinionConnection(HERE)
    state("user.present", context(here), account, createhome=False, uid=45690)
    refused = state("user.present", context(here), account, createhome=False, uid=45691, gid="daemon")
    assert refused.result is False
    assert "Changing uid (45690 -> 45691) not permitted, set allow_uid_change" in refused.comment
    assert "set allow_gid_change" in refused.comment
    _, done = thrice(
        "user.present", here, account, createhome=False, uid=45691, gid="daemon",
        allow_uid_change=True, allow_gid_change=True,
    )  # fmt: skip
    assert (done.changes["uid"], done.changes["gid"]) == (45691, 1)


@needs_root
def test_a_clear_password_is_hashed_with_the_same_salt(account: str) -> None:
    """`hash_password` gives the same hash the second time, and neither is ever shown."""
    here = MinionConnection(HERE)
    _, done = thrice("user.present", here, account, password="hunter2x", hash_password=True, createhome=False)
    assert done.changes["password"] == "XXX-REDACTED-XXX"
    assert execute("shadow.info", context(here), account)["passwd"].startswith("$6$")
    ctx = context(here)
    state("user.present", ctx, account, password="hunter3x", hash_password=True, createhome=False)
    assert ctx.masker.text("hunter3x") != "hunter3x"


@needs_root
def test_ages_and_locks(account: str) -> None:
    """What /etc/shadow holds beside the hash is set too, on a new user and on one that is there."""
    here = MinionConnection(HERE)
    _, done = thrice("user.present", here, account, createhome=False, maxdays=90, password=HASH)
    assert (done.changes["maxdays"], done.changes["password"]) == (90, "XXX-REDACTED-XXX")
    _, done = thrice("user.present", here, account, createhome=False, password_lock=True, warndays=9)
    assert done.changes == {"passwd": "XXX-REDACTED-XXX", "warn": 9}
    _, done = thrice("user.present", here, account, createhome=False, password_lock=False)
    assert done.changes == {"passwd": "XXX-REDACTED-XXX"}


@needs_root
def test_what_cannot_be_is_said(account: str) -> None:
    """A group that is not there fails the apply, and is pending in a plan, which creates nothing."""
    here = MinionConnection(HERE)
    failed = state("user.present", context(here), account, groups=["nosuchgroup"])
    assert (failed.result, failed.comment) == (False, "The following group(s) are not present: nosuchgroup")
    planned = state("user.present", context(here, test=True), account, groups=["nosuchgroup"])
    assert planned.comment == f"User {account} set to be added (pending groups: nosuchgroup)"
    failed = state("user.present", context(here), account, gid=45999)
    assert (failed.result, "45999" in failed.comment) == (False, True)
    assert state("user.present", context(here), account, fullname="a,b").result is False
    both = state("group.present", context(here), account, members=["bin"], addusers=["sys"])
    assert (both.result, "not compatible" in both.comment) == (False, True)
    assert execute("user.info", context(here), account) == {}


def test_what_formulas_ask() -> None:
    """`user.list_users`, `user.getent` and `group.getent` describe what is there."""
    ctx = context()
    assert "root" in execute("user.list_users", ctx)
    root = execute("user.info", ctx, "root")
    assert (root["uid"], root["gid"], root["home"]) == (0, 0, Path("~root").expanduser().as_posix())
    assert root in execute("user.getent", ctx)
    assert execute("group.info", ctx, "root")["gid"] == 0
    assert execute("group.info", ctx, "nosuchgroup") == {}
    assert execute("user.info", ctx, str(os.getuid())) == {}, "a number is no name"
    assert execute("user.primary_group", ctx, "root") == "root"


def test_a_target_without_getent_is_read_from_its_files() -> None:
    """Accounts are read from /etc where there is no `getent`, and a missing program is named."""
    files = {"/etc/passwd": b"ada:x:7:8:Ada,r1,,,:/home/ada:/bin/ash\n", "/etc/group": b"g:x:8:\n"}
    fake = FakeConnection(files=files)
    fake.on_run("getent *", returncode=127)
    fake.on_run("id *", stdout=b"g\n")
    fake.on_run("groupadd *", returncode=127)
    info = execute("user.info", context(fake), "ada")
    assert (info["uid"], info["fullname"], info["roomnumber"], info["groups"]) == (7, "Ada", "r1", ["g"])
    failed = state("group.present", context(fake), "new")
    assert (failed.result, "it has no program `groupadd`" in failed.comment) == (False, True)


@needs_root
def test_two_names_for_one_number(account: str, tmp_path: Path) -> None:
    """A second name of a user or group is that user: its files have the right owner, and nothing changes."""
    here = MinionConnection(HERE)
    thrice("user.present", here, account, createhome=False)
    info = execute("user.info", context(here), account)
    second = f"{account}b"
    same = {"uid": info["uid"], "gid": info["gid"], "unique": False, "createhome": False, "groups": []}
    _, done = thrice("user.present", here, second, **same)
    assert (done.result, execute("user.info", context(here), second)["uid"]) == (True, info["uid"])
    path = str(tmp_path / "f")
    for name in (account, second):
        assert state("file.managed", context(here), path, contents="x", user=name).result is True
        again = state("file.managed", context(here), path, contents="x", user=name)
        assert (again.result, again.changes) == (True, {}), name
    folder = str(tmp_path / "d")
    assert state("file.directory", context(here), folder, user=second).result is True
    planned = state("file.directory", context(here, test=True), folder, user=second, recurse=["user"])
    assert (planned.result, planned.changes) == (True, {})
