"""The state option `umask`: restricts the permissions of everything that a state creates on its target.

It applies to new files and folders without an explicit mode, and to the commands that the state runs.
Existing files keep their mode, as in Salt.

Source: Salt's state option `umask`, 3008; measured there.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Command, Completed, Connection
    from ensue.core.contracts.content import Content
    from ensue.core.model.chunk import StateOptions

_OCTAL: Final = 8
_FILE: Final = 0o666
_FOLDER: Final = 0o777


def narrowed(connection: Connection, options: StateOptions) -> Connection:
    """Return a connection that applies a state's `umask`; the connection itself if the state has none.

    Raises:
        StateFailedError: it is not an octal number.
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
    """A connection with a umask; whatever creates nothing is delegated."""

    def __init__(self, connection: Connection, umask: int) -> None:
        self._connection = connection
        self._umask = umask

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def run(self, command: Command) -> Completed:
        """Run a command with the umask, unless the command has its own."""
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
        """Write a file; the umask limits the mode of a new one without an explicit mode."""
        if mode is None and await self._connection.stat(path, follow=True) is None:
            mode = _FILE & ~self._umask
        await self._connection.write(path, content, mode=mode, user=user, group=group)

    async def make_directory(self, path: str, *, mode: int | None = None, parents: bool = False) -> None:
        """Create a folder and its parents; the umask limits the mode of new ones without an explicit mode."""
        above = posixpath.dirname(path)
        if parents and above != path and await self._connection.stat(above, follow=True) is None:
            await self.make_directory(above, parents=True)
        if mode is None:
            mode = _FOLDER & ~self._umask
        await self._connection.make_directory(path, mode=mode)
