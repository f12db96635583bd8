"""Driver `postgres` on a real server, which asks for passwords and logs every statement."""

from __future__ import annotations

import asyncio
import gc
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
import yaml
from tests.support.postgresql import Postgresql, programs, running_postgresql
from tests.test_docs import ROOT, blocks

from ensue.core.errors import DriverError
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers import postgres
from ensue.testing.driver import FakeDriverServices, driver_request
from ensue.testing.driver_contract import DriverContract, DriverSubject

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    from ensue.core.contracts.driver import DriverRequest, Planned, Provisioned
    from ensue.core.model.data import DataMap

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql"),
]

ACCESS = "local all postgres trust\nlocal all kept_out reject\nlocal all all scram-sha-256\n"
_EVERYTHING = (
    "SELECT 'database ' || datname FROM pg_database UNION ALL SELECT 'role ' || rolname FROM pg_roles"
)
PASSWORD = "the-password-of-an-administrator"


@pytest.fixture(scope="module")
def server() -> Iterator[Postgresql]:
    with running_postgresql(access=ACCESS, settings="-c log_statement=all") as running:
        running.query(f"CREATE ROLE admin LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
        running.query(f"CREATE ROLE maker LOGIN CREATEDB CREATEROLE PASSWORD '{PASSWORD}'")
        running.query(f"CREATE ROLE nobody LOGIN PASSWORD '{PASSWORD}'")
        running.query("CREATE ROLE dba")
        yield running


class Resource:
    """A resource of this driver: its inputs, and what a run would keep of it."""

    def __init__(self, folder: Path, server: Postgresql, user: str = "admin") -> None:
        self.folder = folder
        self.server = server
        self.guresid = secrets.token_hex(16)
        self.values: dict[str, Any] = {"host": str(server.socket_folder)}
        self.credentials: dict[str, Any] = {"username": user, "password": PASSWORD}
        self.params: dict[str, Any] = {}
        self.services = FakeDriverServices()
        self.cookie: DataMap | None = None

    @property
    def database(self) -> str:
        return str(self.values.get("database", f"db_{self.guresid}"))

    @property
    def role(self) -> str:
        return str(self.values.get("user", f"user_{self.guresid}"))

    def request(self, **fields: Any) -> DriverRequest:
        given: dict[str, Any] = {
            "guresid": self.guresid,
            "cookie": self.cookie,
            "values": self.values,
            "secrets": {"dbcredentials": self.credentials},
            "params": self.params,
        }
        return driver_request(self.folder, self.services, **given | fields)

    def create(self, **fields: Any) -> Provisioned:
        return self._provision(postgres.create(self.request(**fields)))

    def update(self, **fields: Any) -> Provisioned:
        return self._provision(postgres.update(self.request(**fields)))

    def plan(self, **fields: Any) -> Planned:
        return asyncio.run(postgres.plan(self.request(**fields)))

    def delete(self, **fields: Any) -> None:
        asyncio.run(postgres.delete(self.request(values={}, secrets={}, params={}, **fields)))

    def exists(self) -> tuple[bool, bool]:
        """Say whether the server has the database, and whether it has the role."""
        database, role = self.database.replace("'", "''"), self.role.replace("'", "''")
        row = self.server.query(
            f"SELECT '{database}' IN (SELECT datname FROM pg_database),"  # noqa: S608 (quoted above)
            f" '{role}' IN (SELECT rolname FROM pg_roles)"
        )[0]
        return row[0] == "t", row[2] == "t"

    def _provision(self, call: Any) -> Provisioned:
        self.services.kept.clear()
        try:
            made: Provisioned = asyncio.run(call)
        except BaseException:
            if self.services.kept:
                self.cookie = self.services.kept[-1]
            raise
        self.cookie = made.cookie
        return made


@pytest.fixture
def resource(tmp_path: Path, server: Postgresql) -> Resource:
    return Resource(tmp_path, server)


def log_in(made: Provisioned) -> psycopg.Connection[tuple[Any, ...]]:
    """Connect with the outputs alone."""
    import psycopg

    values: Any = made.values
    credentials: Any = made.secrets
    return psycopg.connect(
        host=values["host"],
        port=values["port"],
        dbname=values["name"],
        user=values["username"],
        password=credentials["password"],
        autocommit=True,
    )


def test_the_documented_definition(resource: Resource) -> None:
    """Its inputs, on this server, make a database that can be used."""
    page = (ROOT / "docs" / "driver-postgres.md").read_text(encoding="utf-8")
    text = next(block.body for block in blocks(page) if block.rest == "definitions/postgres.yaml")
    inputs = next(yaml.safe_load_all(text))["entity"]["driver_inputs"]
    assert postgres.check(resource.request(**inputs)) == []
    resource.values = inputs["values"] | resource.values
    made = resource.create()
    with log_in(made) as connection:
        row = connection.execute("SELECT length(digest('a', 'sha256')), current_user").fetchone()
    assert row == (32, resource.role)
    resource.delete()


@pytest.mark.parametrize("user", ["admin", "maker"])
def test_a_database_comes_and_goes(tmp_path: Path, server: Postgresql, user: str) -> None:
    """It can be used with its outputs alone; a second time changes nothing; deleting it twice is fine."""
    resource = Resource(tmp_path, server, user)
    planned = resource.plan()
    assert planned.comment == f"would create its role, create the database {resource.database}"
    assert (planned.would_change, planned.outputs) == (True, None)
    assert resource.exists() == (False, False)

    made = resource.create()
    assert made.changed is True
    assert made.comment == f"created its role, created the database {resource.database}"
    assert made.values == {
        "host": str(server.socket_folder),
        "port": 5432,
        "name": resource.database,
        "username": resource.role,
    }
    with log_in(made) as connection:
        connection.execute("CREATE TABLE things (name text)")
        connection.execute("CREATE SCHEMA more")

    again = resource.update()
    assert (again.changed, again.comment) == (False, "")
    assert (again.values, again.secrets) == (made.values, made.secrets)
    planned = resource.plan()
    assert planned.comment == f"the database {resource.database} is as it should be"
    assert planned.would_change is False
    assert planned.outputs is not None
    assert planned.outputs.secrets == made.secrets

    for _ in range(2):
        resource.delete()
        assert resource.exists() == (False, False)


def test_the_connection_url_leads_to_the_database(resource: Resource) -> None:
    """Whatever is in the names."""
    import psycopg

    resource.values |= {"database": "a/b?c #d@e%ü", "user": "o'neil:x"}
    made = resource.create()
    with psycopg.connect(str(made.secrets["connection"])) as connection:
        row = connection.execute("SELECT current_database(), current_user").fetchone()
    assert row == ("a/b?c #d@e%ü", "o'neil:x")
    resource.delete()


@pytest.mark.parametrize(
    "name",
    [
        'a"b',
        "a'; DROP ROLE admin; --",
        "a%sb{}",
        "Ünïcödé-数据库",
        "select",
        "x" * 63,
        "ü" * 31,
        "two\nlines\\",
        " ",
        "$1",
    ],
)
def test_names_may_be_any(resource: Resource, name: str) -> None:
    """Of database, role and schema, as long as PostgreSQL can have them."""
    resource.values |= {"database": name, "user": f"{name[:40]}"[:31], "schema": name}
    made = resource.create()
    assert made.values["name"] == name
    with log_in(made) as connection:
        row = connection.execute("SELECT current_database(), current_schema()").fetchone()
    assert row == (name, name)
    assert resource.update().changed is False
    resource.delete()
    assert resource.exists() == (False, False)


@pytest.mark.parametrize("name", ["", "x" * 64, "ü" * 32, "a\0b", "half\ud800"])
@pytest.mark.parametrize("key", ["database", "user", "schema", "owner", "name", "template_name"])
def test_names_that_cannot_be_are_refused(resource: Resource, key: str, name: str) -> None:
    """They are never cut silently."""
    resource.values[key] = name
    with pytest.raises(DriverError, match=f"values.{key}: it takes a name of 1 to 63 bytes"):
        resource.create()


def test_no_other_role_may_connect(resource: Resource, tmp_path: Path, server: Postgresql) -> None:
    """The database is open to its own role, which may not do anything else."""
    import psycopg

    made, other = resource.create(), Resource(tmp_path, server)
    others = other.create()
    url = str(others.secrets["connection"]).replace(f"/{other.database}?", f"/{resource.database}?")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(url)
    with log_in(made) as connection:
        row = connection.execute(
            "SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles"
            " WHERE rolname = current_user"
        ).fetchone()
    assert row == (False,) * 5
    resource.delete()
    other.delete()


def test_passwords_are_in_no_log_and_not_in_the_clear_anywhere(resource: Resource) -> None:
    """The server never sees one; the masker knows them, and the verifier too."""
    made = resource.create()
    password = str(made.secrets["password"])
    assert isinstance(made.cookie, dict)
    resource.server.query(f"ALTER ROLE {resource.role} PASSWORD NULL")
    resource.update()
    assert password not in resource.server.log
    assert "PASSWORD 'SCRAM-SHA-256$" in resource.server.log
    for secret in (password, str(made.cookie["verifier"]), PASSWORD):
        assert resource.services.masker.text(secret) == "(sensitive)"
    resource.delete()


@pytest.mark.parametrize("user", ["admin", "maker"])
@pytest.mark.parametrize(
    ("drift", "would", "done"),
    [
        (
            "DROP DATABASE {database}",
            "create the database {database} again, empty (removed by someone else)",
            "created the database {database} again, empty (removed by someone else)",
        ),
        (
            "DROP DATABASE {database}; DROP ROLE {role}",
            "create its role again (removed by someone else), create the database {database} again, ",
            "created its role again (removed by someone else), created the database {database} again, ",
        ),
        *(
            (drift, f"{verb} {rest}", f"{past} {rest}")
            for drift, verb, past, rest in [
                ("ALTER ROLE {role} PASSWORD 'changed'", "set", "set", "the password of its role"),
                ("ALTER ROLE {role} PASSWORD NULL", "set", "set", "the password of its role"),
                ("ALTER ROLE {role} NOLOGIN", "let", "let", "its role log in"),
                (
                    "ALTER DATABASE {database} OWNER TO {user}",
                    "give",
                    "gave",
                    "the database {database} to its role",
                ),
                (
                    "GRANT CONNECT ON DATABASE {database} TO PUBLIC",
                    "close",
                    "closed",
                    "the database {database} to other roles",
                ),
                (
                    "ALTER DATABASE {database} CONNECTION LIMIT 3",
                    "set",
                    "set",
                    "the connection limit to -1",
                ),
                ("COMMENT ON DATABASE {database} IS 'mine'", "mark", "marked", "the database {database}"),
            ]
        ),
    ],
)
def test_drift_is_mended(
    tmp_path: Path, server: Postgresql, user: str, *, drift: str, would: str, done: str
) -> None:
    """A plan sees it, an update mends it, and the outputs stay."""
    resource = Resource(tmp_path, server, user)
    made = resource.create()
    names = {"database": resource.database, "role": resource.role, "user": user}
    for statement in drift.format(**names).split(";"):
        server.query(statement)
    assert would.format(**names) in resource.plan().comment
    mended = resource.update()
    assert mended.changed is True
    assert done.format(**names) in mended.comment
    assert mended.secrets == made.secrets
    log_in(mended).close()
    assert resource.update().changed is False
    resource.delete()


class Killed(Exception):  # noqa: N818 (what happens to a process)
    """The process ends here."""


@pytest.mark.parametrize("user", ["admin", "maker"])
@pytest.mark.parametrize("after", range(7))
def test_an_interrupted_create_makes_nothing_twice(
    tmp_path: Path, server: Postgresql, monkeypatch: pytest.MonkeyPatch, user: str, after: int
) -> None:
    """Killed after any of its steps, the next create finishes with what was kept; one database, one role."""
    import psycopg

    resource = Resource(tmp_path, server, user)
    resource.values |= {"extensions": ["plpgsql"], "schema": "shop"}
    before = {*server.query(_EVERYTHING)}
    execute = psycopg.AsyncConnection.execute
    changes = 0

    async def dying(self: Any, query: Any, *given: Any, **options: Any) -> Any:
        nonlocal changes
        if not isinstance(query, str):
            if changes == after:
                raise Killed
            changes += 1
        return await execute(self, query, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, "execute", dying)
        with pytest.raises(Killed):
            resource.create()
    kept = resource.cookie
    made = resource.create(was_interrupted=True)
    assert kept is not None
    assert made.secrets["password"] == kept["password"]
    log_in(made).close()
    assert resource.update().changed is False
    assert {*server.query(_EVERYTHING)} - before == {f"database {resource.database}", f"role {resource.role}"}
    resource.delete()
    assert resource.exists() == (False, False)


def test_a_create_that_was_killed_can_be_deleted(resource: Resource, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever there is of it goes, and nothing being there is fine."""
    import psycopg

    execute = psycopg.AsyncConnection.execute

    async def dying(self: Any, query: Any, *given: Any, **options: Any) -> Any:
        if not isinstance(query, str) and "DATABASE" in query.as_string():
            raise Killed
        return await execute(self, query, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, "execute", dying)
        with pytest.raises(Killed):
            resource.create()
    assert resource.exists() == (False, True)
    resource.delete()
    assert resource.exists() == (False, False)


def test_what_took_the_name_meanwhile_is_left_alone(
    resource: Resource, server: Postgresql, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a create fails because somebody else makes the database first, its removal takes its own role."""
    import psycopg

    execute = psycopg.AsyncConnection.execute
    resource.values["database"] = "taken"

    async def late(self: Any, query: Any, *given: Any, **options: Any) -> Any:
        if not isinstance(query, str) and "CREATE DATABASE" in query.as_string():
            server.query("CREATE DATABASE taken")
        return await execute(self, query, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, "execute", late)
        with pytest.raises(DriverError, match="already exists"):
            resource.create()
    assert resource.exists() == (True, True)
    resource.delete()
    assert resource.exists() == (True, False)
    server.query("DROP DATABASE taken")


def test_a_lost_cookie_gives_a_new_password(resource: Resource) -> None:
    """Database and role are known by their comments, so nothing is made twice."""
    first = resource.create()
    resource.cookie = None
    second = resource.create(was_interrupted=True)
    assert second.comment == "set the password of its role"
    assert second.secrets["password"] != first.secrets["password"]
    log_in(second).close()
    resource.delete()


def test_what_is_somebody_elses_is_left_alone(resource: Resource, server: Postgresql) -> None:
    """A database or role of that name is never taken over, nor removed."""
    server.query("CREATE DATABASE theirs")
    resource.values["database"] = "theirs"
    for call in (resource.create, resource.plan):
        with pytest.raises(
            DriverError, match="has a database theirs already, and this resource did not make"
        ):
            call()
    assert resource.services.kept == []
    resource.values = {**resource.values, "database": "ours", "user": "dba"}
    with pytest.raises(DriverError, match=r"has a role dba already.*`user`"):
        resource.create()
    server.query("DROP DATABASE theirs")


def test_a_database_that_took_the_place_of_ours_is_not_removed(
    resource: Resource, server: Postgresql
) -> None:
    """What counts is what was made, not the name."""
    resource.values["database"] = "replaced"
    resource.create()
    server.query("DROP DATABASE replaced")
    server.query("CREATE DATABASE replaced")
    with pytest.raises(DriverError, match="the database replaced stays: this resource did not make it"):
        resource.delete()
    assert resource.exists() == (True, True)
    server.query("DROP DATABASE replaced")
    resource.delete()


def test_two_resources_cannot_have_one_database(
    resource: Resource, tmp_path: Path, server: Postgresql
) -> None:
    """The second one is refused by the first one's comment."""
    resource.values["database"] = "shared"
    resource.create()
    other = Resource(tmp_path, server)
    other.values["database"] = "shared"
    with pytest.raises(DriverError, match=f"of another one, 'ensue resource {resource.guresid}"):
        other.create()
    assert other.exists() == (True, False)
    resource.delete()


def test_two_resources_with_one_database_at_a_time(tmp_path: Path, server: Postgresql) -> None:
    """The second one waits for the first one, and is refused by its comment too."""
    pair = [Resource(tmp_path, server), Resource(tmp_path, server)]
    for each in pair:
        each.values["database"] = "at_a_time"

    async def both() -> list[Provisioned | BaseException]:
        return await asyncio.gather(
            *(postgres.create(each.request()) for each in pair), return_exceptions=True
        )

    ended = asyncio.run(both())
    [refused] = [each for each in ended if isinstance(each, BaseException)]
    assert "has a database at_a_time already" in str(refused)
    for each, made in zip(pair, ended, strict=True):
        if not isinstance(made, BaseException):
            each.cookie = made.cookie
            each.delete()


def test_what_is_made_has_a_name(tmp_path: Path, server: Postgresql) -> None:
    """The database and the role on their server, by inputs and by the cookie, once they are known."""
    resource = Resource(tmp_path, server)
    host = str(server.socket_folder)
    resource.values |= {"database": "named", "user": "Named"}
    named = postgres.manages(resource.request())
    assert [each.place for each in named] == [
        (host, "5432", "database", "named"),
        (host, "5432", "role", "Named"),
    ]
    resource.create()
    assert postgres.destroys(resource.cookie) == named
    resource.delete()
    resource.values["database"] = Unknown("${resources.x.outputs.y}")
    assert postgres.manages(resource.request()) == ()
    assert postgres.manages(resource.request(values={})) == ()


class TestPostgres(DriverContract):
    """It keeps the contract of a driver, on a server."""

    @pytest.fixture
    def subject(self, tmp_path: Path, server: Postgresql) -> DriverSubject:
        values = {"host": str(server.socket_folder)}
        credentials = {"username": "maker", "password": PASSWORD}
        made = "SELECT count(*) FROM pg_database WHERE datname LIKE 'db_0123%'"
        return DriverSubject(
            driver=postgres,
            directory=tmp_path,
            inputs={"values": values, "secrets": {"dbcredentials": credentials}},
            other_inputs={"values": {**values, "connection_limit": 3}},
            wrong_inputs=[{"values": {}}],
            marks_owner=True,
            count_made=lambda: int(server.query(made)[0]),
        )


STORE = "5ca1ab1e0ddba115"
OTHER = "0ddba11ba5eba115"


def comments(resource: Resource) -> list[str]:
    """Return the comments of the role and the database."""
    rows = [
        *resource.server.query("SELECT rolname, shobj_description(oid, 'pg_authid') FROM pg_roles"),
        *resource.server.query("SELECT datname, shobj_description(oid, 'pg_database') FROM pg_database"),
    ]
    pairs = (row.split(",") for row in rows)
    return [comment for name, comment in pairs if name in {resource.role, resource.database}]


def unmark(resource: Resource, mark: str) -> None:
    """Give both the comments that an older version made."""
    for what in (f"ROLE {resource.role}", f"DATABASE {resource.database}"):
        resource.server.query(f"COMMENT ON {what} IS '{mark}'")


@pytest.mark.parametrize("user", ["admin", "maker"])
def test_a_record_is_the_proof_of_what_has_an_older_mark(
    tmp_path: Path, server: Postgresql, user: str
) -> None:
    """With a cookie, a mark without a store gets one, and nothing else changes; without one it is refused."""
    resource = Resource(tmp_path, server, user)
    made = resource.create()
    assert comments(resource) == [f"ensue resource {resource.guresid} of store {STORE}"] * 2
    unmark(resource, f"ensue resource {resource.guresid}")
    for call in (resource.create, resource.plan):
        with pytest.raises(DriverError, match="has a mark that names no store, and this is the store"):
            call(cookie=None, owner=OTHER)
    log_in(made).close()
    marked = resource.update()
    assert marked.comment == f"marked its role, marked the database {resource.database}"
    assert marked.secrets == made.secrets
    assert comments(resource) == [f"ensue resource {resource.guresid} of store {STORE}"] * 2
    resource.delete()


def test_the_mark_of_another_store_is_stronger_than_a_record(resource: Resource) -> None:
    """A resource that another store took over is refused to the first one; the error says how to go on."""
    made = resource.create()
    unmark(resource, f"ensue resource {resource.guresid} of store {OTHER}")
    remedies = rf"belongs to the store {OTHER}, and this is the store {STORE} .*`--adopt=.*`--forget "
    for call in (resource.update, resource.plan, resource.delete):
        with pytest.raises(DriverError, match=remedies):
            call()
    log_in(made).close()
    planned = resource.plan(may_adopt=True)
    assert planned.comment.startswith(f"would take over its role from the store {OTHER}")
    assert resource.update(may_adopt=True).changed is True
    resource.delete()
    assert resource.exists() == (False, False)


def test_what_no_store_made_cannot_be_taken_over(resource: Resource, server: Postgresql) -> None:
    """`--adopt` is for what ensue made: a database without a mark stays refused."""
    server.query("CREATE DATABASE without_mark")
    resource.values["database"] = "without_mark"
    with pytest.raises(DriverError, match="has a database without_mark already"):
        resource.create(may_adopt=True)
    server.query("DROP DATABASE without_mark")


@pytest.mark.parametrize("user", ["admin", "maker"])
def test_a_database_in_use_is_not_removed(tmp_path: Path, server: Postgresql, user: str) -> None:
    """The message has the number of clients; `force_delete` ends them."""
    import psycopg

    resource = Resource(tmp_path, server, user)
    made = resource.create()
    with log_in(made) as connection:
        with log_in(made), pytest.raises(DriverError, match=r"2 clients are connected.*`force_delete: true`"):
            resource.delete()
        assert resource.exists() == (True, True)
        resource.values["force_delete"] = True
        resource.update()
        resource.delete()
        assert resource.exists() == (False, False)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")


def test_names_and_place_are_fixed(resource: Resource, server: Postgresql) -> None:
    """A renamed database would be an empty one."""
    resource.create()
    resource.values["database"] = "renamed"
    for call in (resource.update, resource.plan):
        with pytest.raises(DriverError, match="is not renamed to renamed"):
            call()
    del resource.values["database"]
    with running_postgresql() as elsewhere:
        elsewhere.query("CREATE ROLE admin LOGIN SUPERUSER")
        resource.values["host"] = str(elsewhere.socket_folder)
        with pytest.raises(DriverError, match="is not moved to"):
            resource.update()
    # The same server under another name is fine.
    resource.values["host"] = f"{server.socket_folder}/."
    assert resource.update().values["host"] == f"{server.socket_folder}/."
    resource.delete()


def test_an_unfinished_create_may_go_elsewhere(resource: Resource) -> None:
    """What it made under other names goes."""
    resource.values["extensions"] = ["there-is-no-such-extension"]
    with pytest.raises(DriverError, match="there-is-no-such-extension"):
        resource.create()
    assert resource.exists() == (True, True)
    first = resource.database
    resource.values = {**resource.values, "database": "elsewhere", "extensions": []}
    resource.create(was_interrupted=True)
    assert resource.exists() == (True, True)
    assert first not in resource.server.query("SELECT datname FROM pg_database")
    resource.delete()


def test_extensions_schema_owner_and_limit(resource: Resource, server: Postgresql) -> None:
    """All of it is made, changed and left alone; extensions come from the params too."""
    resource.values |= {"extensions": ["plpgsql"], "schema": "Shop", "owner": "dba", "connection_limit": 5}
    resource.params = {"type": "postgres", "extensions": {"plpgsql": {"version": None}}}
    made = resource.create()
    database = resource.database
    rows = server.query("SELECT datname, pg_get_userbyid(datdba), datconnlimit FROM pg_database")
    assert f"{database},dba,5" in rows
    with log_in(made) as connection:
        connection.execute("CREATE TABLE things (name text)")
        connection.execute("CREATE TABLE public.others (name text)")
        row = connection.execute("SELECT schemaname FROM pg_tables WHERE tablename = 'things'").fetchone()
    assert row == ("Shop",)
    assert resource.update().changed is False
    assert resource.plan().would_change is False

    resource.values = {"host": resource.values["host"], "connection_limit": 7, "schema": "Shop"}
    changed = resource.update()
    assert changed.comment == f"gave the database {database} to its role, set the connection limit to 7"
    assert resource.update().changed is False
    resource.delete()
    assert resource.exists() == (False, False)


def test_a_template_is_copied(resource: Resource, server: Postgresql) -> None:
    """The new database has what the template has."""
    server.query("CREATE DATABASE template_shop")
    resource.values["template_name"] = "template_shop"
    resource.create()
    assert resource.update().changed is False
    resource.delete()
    server.query("DROP DATABASE template_shop")


def test_many_at_once(tmp_path: Path, server: Postgresql) -> None:
    """A deployment provisions what is independent at the same time."""
    resources = [Resource(tmp_path, server, "maker") for _ in range(12)]

    async def scene() -> list[Provisioned]:
        return await asyncio.gather(*(postgres.create(resource.request()) for resource in resources))

    for resource, made in zip(resources, asyncio.run(scene()), strict=True):
        log_in(made).close()
        resource.cookie = made.cookie
        resource.delete()


def test_a_user_with_the_host(resource: Resource) -> None:
    """Roles log in with the first label of the host where a service wants that."""
    from ensue.deploy.drivers._postgres_inputs import wanted_of

    resource.values |= {"host": "pg-7.example.com", "append_host_to_user": True}
    server = wanted_of(resource.request()).server
    assert [server.login_name("shop"), server.login_name("shop@pg-7")] == ["shop@pg-7"] * 2


def test_instance_is_handed_on(resource: Resource) -> None:
    """It is an output as it is an input."""
    resource.values["instance"] = "project:region:one"
    assert resource.create().values["instance"] == "project:region:one"
    resource.delete()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"host": "/nonexistent"},
            r"cannot connect to /nonexistent as the role of `dbcredentials`: .*No such file or directory",
        ),
        ({"name": "not-there"}, r"not-there.* \(`name` is the database to connect to, `database` the one"),
        (
            {"ssl_mode": "verify-full", "host": "127.0.0.1", "port": 1},
            "cannot connect to 127.0.0.1 as the role",
        ),
        ({"owner": "not-there"}, 'the server says: role "not-there" does not exist'),
        ({"extensions": ["not-there"]}, 'the server says: extension "not-there" is not available'),
    ],
)
def test_what_goes_wrong_is_said(resource: Resource, changed: dict[str, Any], message: str) -> None:
    """The message begins with the resource, has the server's sentence, and knows no password."""
    resource.values |= changed
    with pytest.raises(DriverError, match=message) as caught:
        resource.create()
    assert str(caught.value).startswith("thing.default#modules.web.externals.it: ")
    assert PASSWORD not in repr(caught.value)
    assert caught.value.__cause__ is None
    assert "SCRAM" not in str(caught.value)
    if resource.cookie is not None:
        resource.delete()


