"""A minion that waits for others while the coordinator of its run is interrupted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest

from ensue.core.errors import UnreachableError
from ensue.core.model.minion_state import MinionReturn, MinionState
from ensue.salt.fleet.link import FleetLink
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.value_messages import Given, RunPaused, RunResumed, kind_of, plain

if TYPE_CHECKING:
    from ensue.salt.fleet.value_messages import Handed

STATE = MinionState(minion="db1", path="cmd", id="made")


def _link() -> FleetLink:
    key = RunKey().public
    return FleetLink(run_id="run", minion="web1", key=key, tell=lambda _: None, remaining_s=60)


def _hand(link: FleetLink, *messages: Handed) -> None:
    for message in messages:
        link.handlers[kind_of(message)](msgspec.json.decode(msgspec.json.encode(plain(message))))


def test_a_wait_outlasts_a_pause() -> None:
    """Once the run is resumed, no pause ends the wait, and the value comes."""

    async def wait() -> MinionReturn:
        link = _link()
        waiting = asyncio.create_task(link.returned(STATE))
        await asyncio.sleep(0)
        _hand(link, RunPaused(0), RunResumed())
        await asyncio.sleep(0)
        assert not waiting.done()
        _hand(link, Given(STATE, MinionReturn(result=True, new_state="value")))
        return await waiting

    assert asyncio.run(wait()).new_state == "value"


def test_a_pause_has_an_end() -> None:
    """A run that is not resumed in time fails what waits, and what is asked for later."""

    async def wait() -> tuple[MinionReturn, MinionReturn, str]:
        link = _link()
        waiting = asyncio.create_task(link.returned(STATE))
        looking = asyncio.create_task(link.resources.look())
        await asyncio.sleep(0)
        _hand(link, RunPaused(0.01))
        first = await waiting
        later = await link.returned(MinionState(minion="db1", path="cmd", id="other"))
        with pytest.raises(UnreachableError) as caught:
            await looking
        return first, later, str(caught.value)

    first, later, problem = asyncio.run(wait())
    why = "the coordinator was interrupted, and the run was not resumed within 0.01 s"
    assert (first.result, first.comment) == (False, why)
    assert (later.result, later.comment) == (False, why)
    assert problem == why
