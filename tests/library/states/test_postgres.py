"""State modules `postgres_…` with a real server: databases, roles, schemas and extensions."""

from __future__ import annotations

import getpass
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import context, execute, state
from tests.support.postgresql import Postgresql, programs, running_postgresql

from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.returns import StateReturn

pytestmark = pytest.mark.long

needs_server = pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql")


@pytest.fixture(scope="module")
def database() -> Iterator[Postgresql]:
    with running_postgresql() as running:
        yield running


@pytest.fixture
def server(database: Postgresql) -> dict[str, Any]:
    """Arguments of states that lead to the server."""
    return {
        "db_host": str(database.socket_folder),
        "db_user": database.user,
        "user": None if getpass.getuser() == "root" else getpass.getuser(),
    }


def thrice(function: str, name: str, **given: Any) -> StateReturn:
    """Plan, apply and apply again; the plan says the changes, and the second apply has none."""
    planned = state(function, context(test=True), name, **given)
    done = state(function, context(), name, **given)
    again = state(function, context(), name, **given)
    assert done.result, done.comment
    assert (planned.result, planned.changes) == (None, done.changes)
    assert (again.result, again.changes) == (True, {}), again.comment
    assert again.new_state == done.new_state
    return done


@needs_server
def test_a_database_comes_changes_and_goes(server: dict[str, Any], database: Postgresql) -> None:
    """Its name may be any; owner changes, encoding does not."""
    name = 'the "first" one'
    thrice("postgres_user.present", "first-owner", **server)
    made = thrice("postgres_database.present", name, encoding="UTF8", template="template0", **server)
    assert made.changes == {name: "Present"}
    assert made.comment == f"The database {name} has been created"
    assert name in [
        row.strip('"').replace('""', '"') for row in database.query("SELECT datname FROM pg_database")
    ]
    changed = thrice("postgres_database.present", name, owner="first-owner", **server)
    assert changed.changes == {name: {"owner": {"old": "postgres", "new": "first-owner"}}}
    assert changed.old_state == {**(made.new_state or {})}  # type: ignore[dict-item] # a mapping
    refused = state("postgres_database.present", context(), name, encoding="LATIN1", **server)
    assert (refused.result, "couldn't be changed" in refused.comment) == (False, True)
    gone = thrice("postgres_database.absent", name, **server)
    assert (gone.changes, gone.comment) == ({name: "Absent"}, f"Database {name} has been removed")
    thrice("postgres_user.absent", "first-owner", **server)


@needs_server
@pytest.mark.parametrize("encrypted", [None, "md5", "scram-sha-256"])
def test_a_user_comes_changes_and_goes(server: dict[str, Any], encrypted: str | None) -> None:
    """Flags, groups, the end of its password, and its password in each form are looked at and set."""
    thrice("postgres_group.present", "readers", **server)
    given: dict[str, Any] = {"encrypted": encrypted, **server}
    made = thrice("postgres_user.present", "o'neil", password="it's \\ secret", createdb=True, **given)
    assert made.changes == {"o'neil": "Present"}
    assert made.comment == "The user o'neil has been created"
    changed = thrice(
        "postgres_user.present", "o'neil", password="other", createdb=False, createroles=True,
        groups=["readers"], valid_until="2031-02-03 04:05:06+00", **given,
    )  # fmt: skip
    assert changed.changes == {
        "o'neil": {
            "createdb": False, "createroles": True, "password": True, "groups": ["readers"],
            "valid_until": "2031-02-03 04:05:06+00",
        }
    }  # fmt: skip
    assert isinstance(changed.new_state, dict)
    assert (changed.new_state["login"], changed.new_state["groups"]) == (True, ["readers"])
    thrice("postgres_user.absent", "o'neil", **server)
    thrice("postgres_group.absent", "readers", **server)