def test_a_server_that_is_down_has_no_wrong_database(resource: Resource) -> None:
    """The meaning of `name` is no remedy for a refused connection."""
    resource.values |= {"host": "127.0.0.1", "port": 1, "name": "maintenance"}
    with pytest.raises(DriverError, match=r"cannot connect to 127\.0\.0\.1 as the role") as caught:
        resource.create()
    assert "`name` is the database" not in str(caught.value)


@pytest.mark.parametrize(
    ("user", "password", "message"),
    [
        ("admin", "wrong-password-of-admin", "password authentication failed"),
        ("kept_out", PASSWORD, "pg_hba.conf rejects connection"),
        (
            "nobody",
            PASSWORD,
            r"permission denied to create role.*\(the role of `dbcredentials` needs CREATEDB and CREATEROLE",
        ),
    ],
)
def test_credentials_that_do_not_do(resource: Resource, user: str, password: str, message: str) -> None:
    """The message says who, and not with which password."""
    resource.credentials = {"username": user, "password": password}
    with pytest.raises(DriverError, match=message) as caught:
        resource.create()
    assert password not in str(caught.value)


def test_new_credentials_are_taken_up(resource: Resource) -> None:
    """A deletion uses those of the last update."""
    resource.create()
    resource.credentials = {"username": "maker", "password": PASSWORD}
    resource.server.query(f"GRANT {resource.role} TO maker WITH ADMIN OPTION")
    assert resource.update().changed is False
    assert isinstance(resource.cookie, dict)
    assert resource.cookie["wanted"]["server"]["username"] == "maker"  # type: ignore[call-overload,index] # a mapping
    resource.delete()
    assert resource.exists() == (False, False)


