"""What the coordinator of a fleet publishes: jobs, requests for frames, acknowledgements and messages."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any, Self

from ensue.core.errors import ConfigurationError
from ensue.salt.fleet.admission import rsa_key
from ensue.salt.fleet.frames import message_line
from ensue.salt.fleet.sealing import sealed_for
from ensue.salt.fleet.signing import message_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.salt.fleet.frames import CoordinatorMessage
    from ensue.salt.fleet.master import SaltMaster


class MinionChannel:
    """Publishes jobs of Salt, which tells minions that they come from their master. An async context manager.

    What is asked while a job is being published goes with the next one, so that much needs few jobs.

    Args:
        master: the master.
        order: the order of the run, as minions get it, without a job.
        on_publish: called with the id of each job of Salt that a minion may return a problem for.
        on_ask_again: called with each minion that is asked again.
    """

    def __init__(
        self,
        master: SaltMaster,
        order: Mapping[str, Any],
        on_publish: Callable[[str], None] = lambda _: None,
        on_ask_again: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._master = master
        self._order = order
        self._on_publish = on_publish
        self._on_ask_again = on_ask_again
        self._keys: dict[str, tuple[str, bytes]] = {}
        self._messages: list[tuple[str, CoordinatorMessage]] = []
        self._since: dict[str, int] = {}
        self._is_asked = asyncio.Event()
        self._publishing = asyncio.Lock()
        self._asking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to publish what `ask_again` asks for."""
        self._asking = asyncio.create_task(self._publish_requests())
        return self

    async def __aexit__(self, *failure: object) -> None:
        """Ask for nothing more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    def expect(self, jid: str, public_keys: Mapping[str, bytes]) -> None:
        """Send messages to the minions of a job, too.

        Args:
            jid: the job.
            public_keys: the key of each of its minions, as PEM.
        """
        self._keys |= {minion: (jid, pem) for minion, pem in public_keys.items()}

    async def begin(self, tgt: str, jid: str, minions: Sequence[str]) -> None:
        """Publish the job of some minions for the first time.

        Raises:
            ConfigurationError: the master does not answer.
        """
        async with self._publishing:
            await asyncio.to_thread(self._publish, tgt, minions, {**self._order, "jid": jid}, jid)

    def ask_again(self, minion: str, since: int) -> None:
        """Ask for the frames of a minion's job, which begins if it never has, and goes on if it was killed.

        Args:
            minion: a minion that `expect` has named.
            since: the number of the first frame.
        """
        self._on_ask_again(minion)
        self._since[minion] = since
        self._is_asked.set()

    async def acknowledge(
        self, taken: Mapping[str, int], of_jobs: Mapping[str, Mapping[str, int]] | None = None
    ) -> None:
        """Let minions forget the frames that were taken.

        Args:
            taken: how many of each minion, in the jobs that `expect` has named.
            of_jobs: how many of each other job, by minion.

        Raises:
            ConfigurationError: the master does not answer.
        """
        frames = {minion: dict(counts) for minion, counts in (of_jobs or {}).items()}
        for minion, count in taken.items():
            frames.setdefault(minion, {})[self._keys[minion][0]] = count
        if not frames:
            return
        order = {"verb": "acknowledge", "frames": frames, "parts": self._order["parts"]}
        async with self._publishing:
            await asyncio.to_thread(self._publish, "*", [*frames], order)

    async def tell(self, minion: str, message: CoordinatorMessage) -> None:
        """Send a message to the ensue that runs the job of a minion; returns once it is published.

        Args:
            minion: a minion that `expect` has named.
            message: the message.

        Raises:
            ConfigurationError: the master does not answer.
        """
        self._messages.append((minion, message))
        async with self._publishing:
            messages, self._messages = self._messages, []
            if messages:
                await asyncio.to_thread(self._publish_messages, messages)

    async def _publish_requests(self) -> None:
        while await self._is_asked.wait():
            self._is_asked.clear()
            since, self._since = self._since, {}
            try:
                async with self._publishing:
                    await asyncio.to_thread(self._publish_since, since)
            except ConfigurationError:
                continue  # The bus reports a master that is gone.

    def _publish_since(self, since: Mapping[str, int]) -> None:
        by_job: dict[str, dict[str, int]] = {}
        for minion, number in since.items():
            by_job.setdefault(self._keys[minion][0], {})[minion] = number
        for jid, numbers in by_job.items():
            self._publish("*", [*numbers], {**self._order, "jid": jid, "since": numbers})

    def _publish_messages(self, messages: Sequence[tuple[str, CoordinatorMessage]]) -> None:
        tell_jid, run_id = self._master.new_jid(), self._order["run_id"]
        sealed: dict[str, Any] = {}
        for minion, message in messages:
            jid, pem = self._keys[minion]
            entry = sealed.setdefault(minion, {"job": jid, "sealed": []})
            name = message_name(run_id, jid, minion, f"{tell_jid}-{len(entry['sealed']):06}")
            content = sealed_for(rsa_key(pem), message_line(message), name)
            entry["sealed"].append(base64.b64encode(content).decode())
        order = {"verb": "tell", "jid": tell_jid, "messages": sealed, "parts": self._order["parts"]}
        self._publish("*", [*sealed], order, tell_jid)

    def _publish(self, tgt: str, minions: Sequence[str], order: Mapping[str, Any], jid: str = "") -> None:
        salt_jid = jid or self._master.new_jid()
        if "since" in order:
            self._on_publish(salt_jid)
        self._master.publish(tgt, minions, order["parts"]["relay"], dict(order), salt_jid)
