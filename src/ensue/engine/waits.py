"""Nodes in hand that wait for another part of the run: the end of a scope that they opened, or a lease."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.engine.node import Node
    from ensue.engine.places import Places
    from ensue.engine.promise import Promise


class Waits:
    """The waits of one run. If every node in hand waits, and none is ready, the run cannot go on.

    Args:
        places: the places of hosts; None: there is no limit.
        begun: called when a wait begins.

    `count` is how many there are now.
    """

    def __init__(self, places: Places | None, begun: Callable[[], None]) -> None:
        self._places = places
        self._begun = begun
        self.count = 0

    async def wait(self, promise: Promise[None], caller: Node | None = None) -> None:
        """Wait for a promise that another part of the run resolves.

        Args:
            promise: the promise.
            caller: the node that waits for the end of a scope; None: the wait is for a lease.
        """
        if promise.done:
            return
        self._begin(caller)
        counted = [True]

        def resumed() -> None:
            if counted:
                counted.clear()
                self._end(caller)

        promise.on_resolve(resumed)
        try:
            await promise.wait()
        finally:
            resumed()

    def _begin(self, caller: Node | None) -> None:
        self.count += 1
        if self._places is not None and caller is not None:
            self._places.pause(caller)
        self._begun()

    def _end(self, caller: Node | None) -> None:
        self.count -= 1
        if self._places is not None and caller is not None:
            self._places.resume(caller)
