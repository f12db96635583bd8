"""The enforced states of a run are written in a thread, while the run goes on."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from ensue.core.masking import Masker
from ensue.core.model.report import RunReport
from ensue.core.model.returns import Return
from ensue.core.model.srn import Srn
from ensue.store.registry.enforced import MOST_PENDING, EnforcedStore
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.store_thread import StoreThread
from ensue.store.registry.vault import ProjectVault
from ensue.store.runs.enforcement import Enforcement

if TYPE_CHECKING:
    from pathlib import Path

MINION = Srn("minion", "m")
REPORT = RunReport(
    run_id="run",
    minion_id="m",
    test=False,
    status="succeeded",
    exit_code=0,
    returns={},
    not_run=(),
    warnings=(),
    duration_s=0.0,
)


def store_in(cachedir: Path) -> EnforcedStore:
    vault = ProjectVault.of_project(cachedir, environment={})
    return EnforcedStore(cachedir, vault=vault, masker=Masker(), waits=LockWaits())


def returned(number: int) -> Return:
    return Return(
        tag=f"cloud_|-vm{number}_|-vm{number}_|-present",
        id=f"vm{number}",
        name=f"vm{number}",
        sls="s",
        module="cloud",
        function="present",
        scope="",
        target=str(MINION),
        result=True,
        changes={},
        comment="",
        new_state={"n": number},
    )


def kept(cachedir: Path) -> int:
    """Return how many states are kept."""
    with closing(store_in(cachedir)) as store:
        return len(list(store.shown()))


def test_a_large_run_is_written_in_parts(tmp_path: Path) -> None:
    """What a killed apply loses is bounded; nothing is lost at the end."""

    async def run() -> tuple[int, RunReport]:
        thread = StoreThread()
        with closing(store_in(tmp_path)) as store:
            async with Enforcement(store, thread, "run", test=False) as enforcement:
                for number in range(MOST_PENDING + 1):
                    enforcement.see(returned(number))
                # The thread does this after its earlier tasks.
                there = await thread.run(lambda: kept(tmp_path))
                return there, await enforcement.end(REPORT)

    there, report = asyncio.run(run())
    assert there >= MOST_PENDING
    assert (report.exit_code, report.warnings) == (0, ())
    assert kept(tmp_path) == MOST_PENDING + 1


def test_a_run_goes_on_while_the_file_is_locked(tmp_path: Path) -> None:
    """The event loop waits for no lock; a cancelled end writes nothing, warns, and counts as interrupted."""
    with closing(store_in(tmp_path)) as store:
        store.note(returned(0))
        store.flush()

    async def run() -> RunReport:
        with closing(store_in(tmp_path)) as store:
            async with Enforcement(store, StoreThread(), "run", test=False) as enforcement:
                for number in range(3 * MOST_PENDING):
                    enforcement.see(returned(number))
                ending = asyncio.ensure_future(enforcement.end(REPORT))
                await asyncio.sleep(0)
                ending.cancel()
                return await ending

    with closing(sqlite3.connect(tmp_path / "enforced.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        report = asyncio.run(run())
    assert (report.exit_code, report.status) == (130, "interrupted")
    [warning] = report.warnings
    assert warning.code == "E0105"
    assert "another process has it locked" in warning.summary
    assert kept(tmp_path) == 1


def test_a_run_sees_what_earlier_runs_enforced(tmp_path: Path) -> None:
    """Lookups during a run read no file, so that another process cannot hold them up, nor change them."""
    with closing(store_in(tmp_path)) as store:
        store.note(returned(0))
        store.flush()

    async def run() -> tuple[int, int]:
        with closing(store_in(tmp_path)) as store:
            async with Enforcement(store, StoreThread(), "run", test=False):
                with closing(store_in(tmp_path)) as other:
                    other.note(returned(1))
                    other.flush()
                during = len(store.find(MINION, "", "cloud", "vm1"))
                (tmp_path / "enforced.db").rename(tmp_path / "elsewhere.db")
                during += len(store.find(MINION, "", "cloud", "vm0"))
                (tmp_path / "elsewhere.db").rename(tmp_path / "enforced.db")
            return during, len(store.find(MINION, "", "cloud", "vm1"))

    assert asyncio.run(run()) == (1, 1)


def test_a_run_sees_what_it_has_enforced_itself(tmp_path: Path) -> None:
    """An entry of this run is found before it is written, and after that."""

    async def run() -> int:
        with closing(store_in(tmp_path)) as store:
            async with Enforcement(store, StoreThread(), "run", test=False):
                made = returned(0)
                store.note(made)
                states = [store.of_state(made.identity)]
                store.flush()
                states += [store.of_state(made.identity), *store.find(MINION, "", "cloud", "vm0")]
            return sum(state is not None for state in states)

    assert asyncio.run(run()) == 3
