"""Records of active resources: waiting until they are durable, and how many are written at once."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import StoreError
from ensue.deploy.provisioning.active import ActiveResource
from ensue.deploy.provisioning.identity import Context, ResourceKey
from ensue.store.registry.active_store import ActiveResourceStore
from ensue.store.registry.store import CrossRunStore
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from ensue.deploy.provisioning.active import Phase
    from ensue.store.registry.tables import StoredEntries

CONTEXT = Context(app="shop", env="dev", env_type="development", org="")


class CountingStore(CrossRunStore):
    """A store that counts its transactions, and refuses as many as the test says."""

    count = 0
    refused = 0

    @contextmanager
    def transaction(self) -> Generator[StoredEntries]:
        """Yield the entries; see `CrossRunStore`."""
        self.count += 1
        if self.refused:
            self.refused -= 1
            raise StoreError("no space is left")
        with super().transaction() as entries:
            yield entries


def resource(number: int, phase: Phase) -> ActiveResource:
    """Return a record."""
    key = ResourceKey(type="box", class_="default", id=f"box-{number}")
    return ActiveResource(
        key=key, env_type="development", definition="d", definition_digest="", driver="d", phase=phase
    )


@pytest.fixture
def rows(cachedir: Path) -> CountingStore:
    """The database."""
    return CountingStore(cachedir)


@pytest.fixture
def active(rows: CountingStore, cachedir: Path) -> Generator[ActiveResourceStore]:
    """The records in it."""
    store = ActiveResourceStore(rows, vault=ProjectVault.of_project(cachedir, environment={}))
    yield store
    store.close()


def test_those_who_wait_at_the_same_time_are_written_together(
    active: ActiveResourceStore, rows: CountingStore
) -> None:
    """Twenty resources, noted before and after each of five calls, take few transactions."""

    async def provision(number: int) -> None:
        for _ in range(5):
            for phase in ("creating", "active"):
                active.put(CONTEXT, resource(number, phase))
                await active.flush()
                assert active.load(CONTEXT)[resource(number, phase).key].phase == phase

    async def provision_all() -> None:
        await asyncio.gather(*map(provision, range(20)))

    asyncio.run(provision_all())
    # The first record is written alone; 200 would be one transaction per record.
    assert rows.count <= 2 * (5 * 2 + 1)
    assert {kept.phase for kept in active.load(CONTEXT).values()} == {"active"}


def test_what_could_not_be_written_waits_for_the_next_flush(
    active: ActiveResourceStore, rows: CountingStore
) -> None:
    """Each caller whose record is not durable gets the error; the next flush writes all records."""
    rows.refused = 3

    async def keep(number: int) -> None:
        active.put(CONTEXT, resource(number, "active"))
        await active.flush()

    async def keep_all() -> list[BaseException | None]:
        failed = await asyncio.gather(*map(keep, range(3)), return_exceptions=True)
        await active.flush()
        return failed

    failed = asyncio.run(keep_all())
    assert all(isinstance(failure, StoreError) for failure in failed)
    assert len(active.load(CONTEXT)) == 3


def test_nothing_is_written_when_there_is_nothing_to_write(
    active: ActiveResourceStore, rows: CountingStore
) -> None:
    """A flush without changes, or after one that wrote them, opens no transaction."""

    async def flush_often() -> None:
        await active.flush()
        active.put(CONTEXT, resource(1, "active"))
        active.remove(CONTEXT, resource(2, "active").key)
        for _ in range(3):
            await active.flush()

    asyncio.run(flush_often())
    assert rows.count == 1
