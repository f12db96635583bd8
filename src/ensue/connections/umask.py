"""The state option `umask`: what a state makes on its target gets no more rights than it leaves.

It narrows new files and folders for which the state names no mode, and the commands that it runs. What is
there already keeps its mode, as in Salt.

Source: Salt's state option `umask`, 3008; measured there.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.contracts.connection import Command, Completed, Connection
    from ensue.contracts.content import Content
    from ensue.model.chunk import StateOptions

_OCTAL: Final = 8
_FILE: Final = 0o666
_FOLDER: Final = 0o777


def narrowed(connection: Connection, options: StateOptions) -> Connection:
    """Return a connection that obeys a state's `umask`; the connection itself for a state without.

    Raises:
        StateFailedError: it is no octal number.
    """
    value = dict(options.other).get("umask")
    if value is None:
        return connection
    try:
        umask = int(str(value), _OCTAL)
    except ValueError:
        raise StateFailedError(f"Invalid umask: {value!r} (write it as '022')") from None
    return cast("Connection", _Narrowed(connection, umask))


class _Narrowed:
    """A connection under a umask; all that makes nothing is the connection's own."""

    def __init__(self, connection: Connection, umask: int) -> None:
        self._connection = connection
        self._umask = umask

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def run(self, command: Command) -> Completed:
        """Run a command under the umask, unless it has one of its own."""
        if command.umask is None:
            command = msgspec.structs.replace(command, umask=self._umask)
        return await self._connection.run(command)

    async def write(
        self,
        path: str,
        content: Content,
        *,
        mode: int | None = None,
        user: str | None = None,
        group: str | None = None,
    ) -> None:
        """Write a file; a new one without a mode gets what the umask leaves."""
        if mode is None and await self._connection.stat(path, follow=True) is None:
            mode = _FILE & ~self._umask
        await self._connection.write(path, content, mode=mode, user=user, group=group)

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Make a folder, and those above it; new ones without a mode get what the umask leaves."""
        above = posixpath.dirname(path)
        if parents and above != path and await self._connection.stat(above, follow=True) is None:
            await self.make_directory(above, parents=True)
        if mode is None:
            mode = _FOLDER & ~self._umask
        await self._connection.make_directory(path, mode=mode)
