"""`ensue fleet sync`: ships ensue to minions, and fetches it for those with another Python."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.salt.fleet.batches import master_config
from ensue.salt.fleet.bundle import abi
from ensue.salt.fleet.master import SaltMaster
from ensue.salt.fleet.other_pythons import NoWheelsError, OtherPython, fetch_program, programs_there
from ensue.store.runs.journal import new_run_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ensue.core.contracts.fleet_watcher import FleetWatcher
    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import FleetOrder, FleetReport, MinionReport
    from ensue.language.settings.settings import Settings
    from ensue.salt.fleet.shipped_files import ShippedFiles


async def synced(
    settings: Settings,
    order: FleetOrder,
    watcher: FleetWatcher,
    carry_out: Callable[[FleetOrder, FleetWatcher], Awaitable[FleetReport]],
) -> FleetReport:
    """Ship ensue to minions; return their reports.

    Those for which there is no archive yet are asked once more, with an archive made of wheels.

    Args:
        settings: the options of the project on the master.
        order: the order, whose verb is `sync`.
        watcher: sees what happens.
        carry_out: carries out an order.

    Raises:
        ConfigurationError: Salt's master cannot be used, or nothing can be shipped.
        OSError: an archive cannot be written.
    """
    report = await carry_out(order, _FirstAsked(watcher))
    problems = await asyncio.to_thread(_fetched, settings, report)
    mended = [id_ for id_, problem in problems.items() if not problem]
    again = {id_: _failed(report, id_, problem) for id_, problem in problems.items() if problem}
    for item in again.values():
        watcher.ended(item)
    if mended:
        asked = msgspec.structs.replace(order, tgt=f"L@{','.join(mended)}")
        again |= {minion.id: minion for minion in (await carry_out(asked, watcher)).minions}
    minions = tuple(again.get(minion.id, minion) for minion in report.minions)
    is_whole = report.status == "failed" and not report.not_asked and all(minion.ok for minion in minions)
    if not is_whole:
        return msgspec.structs.replace(report, minions=minions)
    return msgspec.structs.replace(report, minions=minions, status="succeeded", exit_code=0)


class _FirstAsked:
    """A `FleetWatcher` that does not show the end of minions that lack an archive: they are asked again."""

    def __init__(self, watcher: FleetWatcher) -> None:
        self._watcher = watcher

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Show an event."""
        self._watcher.of_minion(minion, event)

    def ended(self, report: MinionReport) -> None:
        """Show the end of a minion, unless it lacks an archive."""
        if not _lacks(report):
            self._watcher.ended(report)


def _fetched(settings: Settings, report: FleetReport) -> dict[str, str]:
    """Fetch ensue for the Pythons that lack it; return the minions with them, and why each still lacks it."""
    lacking = {minion.id: _python(minion.status) for minion in report.minions if _lacks(minion)}
    if not lacking:
        return {}
    with SaltMaster(master_config(settings)).shipped_files(new_run_id(datetime.now(UTC))) as shipped:
        there = programs_there(shipped)
        missing = dict.fromkeys(python for python in lacking.values() if python.abi not in there)
        problems = {
            **dict.fromkeys(lacking.values(), ""),
            **{other_python: _problem(shipped, other_python) for other_python in missing},
        }
    return {id_: problems[python] for id_, python in lacking.items()}


def _lacks(report: MinionReport) -> bool:
    return bool(report.problem) and report.status.get("abi") not in (None, abi())


def _python(status: Mapping[str, Any]) -> OtherPython:
    return OtherPython(str(status["abi"]), str(status.get("libc", "")))


def _problem(shipped: ShippedFiles, python: OtherPython) -> str:
    try:
        fetch_program(shipped, python)
    except NoWheelsError as error:
        return str(error)
    return ""


def _failed(report: FleetReport, id_: str, problem: str) -> MinionReport:
    minion = next(minion_ for minion_ in report.minions if minion_.id == id_)
    return msgspec.structs.replace(minion, problem=f"{minion.problem}: {problem}")
