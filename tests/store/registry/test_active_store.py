"""Active resources in the store: on SQLite and in a PostgreSQL server, sealed, upgraded, written together."""

from __future__ import annotations

import asyncio
import base64
import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.postgresql import programs, running_postgresql

from ensue.core.contracts.driver import NEW_STORE
from ensue.core.errors import LockHeldError, StoreError, TamperedError, WrongKeyError
from ensue.core.model.srn import Srn
from ensue.deploy.provisioning.active import ActiveResource
from ensue.deploy.provisioning.identity import Context, ResourceKey
from ensue.store.registry.active_store import MOST_PENDING, ActiveResourceStore
from ensue.store.registry.schema import open_url
from ensue.store.registry.store import CrossRunStore
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ensue.store.registry.tables import StoredEntries

    from .conftest import Clock, MakeRegistry

DEV = Context(app="shop", env="dev", env_type="development")
SECRET = "hunter2-secret"
KEYS = [base64.b64encode(bytes([n]) * 32).decode() for n in range(3)]


class MakeStore(Protocol):
    def __call__(self, key: str = ...) -> ActiveResourceStore: ...


class CountingStore(CrossRunStore):
    """A store that counts its transactions."""

    transactions = 0

    @contextmanager
    def transaction(self) -> Iterator[StoredEntries]:
        self.transactions += 1
        with super().transaction() as entries:
            yield entries


def resource(name: str = "db", **fields: Any) -> ActiveResource:
    """Return a resource with something in every field."""
    known: dict[str, Any] = {
        "key": ResourceKey("postgres", "default", f"shared.{name}"),
        "env_type": "development",
        "definition": "pg",
        "definition_digest": "abc",
        "driver": "humanitec/postgres",
        "phase": "active",
        "inputs_mark": "k1:f00",
        "outputs": {"host": "h", "password": SECRET, "ports": [1, 2.5, None, True, b"\xff"]},
        "secret_paths": (("password",), ("ports", 1)),
        "manifests": {"a.yaml": {"location": "namespace", "data": {"kind": "Secret"}}},
        "cookie": {"database": "shop", "password": SECRET},
        "registers": {"ssh_host:db": {"host": "10.0.0.1"}},
        "depends_on": (ResourceKey("base-env", "default", "base-env"),),
        **fields,
    }
    return ActiveResource(**known)


@pytest.fixture(scope="module")
def server_url() -> Iterator[str | None]:
    """A database of a real server, whose order of text is that of a dictionary."""
    if programs() is None:
        yield None
        return
    with running_postgresql() as server:
        server.query("CREATE DATABASE en TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'")
        yield f"postgresql+psycopg://{server.user}@/en?host={server.socket_folder}"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, server_url: str | None) -> str | None:
    """Where the store is; None is the file below the cachedir."""
    if request.param == "sqlite":
        return None
    if server_url is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    return server_url


@pytest.fixture
def database(url: str | None, cachedir: Path) -> Iterator[CountingStore]:
    """The store itself, empty at the end."""
    store = CountingStore(cachedir, url=url)
    yield store
    if url is not None:
        with store.transaction() as entries:
            entries.active.remove([name for name, _ in entries.active.all()])
    store.close()


@pytest.fixture
def make_store(database: CountingStore, cachedir: Path, clock: Clock) -> MakeStore:
    """Return active resources on that store, each with a vault as a process of its own has it."""

    def make(key: str = KEYS[0]) -> ActiveResourceStore:
        vault = ProjectVault.of_project(cachedir, environment={"ENSUE_KEY": key})
        return ActiveResourceStore(database, vault=vault, clock=clock)

    return make


def written(store: ActiveResourceStore, *resources: ActiveResource, context: Context = DEV) -> None:
    for resource in resources:
        store.put(context, resource)
    asyncio.run(store.flush())


