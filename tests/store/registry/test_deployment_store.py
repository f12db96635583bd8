"""Deployments in the store: on SQLite and in a PostgreSQL server, sealed, bounded, one after the other."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import pytest
from tests.support.postgresql import programs, running_postgresql

from ensue.core.errors import StoreError, TamperedError, WrongKeyError
from ensue.deploy.provisioning.deployment_records import KEPT_DEPLOYMENTS, DeploymentRecord, KeptDeployment
from ensue.deploy.provisioning.environment_sets import SetDocument, deployment_set
from ensue.deploy.provisioning.identity import Context
from ensue.deploy.provisioning.score_containers import ContainerSourceFile
from ensue.store.registry.deployment_store import DeploymentStore
from ensue.store.registry.deployment_tables import DeploymentName
from ensue.store.registry.store import CrossRunStore
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEV = Context(app="shop", env="dev", env_type="development")
OTHERS = [
    Context(app="shop", env="prod", env_type="production"),
    Context(app="shop", env="dev", env_type="development", org="acme"),
]
SECRET = "hunter2-secret"
KEYS = [base64.b64encode(bytes([n]) * 32).decode() for n in range(2)]


class MakeStore(Protocol):
    def __call__(self, key: str = ...) -> DeploymentStore: ...


def deployment(number: int = 1, **fields: Any) -> KeptDeployment:
    """Return a deployment with something in every field."""
    record = DeploymentRecord(
        number=number,
        env_type="development",
        started_at_s=1_800_000_000.5,
        by="bob@m1",
        command="merge",
        files=("web.yaml",),
        definitions={"pg": "abc"},
        graph="f00",
        **fields,
    )
    document = SetDocument(
        path="web.yaml",
        text=f"password: {SECRET}",
        first_line=3,
        workloads={"web": "nginx", "api": ""},
        shared=("dns",),
        sources={"motd": ContainerSourceFile("web/motd", b"\xff\x00")},
        since=number,
    )
    values = {"TIER": SECRET, "ports": [1, 2.5, None, True], "odd": [10**40, "half \ud800"]}
    return KeptDeployment(record, deployment_set([document], values, [SECRET]))


@pytest.fixture(scope="module")
def server_url() -> Iterator[str | None]:
    if programs() is None:
        yield None
        return
    with running_postgresql() as server:
        yield f"postgresql+psycopg://{server.user}@/postgres?host={server.socket_folder}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(
    request: pytest.FixtureRequest, cachedir: Path, server_url: str | None
) -> Iterator[CrossRunStore]:
    """The store itself, empty at the end."""
    if request.param == "postgresql" and server_url is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    store = CrossRunStore(cachedir, url=server_url if request.param == "postgresql" else None)
    yield store
    with store.transaction() as entries:
        for name in list(entries.deployments.names()):
            entries.deployments.remove_older(name)
    store.close()


@pytest.fixture
def make_store(database: CrossRunStore, cachedir: Path) -> MakeStore:
    """Return the deployments of that store, each with a vault as a process of its own has it."""

    def make(key: str = KEYS[0]) -> DeploymentStore:
        return DeploymentStore(
            database, vault=ProjectVault.of_project(cachedir, environment={"ENSUE_KEY": key})
        )

    return make


def test_another_process_reads_the_newest(make_store: MakeStore) -> None:
    """Every field comes back as it was, of its own environment only."""
    assert make_store().newest(DEV) is None
    make_store().begin(DEV, deployment(1))
    make_store().begin(DEV, deployment(2, statuses={"created": 3}))
    assert make_store().newest(DEV) == deployment(2, statuses={"created": 3})
    assert [make_store().newest(context) for context in OTHERS] == [None, None]


def test_the_end_of_a_deployment(make_store: MakeStore) -> None:
    """Its record changes, its set stays."""
    begun = deployment()
    make_store().begin(DEV, begun)
    ended = msgspec.structs.replace(begun.record, result="failed", ended_at_s=1.0, statuses={"failed": 1})
    make_store().end(DEV, ended)
    assert make_store().newest(DEV) == KeptDeployment(ended, begun.set)


def test_of_two_that_begin_at_once_one_is_refused(make_store: MakeStore) -> None:
    """Both have read the same set, and the second one would undo what the first one deploys."""
    make_store().begin(DEV, deployment(1))
    with pytest.raises(
        StoreError, match=r"shop/dev was deployed meanwhile, by deployment 1 \(deploy again\)"
    ):
        make_store().begin(DEV, deployment(1))
    make_store().begin(OTHERS[0], deployment(1))


def test_the_newest_ones_are_kept(make_store: MakeStore, database: CrossRunStore) -> None:
    """The oldest one is forgotten where there would be more; other environments are left alone."""
    make_store().begin(OTHERS[0], deployment(1))
    for number in range(1, KEPT_DEPLOYMENTS + 3):
        make_store().begin(DEV, deployment(number))
    with database.reading() as entries:
        names = list(entries.deployments.names())
    assert [name.number for name in names if name.env == "dev"] == list(range(3, KEPT_DEPLOYMENTS + 3))
    assert [name.number for name in names if name.env == "prod"] == [1]


def test_nothing_is_in_the_clear(make_store: MakeStore, database: CrossRunStore) -> None:
    """Neither the record nor the set."""
    make_store().begin(DEV, deployment())
    with database.reading() as entries:
        row = entries.deployments.find(DeploymentName("", "shop", "dev", 1))
    assert row is not None
    assert not any(text in column for column in row for text in (SECRET.encode(), b"web.yaml", b"bob"))


def test_a_wrong_key_opens_nothing(make_store: MakeStore) -> None:
    """The message names the deployment; the right key reads it."""
    make_store().begin(DEV, deployment())
    with pytest.raises(WrongKeyError, match="deployment 1 of shop/dev"):
        make_store(KEYS[1]).newest(DEV)
    with pytest.raises(WrongKeyError):
        make_store(KEYS[1]).reseal()
    assert make_store().newest(DEV) == deployment()


def test_resealing_gives_up_the_old_key(make_store: MakeStore) -> None:
    """After a rotation the new key alone reads everything."""
    assert make_store().reseal() == 0
    make_store().begin(DEV, deployment(1))
    make_store().begin(OTHERS[1], deployment(1))
    assert make_store(f"{KEYS[1]},{KEYS[0]}").reseal() == 2
    assert make_store(KEYS[1]).newest(DEV) == deployment(1)
    with pytest.raises(WrongKeyError):
        make_store(KEYS[0]).newest(OTHERS[1])


def test_rows_cannot_change_places(make_store: MakeStore, database: CrossRunStore) -> None:
    """The set of one deployment, or organization, is refused in the place of another."""
    make_store().begin(DEV, deployment(1))
    make_store().begin(OTHERS[1], deployment(1))
    names = [DeploymentName(org, "shop", "dev", 1) for org in ("", "acme")]
    with database.transaction() as entries:
        rows = [entries.deployments.find(name) for name in names]
        for name, row in zip(names, reversed(rows), strict=True):
            assert row is not None
            entries.deployments.change(name, record=row[0], content=row[1])
    for context in (DEV, OTHERS[1]):
        with pytest.raises(TamperedError):
            make_store().newest(context)


def test_a_project_without_a_store_gets_none_by_reading(cachedir: Path) -> None:
    """Reading and resealing make no file and no key."""
    store = DeploymentStore(CrossRunStore(cachedir), vault=ProjectVault.of_project(cachedir, environment={}))
    assert (store.newest(DEV), store.reseal()) == (None, 0)
    assert not cachedir.exists()


def test_what_cannot_be_stored_is_refused(make_store: MakeStore) -> None:
    """Half of a surrogate pair in an image; nothing is written."""
    kept = deployment()
    document = msgspec.structs.replace(kept.set.documents[0], workloads={"web": "\ud800"})
    with pytest.raises(StoreError, match="the set of the deployment 1 of shop/dev cannot be stored"):
        make_store().begin(DEV, KeptDeployment(kept.record, deployment_set([document], {}, [])))
    assert make_store().newest(DEV) is None