def test_it_takes_no_longer_than_it_may(resource: Resource, server: Postgresql) -> None:
    """What the server is doing is cancelled, and the connection closed, without a collection of garbage.

    Here it is the login, for which a server waits a minute, and lets nobody drop a database meanwhile.
    """
    import psycopg

    resource.values["timeout_s"] = 0.5
    with psycopg.connect(host=str(server.socket_folder), user="postgres", dbname="postgres") as blocking:
        blocking.execute("LOCK pg_catalog.pg_authid IN ACCESS EXCLUSIVE MODE")
        open_before = len(list(Path("/proc/self/fd").iterdir()))
        gc.disable()
        try:
            with pytest.raises(DriverError, match=r"took longer than 0.5 s \(`timeout_s` is the limit\)"):
                resource.create()
            assert len(list(Path("/proc/self/fd").iterdir())) == open_before
        finally:
            gc.enable()
    assert resource.exists() == (False, False)


def test_one_works_on_a_resource_at_a_time(resource: Resource) -> None:
    """A server may still be at work for a client that was killed: nothing is read before that ends."""
    from ensue.deploy.drivers._postgres_inputs import wanted_of
    from ensue.deploy.drivers._postgres_server import connected, take_turn

    requested = wanted_of(resource.request())
    resource.values["timeout_s"] = 0.5

    async def scene() -> None:
        async with connected(requested.server) as killed:
            await take_turn(killed, requested)
            with pytest.raises(DriverError, match="took longer than"):
                await postgres.create(resource.request())

    asyncio.run(scene())
    assert resource.services.kept == []
    del resource.values["timeout_s"]
    resource.create(was_interrupted=True)
    resource.delete()