def test_another_process_reads_what_was_kept(make_store: MakeStore) -> None:
    """Every field comes back as it was, of its own environment only."""
    store = make_store()
    assert store.load(DEV) == {}
    first, second = resource("a"), resource("b", cookie=None, phase="creating", outputs={}, secret_paths=())
    written(store, first, second)
    written(store, resource("other"), context=Context(app="shop", env="prod", env_type="production"))
    written(store, resource("org"), context=msgspec.structs.replace(DEV, org="acme"))
    assert make_store().load(DEV) == {first.key: first, second.key: second}
    assert sorted(str(context.env) for context, _ in make_store().all()) == ["dev", "dev", "dev", "prod"]


def test_what_a_record_does_not_say_holds_nothing_back(make_store: MakeStore) -> None:
    """A record without it is neither protected, nor left by a removal, nor waited for."""
    written(make_store(), resource())
    (record,) = make_store().load(DEV).values()
    assert (record.protect, record.is_retained, record.awaits_ready) == (False, False, False)


def test_a_resource_is_replaced_and_removed(make_store: MakeStore) -> None:
    """The last record of a resource counts; removing one that is not there is no error."""
    store = make_store()
    written(store, resource(phase="creating"))
    written(store, resource(phase="active"))
    assert [kept.phase for kept in make_store().load(DEV).values()] == ["active"]
    store.put(DEV, resource(phase="deleting"))
    store.remove(DEV, resource().key)
    store.remove(DEV, resource("never").key)
    asyncio.run(store.flush())
    assert make_store().load(DEV) == {}


def test_no_secret_is_in_the_clear(
    make_store: MakeStore, database: CountingStore, url: str | None, cachedir: Path
) -> None:
    """Outputs and cookies are sealed."""
    store = make_store()
    written(store, resource())
    with database.reading() as entries:
        rows = list(entries.active.all())
    assert len(rows) == 1
    assert SECRET.encode() not in rows[0][1]
    if url is None:
        database.close()
        assert not [path for path in cachedir.iterdir() if SECRET.encode() in path.read_bytes()]


def test_a_wrong_key_opens_nothing(make_store: MakeStore) -> None:
    """The records stay, and the right key reads them."""
    written(make_store(), resource())
    for use in (lambda: make_store(KEYS[1]).load(DEV), lambda: list(make_store(KEYS[1]).all())):
        with pytest.raises(WrongKeyError):
            use()
    with pytest.raises(WrongKeyError):
        make_store(KEYS[1]).reseal()
    assert make_store().load(DEV) == {resource().key: resource()}


def test_resealing_gives_up_the_old_key(make_store: MakeStore) -> None:
    """After a rotation the new key alone reads everything, and the count says how many there were."""
    store = make_store()
    assert store.reseal() == 0
    written(store, *(resource(f"r{n}") for n in range(5)))
    assert make_store(f"{KEYS[1]},{KEYS[0]}").reseal() == 5
    assert len(make_store(KEYS[1]).load(DEV)) == 5
    with pytest.raises(WrongKeyError):
        make_store(KEYS[0]).load(DEV)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: content[:20],
        lambda _: b"",
        lambda _: b"\x01" + b"nonsense" * 9,
    ],
)
def test_a_row_that_was_changed_is_refused(
    make_store: MakeStore, database: CountingStore, change: Callable[[bytes], bytes]
) -> None:
    """One bit is enough; the message names the resource."""
    written(make_store(), resource("a"), resource("b"))
    _rewritten(database, lambda name, content: change(content) if "shared.a" in name else content)
    with pytest.raises(StoreError, match=r"shared\.a of shop/dev"):
        make_store().load(DEV)


def test_rows_cannot_change_places(make_store: MakeStore, database: CountingStore) -> None:
    """The content of one resource is refused under the name of another one."""
    written(make_store(), resource("a"), resource("b"))
    with database.reading() as entries:
        contents = {name.resource: content for name, content in entries.active.all()}
    swapped = dict(zip(contents, reversed(contents.values()), strict=True))
    _rewritten(database, lambda name, _: swapped[name])
    with pytest.raises(TamperedError):
        make_store().load(DEV)