@needs_server
@pytest.mark.parametrize("setting", ["md5", "scram-sha-256"])
def test_a_password_is_stored_as_the_server_is_set_to(setting: str) -> None:
    """So that a login works whose method the server's administrator has set; either form is that password."""
    access = f"local all postgres trust\nlocal all all {setting}\n"
    with running_postgresql(access=access, settings=f"-c password_encryption={setting}") as running:
        given = {"db_host": str(running.socket_folder), "db_user": running.user}
        if getpass.getuser() != "root":
            given["user"] = getpass.getuser()
        prepared, refused, hebrew = (
            "\N{LATIN SMALL LIGATURE FI}\N{SOFT HYPHEN}\N{EM SPACE}n",
            "é😀½",
            "\N{HEBREW LETTER ALEF}½",
        )
        passwords = ("its secret", "md5 is old", prepared, refused, hebrew, hebrew[0])
        for name, password in zip(("app", "odd", "a", "b", "c", "d"), passwords, strict=True):
            thrice("postgres_user.present", name, password=password, **given)
            login = {"host": given["db_host"], "user": name, "password": password, "runas": given.get("user")}
            assert execute("postgres.psql_query", context(), "SELECT 1 AS ok", **login) == [{"ok": "1"}]
        for other in ("md5", "scram-sha-256"):
            state("postgres_user.present", context(), "app", password="its secret", encrypted=other, **given)
            again = state("postgres_user.present", context(), "app", password="its secret", **given)
            assert (again.result, again.changes) == (True, {})
            changed = state("postgres_user.present", context(test=True), "app", password="x", **given)
            assert changed.changes == {"app": {"password": True}}
        stored = running.query("SELECT rolpassword FROM pg_authid WHERE rolname = 'odd'")[0]
        copied = thrice("postgres_user.present", "app", password=stored, **given)
        assert copied.changes == {"app": {"password": True}}
        state("postgres_user.present", context(), "app", password="its secret", encrypted=False, **given)
        again = state(
            "postgres_user.present", context(), "app", password="its secret", encrypted=False, **given
        )
        assert (again.result, again.changes) == (True, {})


@needs_server
def test_a_password_is_in_no_command_and_in_no_message(server: dict[str, Any]) -> None:
    """It is in no error, in no output, and in nothing that the server keeps of it."""
    ctx = context()
    failed = state("postgres_user.present", ctx, "x", password="hunter2x", valid_until="no time", **server)
    assert failed.result is False
    assert "hunter2x" not in ctx.masker.text(failed.comment)
    fake = FakeConnection()
    fake.on_run("psql *", stdout=b"")
    ctx = context(fake)
    state("postgres_user.present", ctx, "x", password="hunter2x", db_password="hunter3x", **server)
    assert fake.commands
    assert not [command for command in fake.commands if "hunter" in " ".join(command.argv or ())]
    assert ctx.masker.text("hunter2x hunter3x") == "(sensitive) (sensitive)"


@needs_server
def test_a_password_of_a_new_user_alone(server: dict[str, Any]) -> None:
    """`default_password` is not looked at when the user is there; `refresh_password` sets it each time."""
    thrice("postgres_user.present", "new", default_password="first", **server)
    plain = {"host": server["db_host"], "user": server["db_user"], "runas": server["user"]}
    assert execute("postgres.has_password", context(), "new", "first", **plain) is True
    assert execute("postgres.has_password", context(), "new", "second", **plain) is False
    for _ in range(2):
        again = state(
            "postgres_user.present", context(), "new", password="first", refresh_password=True, **server
        )
        assert again.changes == {"new": {"password": True}}
    thrice("postgres_user.absent", "new", **server)


@needs_server
def test_schemas_and_extensions(server: dict[str, Any]) -> None:
    """A schema with its owner, and an extension in it; what is not empty stays."""
    thrice("postgres_database.present", "db", **server)
    made = thrice("postgres_schema.present", "inner", dbname="db", owner="postgres", **server)
    assert made.comment == "Schema inner has been created in database db"
    available = execute(
        "postgres.psql_query", context(), "SELECT name FROM pg_available_extensions WHERE name <> 'plpgsql'",
        host=server["db_host"], user=server["db_user"], runas=server["user"],
    )  # fmt: skip
    inside = {**server, "maintenance_db": "db"}
    if {"name": "citext"} in available:
        done = thrice("postgres_extension.present", "citext", schema="inner", **inside)
        assert done.changes == {"citext": "Installed"}
        moved = thrice("postgres_extension.present", "citext", schema="public", **inside)
        assert moved.changes == {"citext": "Upgraded"}
        thrice("postgres_extension.absent", "citext", **inside)
    thrice("postgres_extension.absent", "plpgsql", **inside)
    thrice("postgres_schema.absent", "inner", dbname="db", **server)
    thrice("postgres_database.absent", "db", **server)