class Announcing(FakeDriverServices):
    """Says when something has been kept."""

    def __init__(self) -> None:
        super().__init__()
        self.has_kept = asyncio.Event()

    async def keep(self, cookie: DataMap) -> None:
        await super().keep(cookie)
        self.has_kept.set()


def test_cancelling_closes_the_connection(resource: Resource, server: Postgresql) -> None:
    """Nothing is left running on the server, and the next create finishes."""
    services = resource.services = Announcing()

    async def scene() -> None:
        running = asyncio.ensure_future(postgres.create(resource.request()))
        await services.has_kept.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scene())
    connected = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ensue' AND state = 'active'"
    assert server.query(connected) == ["0"]
    resource.cookie = services.kept[-1]
    resource.create(was_interrupted=True)
    resource.delete()


@pytest.mark.parametrize(
    ("fields", "sentences"),
    [
        (
            {"values": {}, "secrets": {}},
            [
                "values.host is missing (the name or address of the server)",
                "secrets.dbcredentials.username is missing (the role that creates the database)",
                "secrets.dbcredentials.password is missing (the role that creates the database)",
            ],
        ),
        (
            {"values": {"host": "h", "port": 0, "conection_limit": 5, "ssl_mode": "requir"}},
            [
                "values.port: it takes a port from 1 to 65535, not 0",
                "values.conection_limit: there is no such key: did you mean connection_limit?",
                (
                    "values.ssl_mode: it takes one of disable, allow, prefer, require, verify-ca, "
                    "verify-full, not 'requir' (did you mean require?)"
                ),
            ],
        ),
        (
            {"secrets": {"dbcredentials": {"username": "a", "password": 12345678}}},
            ["secrets.dbcredentials.password: it takes a text that is not empty"],
        ),
        (
            {"params": {"extensions": ["", 5]}},
            [
                "params.extensions.0: it takes a name of 1 to 63 bytes, as PostgreSQL does, not ''",
                "params.extensions.1: it takes a name of 1 to 63 bytes, as PostgreSQL does, not 5",
            ],
        ),
        ({"values": {"host": Unknown("${a}"), "port": Unknown("${a}"), "extensions": Unknown("${a}")}}, []),
        ({"values": Unknown("${a}"), "secrets": Unknown("${a}"), "params": Unknown("${a}")}, []),
        ({"values": {"host": "h", "port": "5432", "name": None}}, []),
        ({"secrets": {"dbcredentials": {"username": "a", "password": "b"}, "agent_url": "https://a"}}, []),
    ],
)
def test_inputs_are_checked(tmp_path: Path, fields: dict[str, Any], sentences: list[str]) -> None:
    """Every problem is reported; a value that is not known yet is none."""
    known: dict[str, Any] = {
        "values": {"host": "h"},
        "secrets": {"dbcredentials": {"username": "a", "password": "b"}},
    }
    assert postgres.check(driver_request(tmp_path, **known | fields)) == sentences


