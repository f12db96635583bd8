"""Waits for states of other minions, which end with what waits for them."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.engine.harness import run_virtually

from ensue.core.errors import InternalError
from ensue.core.model.fan_out import FannedReturn
from ensue.core.model.minion_state import MinionReturn, MinionState
from ensue.core.model.returns import Return
from ensue.engine.minion_waits import MinionWaits

if TYPE_CHECKING:
    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.model.returns import StateReturn
    from ensue.engine.node import Node

STATE = MinionState(minion="db-1", path="cmd", id="token")


class Silent:
    """Other minions whose states never return."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.is_cancelled = False

    async def returned(self, _state: MinionState) -> MinionReturn:
        self.asked.set()
        try:
            return await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


def _waits(others: Silent | None) -> MinionWaits:
    recorder: Any = SimpleNamespace(start=lambda _node, reported: reported)
    return MinionWaits(cast("OtherMinions | None", others), recorder, lambda: None)


def _node(state: MinionState | None) -> Node:
    node: Any = SimpleNamespace(chunk=SimpleNamespace(options=SimpleNamespace(minion_state=state)))
    return node


def test_a_cancelled_node_waits_no_longer() -> None:
    """The request of the return ends with the task of its node, and so it does when the run is stopped."""

    async def cancelled() -> None:
        others = Silent()
        waits = _waits(others)
        task = asyncio.ensure_future(waits.returned(_node(STATE)))
        await others.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        assert (others.is_cancelled, waits.count) == (True, 0)

    async def stopped() -> None:
        others = Silent()
        waits = _waits(others)
        task = asyncio.ensure_future(waits.returned(_node(STATE)))
        await others.asked.wait()
        waits.end()
        assert await task is None

    run_virtually(cancelled())
    run_virtually(stopped())


@pytest.mark.parametrize(("others", "state"), [(None, STATE), (Silent(), None)])
def test_a_wait_without_another_minion_is_an_error_of_the_program(
    others: Silent | None, state: MinionState | None
) -> None:
    """Only a run over minions has such nodes."""
    with pytest.raises(InternalError, match="without others"):
        run_virtually(_waits(others).returned(_node(state)))


def test_a_state_that_ran_on_several_resources_has_a_return_of_each() -> None:
    """Each part names its resource, so that a reference can pick one."""

    class Others:
        async def returned(self, _state: MinionState) -> MinionReturn:
            parts = {
                "ssh_host:a": MinionReturn(result=True, has_changes=True),
                "ssh_host:b": MinionReturn(result=False),
            }
            return MinionReturn(result=False, parts=parts)

    def finish(_node: Node, _start: object, part: StateReturn, *, ran: bool) -> Return:
        assert ran
        return Return(
            tag="", id="", name=part.name, sls="", module="cmd", function="run", scope="", target="minion:m",
            result=part.result, changes=part.changes, comment=part.comment,
        )  # fmt: skip

    owing: list[Node] = []
    recorder: Any = SimpleNamespace(
        start=lambda _node, reported: reported, finish=finish, owe_reactions=owing.append
    )
    waits = MinionWaits(cast("OtherMinions", Others()), recorder, lambda: None)
    returned = run_virtually(waits.returned(_node(STATE)))
    assert isinstance(returned, FannedReturn)
    assert [(part.target, part.result, bool(part.changes)) for part in returned.parts.values()] == [
        ("ssh_host:a", True, True),
        ("ssh_host:b", False, False),
    ]
    assert len(owing) == 1
