"""What is known of the hosts that a run cannot reach, so that no host is tried again by each state.

A connection reports here that its host refused or did not answer, and asks before it connects; the engine
asks before it calls a state. Nothing is remembered outside of runs.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ensue.core.errors import RemoteError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Generator

_given_up: ContextVar[set[str] | None] = ContextVar("given_up", default=None)
"""The hosts that the current state gave up waiting for."""


class StateAttempt:
    """One attempt of a state, as a context. Entering it returns the hosts that it gives up waiting for."""

    __slots__ = ("_token",)

    def __enter__(self) -> set[str]:
        """Make it the current attempt, also of tasks that it starts."""
        given_up: set[str] = set()
        self._token = _given_up.set(given_up)
        return given_up

    def __exit__(self, *_: object) -> None:
        """Restore the attempt around it."""
        _given_up.reset(self._token)


class Reach:
    """The hosts of one project that cannot be reached, by their SRNs as text."""

    def __init__(self) -> None:
        self._runs = 0
        self._faults: dict[str, RemoteError] = {}
        self._reported: set[str] = set()

    @contextmanager
    def of_run(self) -> Generator[None]:
        """Remember hosts until the end of the block, which is a run."""
        self._runs += 1
        try:
            yield
        finally:
            self._runs -= 1
            if not self._runs:
                self.all_again()

    @property
    def remembers(self) -> bool:
        """Whether a run is in progress."""
        return self._runs > 0

    @property
    def all_answer(self) -> bool:
        """Whether no host is known that cannot be reached."""
        return not self._faults

    def lost(self, fault: RemoteError) -> None:
        """Remember that a host refused or did not answer.

        Args:
            fault: the error; its target is the host.
        """
        if self._runs:
            self._faults[fault.target] = fault

    def fault(self, target: str) -> RemoteError | None:
        """Return why a host cannot be reached; None if that is not known."""
        return self._faults.get(target)

    def again(self, target: str) -> None:
        """Let a host be tried again, with the hosts that it is reached through."""
        fault: BaseException | None = self._faults.pop(target, None)
        self._reported.discard(target)
        while isinstance(fault := fault and fault.__cause__, RemoteError):
            self._faults.pop(fault.target, None)

    def all_again(self) -> None:
        """Let every host be tried again: a state is repeated, which may reach any of them."""
        self._faults.clear()
        self._reported.clear()

    def of_state(self) -> StateAttempt:
        """Return a context for one attempt of a state."""
        return StateAttempt()

    def gave_up(self, target: str) -> None:
        """Note that the current state ended while it waited for a host.

        The attempt to connect goes on; its result counts for the states after it.
        """
        if (given_up := _given_up.get()) is not None:
            given_up.add(target)

    def reports(self, target: str) -> bool:
        """Return whether a state is the first that reports a host which has not answered yet."""
        is_first = target not in self._reported
        if self._runs:
            self._reported.add(target)
        return is_first

    def once(self, target: str, fault: RemoteError) -> RemoteError:
        """Return an error of a state; from the second state of an unreachable host on, a short one.

        Args:
            target: the state's target.
            fault: the error.
        """
        if target not in self._faults:
            return fault
        if target in self._reported:
            return UnreachableError(f"not run: {target} is unreachable", target=target)
        self._reported.add(target)
        return fault
