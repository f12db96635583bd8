"""The listener of Salt's bus goes on after any event, and ends only when the run or the bus does."""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

import pytest
from tests.salt.fleet.minion_keys import public_pem, signer

from ensue.salt.fleet.admission import Admission, Admitted
from ensue.salt.fleet.bus import Bus, BusClosed
from ensue.salt.fleet.sealing import RunKey

if TYPE_CHECKING:
    from types import TracebackType

    from ensue.salt.fleet.bus import Item


class _Events:
    """A bus with the interface of Salt's; an exception in it is raised by the reader.

    Args:
        queue_: what is on it.
    """

    def __init__(self, queue_: queue.Queue[Any]) -> None:
        self._queue = queue_

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Do nothing."""

    def connect_pub(self) -> bool:
        """Return that it is open."""
        return True

    def fire_event(self, data: object, tag: str) -> None:
        """Put an event on the bus."""
        self._queue.put({"tag": tag, "data": data})

    def get_event(self, *, wait: int, full: bool) -> Any:
        """Return the next event."""
        assert (wait, full) == (0, True)
        event = self._queue.get()
        if isinstance(event, Exception):
            raise event
        return event


@pytest.fixture
def on_bus(monkeypatch: pytest.MonkeyPatch) -> queue.Queue[Any]:
    """What is on the bus."""
    events: queue.Queue[Any] = queue.Queue()
    module = ModuleType("salt.utils.event")
    module.get_master_event = lambda *_, **__: _Events(events)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "salt.utils.event", module)
    return events


def _admission() -> Admission:
    admission = Admission("run")
    admission.expect("1", {"web1": public_pem("web1")})
    return admission


async def _first(admission: Admission) -> Item:
    with Bus({"sock_dir": ""}, admission) as bus:
        return await bus.next()


def test_malformed_events_do_not_end_the_listener(on_bus: queue.Queue[Any]) -> None:
    """After events that Salt's reader cannot read, and ends that anybody may fire, a true frame arrives."""
    on_bus.put(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"))
    for error in (TypeError("x"), KeyError("x"), AttributeError("x"), ValueError("x")):
        on_bus.put(error)
    for tag in ("ensue/run//end", "ensue/run/end", "ensue/run/end/0"):
        on_bus.put({"tag": tag, "data": {}})
    (frame,) = signer("web1", public=RunKey().public).frames(b"x")
    on_bus.put({"tag": "ensue/run/web1", "data": {"id": "web1", "data": frame}})
    admission = _admission()
    item = asyncio.run(_first(admission))
    assert isinstance(item, Admitted)
    assert item.number == 0
    assert admission.refused == {"": 3}


@pytest.mark.parametrize("event", [None, OSError("gone"), RuntimeError("gone")])
def test_a_closed_bus_is_reported(on_bus: queue.Queue[Any], event: Any) -> None:
    """When nothing more can be read, the run gets a report, and the listener does not spin."""
    on_bus.put(event)
    assert asyncio.run(_first(_admission())) == BusClosed()
    assert on_bus.qsize() == 1


def test_no_more_is_read_than_may_wait(on_bus: queue.Queue[Any]) -> None:
    """Of any number of frames only a few are read ahead, and none is lost."""
    frames = [*(signer("web1", public=RunKey().public).frames(b"x" * 100 * 192 * 1024))]
    for frame in frames:
        on_bus.put({"tag": "ensue/run/web1", "data": {"id": "web1", "data": frame}})

    async def taken() -> list[int]:
        numbers: list[int] = []
        with Bus({"sock_dir": ""}, _admission(), 2 << 20) as bus:
            # The reader has time for all frames, and takes no more than the bound.
            for _ in range(20_000):
                await asyncio.sleep(0)
            for count in range(len(frames)):
                item = await bus.next()
                # 2 MiB are eleven frames; the reader holds one more.
                assert len(frames) - on_bus.qsize() <= count + 13
                assert isinstance(item, Admitted)
                numbers.append(item.number)
        return numbers

    assert asyncio.run(taken()) == [*range(len(frames))]


def test_a_reader_that_waits_for_room_ends_with_the_run(on_bus: queue.Queue[Any]) -> None:
    """When the run ends while much waits, the thread that reads the bus ends, too."""
    for frame in signer("web1", public=RunKey().public).frames(b"x" * 20 * 192 * 1024):
        on_bus.put({"tag": "ensue/run/web1", "data": {"id": "web1", "data": frame}})

    async def begun() -> list[threading.Thread]:
        with Bus({"sock_dir": ""}, _admission(), 1) as bus:
            await bus.next()
            return [thread for thread in threading.enumerate() if thread.name == "ensue-bus"]

    for thread in asyncio.run(begun()):
        thread.join(60)
        assert not thread.is_alive()