def test_a_store_has_one_id(make_store: MakeStore) -> None:
    """It is made when it is first needed, and is the same for every process and key; a plan makes none."""
    first, second = make_store(), make_store()
    assert [first.owner(is_kept=False), second.owner(is_kept=False)] == [NEW_STORE] * 2
    owner = first.owner(is_kept=True)
    assert len(owner) == 16
    assert [store.owner(is_kept=kept) for store in (first, second) for kept in (True, False)] == [owner] * 4


def test_a_plan_makes_no_store(cachedir: Path) -> None:
    """A store that is not there has no id yet, and nothing is written."""
    vault = ProjectVault.of_project(cachedir, environment={"ENSUE_KEY": KEYS[0]})
    store = ActiveResourceStore(CrossRunStore(cachedir), vault=vault)
    assert store.owner(is_kept=False) == NEW_STORE
    assert not (cachedir / "store.db").exists()


def test_what_cannot_be_written_waits(cachedir: Path) -> None:
    """A failed flush keeps all of it for the next one, and what came later wins."""
    (cachedir / "store.db").mkdir(parents=True)
    vault = ProjectVault.of_project(cachedir, environment={"ENSUE_KEY": KEYS[0]})
    store = ActiveResourceStore(CrossRunStore(cachedir), vault=vault)
    store.put(DEV, resource("a", phase="creating"))
    store.put(DEV, resource("b"))
    with pytest.raises(StoreError):
        asyncio.run(store.flush())
    store.put(DEV, resource("a", phase="active"))
    (cachedir / "store.db").rmdir()
    asyncio.run(store.flush())
    phases = {kept.key.id: kept.phase for kept in store.load(DEV).values()}
    assert phases == {"shared.a": "active", "shared.b": "active"}
    store.close()


def test_many_flushes_are_one_transaction(make_store: MakeStore, database: CountingStore) -> None:
    """Those that come while others are written are written together; each returns when its own is durable."""
    store, reader = make_store(), make_store()
    written(store, resource())
    before = database.transactions

    async def one(number: int) -> None:
        put = resource(f"r{number}")
        store.put(DEV, put)
        await store.flush()
        assert put.key in reader.load(DEV)

    async def all_() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(60):
                group.create_task(one(number))

    asyncio.run(all_())
    assert len(reader.load(DEV)) == 61
    assert database.transactions - before <= 3


def test_a_cancelled_flush_loses_nothing(make_store: MakeStore) -> None:
    """A second interrupt during the last write leaves a record that is whole."""
    store = make_store()

    async def cancelled() -> None:
        store.put(DEV, resource())
        task = asyncio.create_task(store.flush())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await store.flush()

    asyncio.run(cancelled())
    assert make_store().load(DEV) == {resource().key: resource()}


def test_a_full_queue_is_written(make_store: MakeStore) -> None:
    """Records that nobody waits for are written once there are many of them."""
    store = make_store()
    for number in range(MOST_PENDING - 1):
        store.put(DEV, resource(f"r{number}"))
    asyncio.run(store.flush_when_full())
    assert make_store().load(DEV) == {}
    store.put(DEV, resource("last"))
    asyncio.run(store.flush_when_full())
    assert len(make_store().load(DEV)) == MOST_PENDING


