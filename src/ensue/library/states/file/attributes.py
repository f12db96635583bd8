"""Owner, group and mode of a path: compares and sets them.

Changes have the shape of Salt's `check_perms`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteFileError
from ensue.library.states.file.modes import mode_bits, shown_mode

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection, FileStat
    from ensue.core.model.data import Data, DataMap

_SET_ID_BITS: Final = 0o6000
_NUMBER_FIELD: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedAttributes:
    """The requested attributes of a path; None leaves an attribute as it is.

    Args:
        mode: permission bits.
        user: owner, by name or number, as in the SLS.
        group: group, by name or number.
        numbers: the target's numbers of names, cached over all paths.
    """

    mode: int | None = None
    user: str | int | None = None
    group: str | int | None = None
    numbers: dict[tuple[str, str], int | None] = field(
        default_factory=dict[tuple[str, str], "int | None"], compare=False, repr=False
    )

    @classmethod
    def read(cls, *, mode: Data = None, user: Data = None, group: Data = None) -> RequestedAttributes:
        """Read a state's arguments.

        Raises:
            StateFailedError: the mode is invalid.
        """
        return cls(mode=mode_bits(mode), user=_owner(user), group=_owner(group))

    @property
    def user_text(self) -> str | None:
        """The owner in the form that a connection accepts."""
        return None if self.user is None else str(self.user)

    @property
    def group_text(self) -> str | None:
        """The group in the form that a connection accepts."""
        return None if self.group is None else str(self.group)

    async def differences(self, connection: Connection, status: FileStat) -> DataMap:
        """Return the wanted values of attributes that differ, in Salt's shape: `user`, `group`, `mode`.

        Two names may have one number (`root` and `toor`), so the target is asked for it if a name differs.

        Args:
            connection: the connection to the target.
            status: the current attributes.
        """
        changes: DataMap = {}
        if self.user is not None and not await self._is(
            connection, "passwd", self.user, status.user, status.uid
        ):
            changes["user"] = self.user
        if self.group is not None and not await self._is(
            connection, "group", self.group, status.group, status.gid
        ):
            changes["group"] = self.group
        # Symlinks have no mode on Linux.
        if self.mode is not None and self.mode != status.mode and status.kind != "symlink":
            changes["mode"] = shown_mode(self.mode)
        return changes

    async def _is(
        self, connection: Connection, database: str, requested: str | int, name: str, number: int
    ) -> bool:
        """Return whether a wanted user or group is the one that was found."""
        if str(requested) in {name, str(number)}:
            return True
        if not connection.can_run or str(requested).isdecimal():
            return False
        key = (database, str(requested))
        if key not in self.numbers:
            self.numbers[key] = await _number(connection, database, str(requested))
        return self.numbers[key] == number


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedAttributes:
    """The result of `apply_attributes`.

    Args:
        changes: the changed attributes, in Salt's shape.
        faults: why the others could not be changed, one sentence each.
    """

    changes: DataMap
    faults: tuple[str, ...] = ()


async def apply_attributes(
    connection: Connection, path: str, requested: RequestedAttributes, status: FileStat
) -> AppliedAttributes:
    """Set the attributes that differ.

    Args:
        connection: the connection to the target.
        path: the path.
        requested: the requested attributes.
        status: the current attributes; if they are those of a symlink itself, it is not followed.
    """
    planned = await requested.differences(connection, status)
    changes: DataMap = {}
    faults: list[str] = []
    if "user" in planned or "group" in planned:
        try:
            await connection.set_owner(
                path,
                user=requested.user_text if "user" in planned else None,
                group=requested.group_text if "group" in planned else None,
                follow=status.kind != "symlink",
            )
            changes |= {word: planned[word] for word in ("user", "group") if word in planned}
        except RemoteFileError as error:
            faults.append(str(error))
    # A change of owner clears the set-id bits, so the mode is set again where it has some.
    again = bool(changes) and bool(status.mode & _SET_ID_BITS) and status.kind != "symlink"
    if "mode" in planned or again:
        try:
            await connection.set_mode(path, status.mode if requested.mode is None else requested.mode)
            if "mode" in planned:
                changes["mode"] = planned["mode"]
        except RemoteFileError as error:
            faults.append(str(error))
    return AppliedAttributes(changes=changes, faults=tuple(faults))


async def _number(connection: Connection, database: str, name: str) -> int | None:
    """Return the number of a user or group of the target, None if it cannot be determined."""
    done = await connection.run(Command(argv=["getent", database, name]))
    fields = done.stdout.decode("utf-8", "replace").strip().split(":")
    is_there = done.returncode == 0 and len(fields) > _NUMBER_FIELD and fields[0] == name
    return int(fields[_NUMBER_FIELD]) if is_there and fields[_NUMBER_FIELD].isdecimal() else None


def _owner(value: Data) -> str | int | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, int) else str(value)
