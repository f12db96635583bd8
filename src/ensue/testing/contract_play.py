"""Runs the tests of contract suites: each is a scene on a new connection and an empty folder.

A scene is an `async def` method with the connection and the folder; `scene` makes a plain pytest
test of it, so that no plug-in for asyncio is needed.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The target that a suite tests.

    Args:
        connect: returns a new connection to the target.
        folder: an existing folder on the target in which tests may create and remove anything.
    """

    connect: Callable[[], Connection]
    folder: str = "/tmp"  # noqa: S108 (a folder of the target; each test makes one of its own below it)


def scene(play: Callable[[Any, Connection, str], Awaitable[None]]) -> Callable[[Any, Subject], None]:
    """Make a pytest test of an async method: it gets a connection and an empty folder, both cleaned up.

    Args:
        play: the method; `self`, the connection, the folder.
    """

    # No functools.wraps: pytest would look through it and take the scene's arguments for fixtures.
    def test(self: Any, subject: Subject) -> None:
        asyncio.run(_played(play, self, subject))

    test.__name__ = play.__name__
    test.__qualname__ = play.__qualname__
    test.__doc__ = play.__doc__
    test.__module__ = play.__module__
    return test


async def _played(
    play: Callable[[Any, Connection, str], Awaitable[None]], suite: Any, subject: Subject
) -> None:
    connection = subject.connect()
    folder = f"{subject.folder.rstrip('/')}/contract-{secrets.token_hex(6)}"
    try:
        await connection.make_directory(folder)
        try:
            await play(suite, connection, folder)
        finally:
            await connection.remove(folder, recursive=True)
    finally:
        await connection.close()