@settings(max_examples=25)
@given(
    text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
)
def test_names_of_any_kind(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """An id of any characters is found again, and never in place of another one."""
    cachedir = tmp_path_factory.mktemp("names")
    vault = ProjectVault.of_project(cachedir, environment={"ENSUE_KEY": KEYS[0]})
    store = ActiveResourceStore(CrossRunStore(cachedir), vault=vault)
    context = Context(app=text, env=text, env_type="t")
    named = resource(key=ResourceKey(text, text, text))
    written(store, named, context=context)
    assert store.load(context) == {named.key: named}
    assert store.load(DEV) == ({named.key: named} if context == DEV else {})
    store.close()


@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_an_older_store_gets_the_tables(
    make_registry: MakeRegistry, cachedir: Path, clock: Clock, version: str
) -> None:
    """What was registered stays, and active resources and deployments can be kept."""
    host = Srn("ssh_host", "web-01")
    registry = make_registry(key=KEYS[0])
    registry.register(host, {"host": "10.0.0.1"})
    registry.close()
    with closing(sqlite3.connect(cachedir / "store.db")) as database, database:
        database.execute("DROP TABLE ensue_deployment")
        if version != "3":
            database.execute("DROP TABLE ensue_active")
        if version == "1":
            database.execute("ALTER TABLE ensue_resource DROP COLUMN orphaned")
            database.execute("ALTER TABLE ensue_resource DROP COLUMN declared_by")
        database.execute("UPDATE ensue_fact SET value = ? WHERE name = 'schema_version'", (version,))
    vault = ProjectVault.of_project(cachedir, environment={"ENSUE_KEY": KEYS[0]})
    stores = [ActiveResourceStore(CrossRunStore(cachedir), vault=vault, clock=clock) for _ in range(2)]
    assert [store.load(DEV) for store in stores] == [{}, {}]
    written(stores[0], resource())
    assert stores[1].load(DEV) == {resource().key: resource()}
    assert make_registry(key=KEYS[0]).get(host) == {"host": "10.0.0.1"}
    with closing(sqlite3.connect(cachedir / "store.db")) as database:
        assert database.execute("SELECT value FROM ensue_fact WHERE name = 'schema_version'").fetchone() == (
            "4",
        )
        assert database.execute("SELECT count(*) FROM ensue_deployment").fetchone() == (0,)
    for store in stores:
        store.close()


def test_a_project_without_a_store_gets_none_by_reading(cachedir: Path) -> None:
    """Loading and resealing make no file and no key."""
    vault = ProjectVault.of_project(cachedir, environment={})
    store = ActiveResourceStore(CrossRunStore(cachedir), vault=vault)
    assert (store.load(DEV), list(store.all()), store.reseal()) == ({}, [], 0)
    assert not cachedir.exists()


def _rewritten(database: CrossRunStore, change: Callable[[str, bytes], bytes]) -> None:
    """Put other contents into the rows, as somebody with access to the database can."""
    from ensue.store.registry.active_tables import ActiveRow

    with database.transaction() as entries:
        rows = [
            ActiveRow(name, "pg", "active", change(name.resource, content), 0.0)
            for name, content in list(entries.active.all())
        ]
        entries.active.write(rows)


class BusyLock:
    """The lock of an environment, which another process holds until this one waits for it."""

    def __init__(self, holder_pid: int) -> None:
        self.holder_pid = holder_pid
        self.waits: list[float | None] = []
        self.is_held = False

    async def take(self, *, command: str, wait_s: float | None = 0) -> None:
        assert command == "ensue deploy shop/dev"
        self.waits.append(wait_s)
        if len(self.waits) == 1:
            raise LockHeldError("another deployment", holder_pid=self.holder_pid)
        self.is_held = True

    def release(self) -> None:
        self.is_held = False


@pytest.mark.parametrize(
    ("is_own", "wait_s", "waits"),
    [(False, None, [0, None]), (False, 5.0, [0, 5.0]), (False, 0.0, [0]), (True, 5.0, [0])],
)
def test_a_deployment_of_another_process_is_waited_for(
    make_store: MakeStore,
    cachedir: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_s: float | None,
    waits: list[float | None],
    *,
    is_own: bool,
) -> None:
    """Up to the limit; one of this process is not waited for. The lock is held until the end of the block."""
    lock = BusyLock(os.getpid() if is_own else 0)
    store = make_store()
    monkeypatch.setattr(store, "lock", lambda _context, _cachedir: lock)

    async def deploy() -> bool:
        async with store.locked(DEV, cachedir, "deploy", wait_s):
            return lock.is_held

    if len(waits) == 1:
        with pytest.raises(LockHeldError):
            asyncio.run(deploy())
    else:
        assert asyncio.run(deploy())
    assert (lock.waits, lock.is_held) == (waits, False)


def test_a_server_gives_up_a_lock_as_the_file_does(server_url: str | None) -> None:
    """Each connection has the limit of a lock of the store's file."""
    if server_url is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    engine = open_url(server_url)
    try:
        with engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "1min"
    finally:
        engine.dispose()
