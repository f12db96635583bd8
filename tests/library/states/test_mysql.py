"""State modules `mysql_…` with a real MariaDB server: databases, users and grants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import context, execute, state
from tests.support.mariadb import is_there, running_mariadb

from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.returns import StateReturn

needs_server = pytest.mark.skipif(not is_there(), reason="needs MariaDB: apt-get install mariadb-server")


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    """Arguments of states that lead to the server."""
    with running_mariadb() as socket:
        yield {"connection_unix_socket": str(socket), "connection_user": "root"}


def thrice(function: str, name: str, **given: Any) -> StateReturn:
    """Plan, apply and apply again; the plan says the changes, and the second apply has none."""
    planned = state(function, context(test=True), name, **given)
    done = state(function, context(), name, **given)
    again = state(function, context(), name, **given)
    assert done.result, done.comment
    assert (planned.result, planned.changes) == (None, done.changes)
    assert (again.result, again.changes, again.new_state) == (True, {}, done.new_state), again.comment
    return done


@needs_server
def test_a_database_comes_changes_and_goes(server: dict[str, Any]) -> None:
    """Its name may be any, and what its texts are changes."""
    name = "the `first` one"
    made = thrice("mysql_database.present", name, character_set="latin1", **server)
    assert (made.changes, made.comment) == ({name: "Present"}, f"The database {name} has been created")
    assert name in execute("mysql.db_list", context(), **server)
    changed = thrice("mysql_database.present", name, collate="latin1_german1_ci", **server)
    assert changed.changes == {"collate": {"before": "latin1_swedish_ci", "now": "latin1_german1_ci"}}
    gone = thrice("mysql_database.absent", name, **server)
    assert (gone.changes, gone.comment) == ({name: "Absent"}, f"Database {name} has been removed")


@needs_server
def test_a_user_comes_changes_and_goes(server: dict[str, Any]) -> None:
    """With a password, another, what is kept of one, none, and a login by name alone."""
    user = "o'ne\\il"
    made = thrice("mysql_user.present", user, password="it's \\ secret", **server)
    assert made.comment == f"The user {user}@localhost has been added"
    changed = thrice("mysql_user.present", user, password="other", **server)
    assert (changed.changes, changed.comment) == (
        {user: "Updated"}, f"Password for user {user}@localhost has been changed",
    )  # fmt: skip
    thrice("mysql_user.present", user, password_hash="*6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4", **server)
    same = state("mysql_user.present", context(), user, password="mypass", **server)
    assert (same.changes, same.comment) == (
        {}, f"User {user}@localhost is already present with the desired password",
    )  # fmt: skip
    cleared = thrice("mysql_user.present", user, allow_passwordless=True, **server)
    assert cleared.comment == f"Password for user {user}@localhost has been cleared"
    thrice("mysql_user.present", user, allow_passwordless=True, unix_socket=True, **server)
    refused = state("mysql_user.present", context(), user, **server)
    assert "unless allow_passwordless is True" in refused.comment
    gone = thrice("mysql_user.absent", user, **server)
    assert gone.changes == {user: "Absent"}


@needs_server
def test_grants_come_and_go(server: dict[str, Any]) -> None:
    """On everything, a database with `_` in its name, a table and columns; with the right to grant them."""
    thrice("mysql_user.present", "web", password="hunter2x", **server)
    thrice("mysql_database.present", "my_shop", **server)
    execute("mysql.query", context(), "my_shop", "CREATE TABLE stock (id int, price int);", **server)
    for grant, database in (
        ("select, insert", "my_shop.*"), ("ALL", "my_shop.*"), ("select (id, price),update", "my_shop.stock"),
        ("PROCESS,replication client", "*.*"), ("all privileges", "*.*"),
    ):  # fmt: skip
        about = {"grant": grant, "database": database, "user": "web", **server}
        made = thrice("mysql_grants.present", "given", **about)
        assert made.comment == f"Grant {grant} on {database} to web@localhost has been added"
        granting = thrice("mysql_grants.present", "given", grant_option=True, **about)
        assert granting.changes == {"given": "Present"}
        gone = thrice("mysql_grants.absent", "given", grant_option=True, **about)
        assert gone.changes == {"given": "Absent"}
    left = execute("mysql.user_grants", context(), "web", **server)
    assert left == ["GRANT USAGE ON *.* TO `web`@`localhost`"]


@needs_server
def test_privileges_that_are_too_many_are_revoked_first(server: dict[str, Any]) -> None:
    """With `revoke_first` the account has afterwards what is granted, and no more there."""
    thrice("mysql_user.present", "less", allow_passwordless=True, **server)
    about = {"database": "less.*", "user": "less", **server}
    thrice("mysql_grants.present", "x", grant="select,insert", **about)
    thrice("mysql_grants.present", "x", grant="update", revoke_first=True, **about)
    left = execute("mysql.user_grants", context(), "less", **server)
    assert left[1:] == ["GRANT UPDATE ON `less`.* TO `less`@`localhost`"]


@needs_server
def test_a_password_is_in_no_command_and_in_no_message(server: dict[str, Any]) -> None:
    """It is in no error, in no output, and in nothing that the server keeps of it."""
    ctx = context()
    long_name = "x" * 200
    failed = state("mysql_user.present", ctx, long_name, password="hunter2x", **server)
    assert (failed.result, "hunter2x" in failed.comment) == (False, False)
    fake = FakeConnection()
    fake.on_run("mysql *", stdout=b"version\n10.11-MariaDB\n")
    ctx = context(fake)
    state("mysql_user.present", ctx, "x", password="hunter2x", connection_pass="hunter3x")
    assert fake.commands
    assert not [command for command in fake.commands if "hunter" in " ".join(command.argv or ())]
    assert ctx.masker.text("hunter2x hunter3x") == "(sensitive) (sensitive)"


def test_what_cannot_be_asked_is_said() -> None:
    """A target without a client, a server that refuses, an argument that there is not."""
    fake = FakeConnection()
    fake.on_run("mysql *", returncode=127)
    fake.on_run("/usr/sbin/mysql *", returncode=127)
    fake.on_run("/sbin/mysql *", returncode=127)
    missing = state("mysql_database.present", context(fake), "x")
    assert (missing.result, "no program `mysql`" in missing.comment) == (False, True)
    fake.on_run(
        "mysql *", returncode=1, stderr=b"--------------\nSELECT 'secret'\nERROR 1045 (28000): denied\n"
    )
    away = state("mysql_database.absent", context(fake), "x")
    assert (away.result, away.comment) == (False, "MySQL refused: ERROR 1045 (28000): denied")
    strange = state("mysql_user.present", context(fake), "x", password="y", connection_name="y")
    assert (strange.result, "unknown argument name" in strange.comment) == (False, True)
    bare = state("mysql_grants.present", context(fake), "x", grant="select")
    assert bare.comment == "a grant of MySQL requires database and user"
    wrong = state("mysql_grants.present", context(fake), "x", grant="a; b", database="d.*", user="u")
    assert wrong.result is False
