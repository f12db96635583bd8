"""An SFTP session that ends: calls that wait get an error, and nothing is logged."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from ensue.reach.resources.ssh_host.sftp_messages import SftpMessageKind
from ensue.reach.resources.ssh_host.sftp_session import SftpLostError, SftpSession


def test_a_session_that_nobody_waits_for_ends_quietly() -> None:
    """When a host goes away, calls that wait get an error, and no stray exception is logged."""
    logged: list[dict[str, Any]] = []

    async def scene() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context))
        session = SftpSession()
        waited_for, given_up = session.ask(SftpMessageKind.STAT, b""), session.ask(SftpMessageKind.STAT, b"")
        session.connection_lost(BrokenPipeError())
        later = session.ask(SftpMessageKind.STAT, b"")
        with pytest.raises(SftpLostError):
            await waited_for
        del session, waited_for, given_up, later
        gc.collect()

    asyncio.run(scene())
    assert logged == []
