"""`ensue fleet sync`: minions with another Python are asked again once there is an archive for it."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.model.fleet import FleetOrder, FleetReport, MinionReport
from ensue.salt.fleet import synced as module
from ensue.salt.fleet.other_pythons import NoWheelsError, OtherPython
from ensue.salt.fleet.synced import synced

if TYPE_CHECKING:
    from ensue.core.contracts.fleet_watcher import FleetWatcher
    from ensue.salt.fleet.shipped_files import ShippedFiles

OTHER = "cpython-319-x86_64-linux-gnu"
LACKS = MinionReport(id="odd1", problem="no ensue", ok=False, status={"abi": OTHER, "libc": "glibc 2.36"})
GOOD = MinionReport(id="web1", status={"abi": module.abi()})


class Fleet:
    """A fleet whose minions answer from a list; it records its orders and the shown reports."""

    def __init__(self, *answers: tuple[MinionReport, ...]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.shown: list[str] = []

    def of_minion(self, minion: str, event: Any) -> None:
        assert minion
        assert event

    def ended(self, report: MinionReport) -> None:
        self.shown.append(f"{report.id}: {report.problem}")

    async def carry_out(self, order: FleetOrder, watcher: FleetWatcher) -> FleetReport:
        self.asked.append(order.tgt)
        minions = self.answers.pop(0)
        for minion in minions:
            watcher.ended(minion)
        is_good = all(minion.ok for minion in minions)
        return FleetReport(
            run_id="r",
            test=False,
            status="succeeded" if is_good else "failed",
            exit_code=0 if is_good else 2,
            minions=minions,
        )

    def sync(self) -> FleetReport:
        order = FleetOrder(verb="sync", tgt="*", timeout_s=1)
        settings: Any = SimpleNamespace()
        return asyncio.run(synced(settings, order, self, self.carry_out))


@pytest.fixture
def fetched(shipped: ShippedFiles, monkeypatch: pytest.MonkeyPatch) -> list[OtherPython]:
    """The Pythons that an archive was made for; there is a master, and pip has wheels."""
    made: list[OtherPython] = []

    def fetch(files: ShippedFiles, python: OtherPython) -> str:
        assert files is shipped
        made.append(python)
        return ""

    monkeypatch.setattr(module, "master_config", lambda _: "")
    master = SimpleNamespace(shipped_files=lambda _: nullcontext(shipped))
    monkeypatch.setattr(module, "SaltMaster", lambda _: master)
    monkeypatch.setattr(module, "fetch_program", fetch)
    return made


def test_a_minion_with_another_python_is_asked_again(fetched: list[OtherPython]) -> None:
    """The archive is made once per Python; the first refusal is not shown, and the command succeeds."""
    other = MinionReport(id="odd2", problem="no ensue", ok=False, status=dict(LACKS.status))
    done = tuple(MinionReport(id=id_, status={"abi": OTHER}) for id_ in ("odd1", "odd2"))
    fleet = Fleet((LACKS, other, GOOD), done)
    report = fleet.sync()
    assert fetched == [OtherPython(OTHER, "glibc 2.36")]
    assert fleet.asked == ["*", "L@odd1,odd2"]
    assert fleet.shown == ["web1: ", "odd1: ", "odd2: "]
    assert (report.status, report.exit_code, report.minions) == ("succeeded", 0, (*done, GOOD))


def test_a_minion_without_wheels_says_why(
    fetched: list[OtherPython], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No minion is asked again, and the reason is in its report."""

    def fetch(_: ShippedFiles, python: OtherPython) -> str:
        raise NoWheelsError(f"nothing for {python.abi}")

    monkeypatch.setattr(module, "fetch_program", fetch)
    fleet = Fleet((LACKS, GOOD))
    report = fleet.sync()
    assert fetched == []
    assert fleet.asked == ["*"]
    assert fleet.shown == ["web1: ", f"odd1: no ensue: nothing for {OTHER}"]
    assert (report.exit_code, report.minions[0].problem) == (2, f"no ensue: nothing for {OTHER}")


def test_minions_like_the_coordinator_are_asked_once(fetched: list[OtherPython]) -> None:
    """Only a minion with another Python is asked again; any other problem is reported."""
    full = MinionReport(id="web2", problem="disk full", ok=False, status={"abi": module.abi()})
    fleet = Fleet((GOOD, full))
    assert fleet.sync().exit_code == 2
    assert (fleet.asked, fetched) == (["*"], [])
