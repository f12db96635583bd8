"""`ensue fleet sync`: ships ensue to minions, and fetches it for those with another Python."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.salt.fleet.batches import master_config
from ensue.salt.fleet.bundle import abi
from ensue.salt.fleet.master import SaltMaster
from ensue.salt.fleet.other_pythons import NoWheelsError, OtherPython, fetch_program, programs_there

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from ensue.core.model.fleet import FleetOrder, FleetReport, MinionReport
    from ensue.language.settings.settings import Settings


async def synced(
    settings: Settings, order: FleetOrder, carry_out: Callable[[FleetOrder], Awaitable[FleetReport]]
) -> FleetReport:
    """Ship ensue to minions; return their reports.

    Those for which there is no archive yet are asked once more, with an archive made of wheels.

    Args:
        settings: the options of the project on the master.
        order: the order, whose verb is `sync`.
        carry_out: carries out an order.

    Raises:
        ConfigurationError: Salt's master cannot be used, or nothing can be shipped.
        OSError: an archive cannot be written.
    """
    report = await carry_out(order)
    problems = await asyncio.to_thread(_fetched, settings, report)
    mended = [id_ for id_, problem in problems.items() if not problem]
    again = {id_: _failed(report, id_, problem) for id_, problem in problems.items() if problem}
    if mended:
        asked = msgspec.structs.replace(order, tgt=f"L@{','.join(mended)}")
        again |= {one.id: one for one in (await carry_out(asked)).minions}
    minions = tuple(again.get(one.id, one) for one in report.minions)
    is_whole = report.status == "failed" and not report.not_asked and all(one.ok for one in minions)
    if not is_whole:
        return msgspec.structs.replace(report, minions=minions)
    return msgspec.structs.replace(report, minions=minions, status="succeeded", exit_code=0)


def _fetched(settings: Settings, report: FleetReport) -> dict[str, str]:
    """Fetch ensue for the Pythons that lack it; return the minions with them, and why each still lacks it."""
    lacking = {one.id: _python(one.status) for one in report.minions if _lacks(one)}
    if not lacking:
        return {}
    folder = SaltMaster(master_config(settings)).shipping_folder()
    there = programs_there(folder)
    lacking = {id_: python for id_, python in lacking.items() if python.abi not in there}
    problems = {python: _problem(folder, python) for python in dict.fromkeys(lacking.values())}
    return {id_: problems[python] for id_, python in lacking.items()}


def _lacks(one: MinionReport) -> bool:
    return bool(one.problem) and one.status.get("abi") not in (None, abi())


def _python(status: Mapping[str, Any]) -> OtherPython:
    return OtherPython(str(status["abi"]), str(status.get("libc", "")))


def _problem(folder: Path, python: OtherPython) -> str:
    try:
        fetch_program(folder, python)
    except NoWheelsError as error:
        return str(error)
    return ""


def _failed(report: FleetReport, id_: str, problem: str) -> MinionReport:
    one = next(one for one in report.minions if one.id == id_)
    return msgspec.structs.replace(one, problem=f"{one.problem}: {problem}")
