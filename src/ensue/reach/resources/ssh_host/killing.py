"""Ends the processes of a session that the server's own signals do not reach: a second session signals them.

The server may have no session left, because others hold them all. Then a connection of its own has one:
the server counts the sessions of each connection.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import asyncssh

from ensue.core.errors import RemoteError
from ensue.reach.resources.become import Errand
from ensue.reach.resources.process_tree import kill_script

if TYPE_CHECKING:
    from ensue.reach.resources.become import Becoming
    from ensue.reach.resources.ssh_host.marks import Marks
    from ensue.reach.resources.ssh_host.sessions import ExecSession
    from ensue.reach.resources.ssh_host.transport import Transport


class Killing:
    """Signals the commands of one host, one after the other.

    Args:
        transport: the connection.
        marks: the marks of its sessions.
        becoming: how scripts run as the owner of a command.
    """

    def __init__(self, transport: Transport, marks: Marks, becoming: Becoming) -> None:
        self._transport = transport
        self._marks = marks
        self._becoming = becoming
        self._turn = asyncio.Lock()

    async def kill(self, session: ExecSession, user: str, name: str) -> None:
        """Send a signal to the processes of a session that has reported its process id.

        Args:
            session: the session.
            user: the owner of its processes; empty: the user logged in.
            name: the signal without `SIG`.
        """
        if not session.pid:
            return
        limit_s = self._transport.settings.connect_timeout_s
        with contextlib.suppress(asyncssh.Error, OSError, RemoteError):
            async with self._turn, asyncio.timeout(limit_s):
                if session.ended.done():
                    return
                pids = {session.pid, self._marks.command_pid(session.errors) or session.pid}
                script = "".join(kill_script(pid, name, has_exited=session.has_exited) for pid in pids)
                errand = await self._becoming.errand(script, user) if user else Errand(script=script)
                await self._run(errand)

    async def _run(self, errand: Errand) -> None:
        connection = await self._transport.connected()
        gate = self._transport.gate
        with contextlib.ExitStack() as place:
            if beside := gate.enter_last(place):
                try:
                    await self._run_over(connection, errand)
                except asyncssh.ChannelOpenError:
                    gate.refused(beside=beside)
                else:
                    return
        async with self._transport.another() as connection:
            await self._run_over(connection, errand)

    async def _run_over(self, connection: asyncssh.SSHClientConnection, errand: Errand) -> None:
        line = self._marks.line(errand.script)
        nowhere = asyncssh.DEVNULL
        await connection.run(line, input=errand.stdin_first, encoding=None, stdout=nowhere, stderr=nowhere)