def test_a_plan_with_unknown_inputs_asks_no_server(resource: Resource) -> None:
    """It says what it waits for."""
    resource.values["host"] = Unknown("${resources.base-env.outputs.pghost}")
    planned = resource.plan()
    assert planned.comment == "would create a database once ${resources.base-env.outputs.pghost} is known"
    assert (planned.would_change, planned.outputs) == (True, None)


def test_without_psycopg_it_says_how_to_get_it(resource: Resource, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the command."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DriverError, match=r"needs psycopg: pip install 'ensue\[postgres\]'"):
        resource.create()


def test_nothing_is_deleted_that_was_never_begun(resource: Resource) -> None:
    """Without a cookie nothing was ever made."""
    resource.delete(was_interrupted=True)


def test_a_strange_cookie_is_refused(resource: Resource) -> None:
    """One of another driver, say; its content is not shown."""
    with pytest.raises(DriverError, match="is not one of the driver postgres"):
        resource.delete(cookie={"password": "somebody's"})


def test_urls_of_addresses() -> None:
    """An IPv6 address is in brackets; the mode of TLS is handed on."""
    from ensue.deploy.drivers._postgres_inputs import DatabaseServer

    server = DatabaseServer(
        host="::1",
        port=5433,
        maintenance="postgres",
        username="a",
        password="b",
        ssl_mode="require",
        connect_timeout_s=1,
        timeout_s=1,
        has_host_in_user=False,
    )
    url = postgres._url(server, "u@h", "p/w", "d b")
    assert url == f"postgresql://{quote('u@h')}:p%2Fw@[::1]:5433/d%20b?sslmode=require"


@pytest.mark.parametrize("user", ["admin", "maker"])
def test_a_new_password_on_request(tmp_path: Path, server: Postgresql, user: str) -> None:
    """The old one stops at once, connections stay; a plan says so, and knows no outputs."""
    import psycopg

    resource = Resource(tmp_path, server, user)
    made = resource.create()
    planned = resource.plan(rotates=True)
    assert (planned.comment, planned.outputs) == ("would set the password of its role", None)
    with log_in(made) as connection:
        rotated = resource.update(rotates=True)
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert (rotated.changed, rotated.comment) == (True, "set the password of its role")
    assert rotated.values == made.values
    assert rotated.secrets["password"] != made.secrets["password"]
    log_in(rotated).close()
    with pytest.raises(psycopg.OperationalError):
        log_in(made)
    assert resource.update().changed is False
    assert str(rotated.secrets["password"]) not in server.log
    resource.delete()


def test_a_new_password_that_was_kept_and_not_yet_set(
    resource: Resource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in between, the next update sets the one that was kept."""
    resource.create()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(postgres, "role_steps", killed)
        with pytest.raises(KeyboardInterrupt):
            resource.update(rotates=True)
    kept = resource.services.kept[-1]["password"]
    done = resource.update(was_interrupted=True)
    assert done.secrets["password"] == kept
    log_in(done).close()
    resource.delete()
