"""Salt's event bus: what is admitted of its events, from a thread of its own to the event loop.

The thread reads no further while much waits for the event loop. Then events wait in the master, which drops a
subscriber that takes nothing for too long. Salt's subscriber connects again, and what was lost meanwhile is
asked for like any frame that is missing.
"""

from __future__ import annotations

import asyncio
import importlib
import secrets
import threading
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import msgspec

from ensue.reach.processes.threads import start_thread
from ensue.salt.fleet.admission import Admitted, BusEvent
from ensue.salt.fleet.master import unreachable

if TYPE_CHECKING:
    from types import TracebackType

    from ensue.salt.fleet.admission import Admission

_MALFORMED: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What Salt's reader raises at an event that is malformed, which it has taken off the bus by then."""


_MOST_WAITING_BYTES: Final = 16 << 20
"""How much may wait for the event loop before nothing more is read."""

_ITEM_BYTES: Final = 1024
"""What an item takes beside its content."""


class BusClosed(msgspec.Struct, frozen=True):
    """The master has closed its bus: no more events come."""


Item: TypeAlias = BusEvent | BusClosed


class Bus:
    """The events of one run. A context manager; subscribes when it is entered.

    Args:
        opts: the configuration of the master.
        admission: which events count.
        most_waiting_bytes: how much may wait for `next`.
    """

    def __init__(
        self, opts: dict[str, Any], admission: Admission, most_waiting_bytes: int = _MOST_WAITING_BYTES
    ) -> None:
        self._opts = opts
        self._admission = admission
        self._queue: asyncio.Queue[Item] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._bus: Any = None
        self._most_waiting_bytes = most_waiting_bytes
        self._waiting_bytes = 0
        self._has_ended = False
        self._room = threading.Condition()
        # Nobody else knows this tag before it is sent, so that no minion ends the listener.
        self._end_tag = f"{admission.prefix}end/{secrets.token_hex(16)}"

    def __enter__(self) -> Self:
        """Subscribe, and begin to listen."""
        subscribed = threading.Event()
        listening = threading.Thread(target=self._listen, args=(subscribed,), name="ensue-bus", daemon=True)
        start_thread(listening)
        subscribed.wait()
        if self._bus is None:
            why = "its event bus does not answer"
            raise unreachable(why)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Stop listening."""
        with self._room:
            self._has_ended = True
            self._room.notify()
        with suppress(Exception), self._opened(listen=False) as sender:
            sender.fire_event({}, self._end_tag)

    @property
    def has_more(self) -> bool:
        """Whether something has come that `next` has not returned yet."""
        return not self._queue.empty()

    async def next(self) -> Item:
        """Return what comes next in this run."""
        item = await self._queue.get()
        with self._room:
            self._waiting_bytes -= _size_bytes(item)
            self._room.notify()
        return item

    def _listen(self, subscribed: threading.Event) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                bus = self._opened(listen=True)
                is_open = bus.connect_pub()
            except Exception:  # noqa: BLE001 -- Salt's: reported where the run begins
                subscribed.set()
                return
            self._bus = bus if is_open else None
            subscribed.set()
            if not is_open:
                return
            with bus:
                self._pass_on(bus)

    def _pass_on(self, bus: Any) -> None:
        while True:
            try:
                # 0: as long as it takes. The event that `__exit__` sends ends the wait.
                event = bus.get_event(wait=0, full=True)
            except _MALFORMED:
                continue
            except Exception:  # noqa: BLE001 -- Salt's: nothing more can be read
                event = None
            if event is None:
                self._put(BusClosed())
                return
            if event["tag"] == self._end_tag:
                return
            if (item := self._admission.admit(event["tag"], event["data"])) is not None:
                self._put(item)

    def _put(self, item: Item) -> None:
        with self._room:
            self._room.wait_for(lambda: self._has_ended or self._waiting_bytes < self._most_waiting_bytes)
            self._waiting_bytes += _size_bytes(item)
        with suppress(RuntimeError):  # The loop is closed: nobody waits.
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)

    def _opened(self, *, listen: bool) -> Any:
        events = importlib.import_module("salt.utils.event")
        return events.get_master_event(self._opts, self._opts["sock_dir"], listen=listen)


def _size_bytes(item: Item) -> int:
    return _ITEM_BYTES + (len(item.sealed) if isinstance(item, Admitted) else 0)