def test_what_cannot_be_asked_is_said() -> None:
    """A target without psql, a server that is not there, an argument that there is not."""
    fake = FakeConnection()
    fake.on_run("psql *", returncode=127)
    missing = state("postgres_database.present", context(fake), "x")
    assert (missing.result, "no program `psql`" in missing.comment) == (False, True)
    fake.on_run("psql *", returncode=2, stderr=b"could not connect")
    away = state("postgres_database.absent", context(fake), "x")
    assert (away.result, away.comment) == (False, "PostgreSQL refused: could not connect")
    strange = state("postgres_user.present", context(fake), "x", db_name="y")
    assert (strange.result, "unknown argument db_name" in strange.comment) == (False, True)
    assert state("postgres_database.present", context(fake), "x", owner_recurse=True).result is False
    wrong = state("postgres_user.present", context(fake), "x", password="y", encrypted="rot13")
    assert wrong.result is False


@needs_server
def test_privileges_come_and_go(server: dict[str, Any], database: Postgresql) -> None:
    """On each type of object, with and without the right to grant them, and on all tables of a schema."""
    database.query("CREATE TABLE stock (id int); CREATE TABLE orders (id int); CREATE SEQUENCE counter")
    database.query("CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql AS 'SELECT a * 2'")
    role = 'the "reader"'
    thrice("postgres_user.present", role, **server)
    thrice("postgres_group.present", "staff", **server)
    plain = {"host": server["db_host"], "user": server["db_user"], "runas": server["user"]}
    for object_type, object_name, privileges in (
        ("table", "stock", ["SELECT", "INSERT"]), ("sequence", "counter", ["USAGE"]),
        ("schema", "public", ["CREATE"]), ("database", "postgres", ["ALL"]), ("language", "sql", ["USAGE"]),
        ("tablespace", "pg_default", ["CREATE"]), ("function", "twice(integer)", ["EXECUTE"]),
        ("group", "staff", None), ("table", "ALL", ["SELECT"]),
    ):  # fmt: skip
        about = {"object_type": object_type, "object_name": object_name, "privileges": privileges, **server}
        made = thrice("postgres_privileges.present", role, **about)
        what = ",".join(privileges or [object_name])
        assert made.comment == f"The privilege(s): {what} have been granted to {role}"
        assert made.changes == {role: "Present"}
        granting = thrice("postgres_privileges.present", role, grant_option=True, **about)
        assert granting.changes == {role: "Present"}
        gone = thrice("postgres_privileges.absent", role, **about)
        assert (gone.changes, (gone.new_state or {})["exists"]) == ({role: "Absent"}, False)  # type: ignore[call-overload, index] # a mapping
    owned = execute("postgres.privileges_list", context(), "stock", "table", **plain)
    assert "SELECT" in owned[database.user]
    thrice("postgres_user.absent", role, **server)


@needs_server
def test_privileges_that_there_are_not_are_refused(server: dict[str, Any]) -> None:
    """An unknown privilege, type or object fails with those that there are; nothing is granted."""
    about = {"object_name": "nowhere", "object_type": "table", "privileges": ["SELECT"], **server}
    assert (
        "there is no table nowhere" in state("postgres_privileges.present", context(), "x", **about).comment
    )
    wrong = state("postgres_privileges.present", context(), "x", **about | {"privileges": "FLY"})
    assert "for a table there is no privilege FLY; there are" in wrong.comment
    strange = state("postgres_privileges.present", context(), "x", **about | {"object_type": "view"})
    assert "unknown object type view; the types are" in strange.comment


@needs_server
def test_a_tablespace_comes_changes_and_goes(server: dict[str, Any], database: Postgresql) -> None:
    """Owner and options change; where it is does not."""
    folder = database.socket_folder / "space"
    folder.mkdir()
    shutil.chown(folder, database.socket_folder.owner())
    thrice("postgres_user.present", "keeper", **server)
    made = thrice("postgres_tablespace.present", "space", directory=str(folder), **server)
    assert (made.changes, made.comment) == ({"space": "Present"}, "The tablespace space has been created")
    given = {"directory": str(folder), "owner": "keeper", "options": [{"seq_page_cost": 1.5}], **server}
    changed = thrice("postgres_tablespace.present", "space", **given)
    assert changed.changes == {"space": {"owner": "keeper", "options": {"seq_page_cost": "1.5"}}}
    moved = state("postgres_tablespace.present", context(), "space", **given | {"directory": "/elsewhere"})
    assert (moved.result, "cannot be changed" in moved.comment) == (False, True)
    thrice("postgres_tablespace.absent", "space", **server)
    thrice("postgres_user.absent", "keeper", **server)
