"""Salt's event bus: the events of one run, from a thread of their own to the event loop."""

from __future__ import annotations

import asyncio
import importlib
import threading
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from ensue.reach.processes.threads import start_thread
from ensue.salt.fleet.master import unreachable

if TYPE_CHECKING:
    from types import TracebackType

_END = "/end"


class Bus:
    """The events of one run. A context manager; subscribes when it is entered.

    Args:
        opts: the configuration of the master.
        run_id: the run; minions report under `ensue/<run_id>/`.
    """

    def __init__(self, opts: dict[str, Any], run_id: str) -> None:
        self._opts = opts
        self.prefix = f"ensue/{run_id}/"
        self._queue: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._jids: set[str] = set()
        self._bus: Any = None

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
        with suppress(Exception), self._opened(listen=False) as sender:
            sender.fire_event({}, self.prefix + _END)

    def expect(self, jid: str) -> None:
        """Listen to the returns of a job, too; called before it is published."""
        self._jids.add(jid)

    async def next(self) -> tuple[str, dict[str, Any]]:
        """Return the tag and the data of the next event of this run."""
        return await self._queue.get()

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
            # 0: as long as it takes. The event that `__exit__` sends ends the wait.
            event = bus.get_event(wait=0, full=True)
            tag = str(event["tag"]) if event else ""
            if tag == self.prefix + _END:
                return
            if tag.startswith(self.prefix) or self._is_return(tag):
                with suppress(RuntimeError):  # The loop is closed: nobody waits.
                    self._loop.call_soon_threadsafe(self._queue.put_nowait, (tag, event["data"]))

    def _is_return(self, tag: str) -> bool:
        salt, _, rest = tag.partition("/job/")
        jid, _, rest = rest.partition("/")
        return salt == "salt" and jid in self._jids and rest.startswith("ret/")

    def _opened(self, *, listen: bool) -> Any:
        events = importlib.import_module("salt.utils.event")
        return events.get_master_event(self._opts, self._opts["sock_dir"], listen=listen)
