"""Messages from the coordinator of a fleet to the ensue that runs a job on a minion."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

from ensue.salt.fleet.admission import rsa_key
from ensue.salt.fleet.frames import message_line
from ensue.salt.fleet.sealing import sealed_for
from ensue.salt.fleet.signing import message_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.salt.fleet.frames import CoordinatorMessage
    from ensue.salt.fleet.master import SaltMaster


class MinionChannel:
    """Sends messages to the minions of a run, each sealed for its minion.

    A message is published as a job of Salt, which tells minions that it comes from their master. What is sent
    while a job is being published goes with the next one, so that many messages need few jobs.

    Args:
        master: the master.
        program: the files of the minion's program, as the master serves them.
        run_id: the run.
    """

    def __init__(self, master: SaltMaster, program: Mapping[str, str], run_id: str) -> None:
        self._master = master
        self._program = program
        self._run_id = run_id
        self._keys: dict[str, tuple[str, bytes]] = {}
        self._waiting: list[tuple[str, CoordinatorMessage]] = []
        self._publishing = asyncio.Lock()

    def expect(self, jid: str, public_keys: Mapping[str, bytes]) -> None:
        """Send messages to the minions of a job, too.

        Args:
            jid: the job.
            public_keys: the key of each of its minions, as PEM.
        """
        self._keys |= {minion: (jid, pem) for minion, pem in public_keys.items()}

    async def tell(self, minion: str, message: CoordinatorMessage) -> None:
        """Send a message to the ensue that runs the job of a minion; returns once it is published.

        Args:
            minion: a minion that `expect` has named.
            message: the message.

        Raises:
            ConfigurationError: the master does not answer.
        """
        self._waiting.append((minion, message))
        async with self._publishing:
            messages, self._waiting = self._waiting, []
            if messages:
                await asyncio.to_thread(self._publish, messages)

    def _publish(self, messages: list[tuple[str, CoordinatorMessage]]) -> None:
        tell_jid = self._master.new_jid()
        sealed: dict[str, Any] = {}
        for minion, message in messages:
            jid, pem = self._keys[minion]
            entry = sealed.setdefault(minion, {"job": jid, "sealed": []})
            name = message_name(self._run_id, jid, minion, f"{tell_jid}-{len(entry['sealed']):06}")
            content = sealed_for(rsa_key(pem), message_line(message), name)
            entry["sealed"].append(base64.b64encode(content).decode())
        order = {"verb": "tell", "run_id": self._run_id, "jid": tell_jid, "messages": sealed}
        self._master.publish(
            "*", [*sealed], self._program["relay"], {**order, "parts": self._program}, tell_jid
        )
