"""Names of users and groups of this machine, cached until /etc/passwd or /etc/group changes.

Whether these have changed is asked once per turn of the event loop, within which nothing in this process
changes them.
"""

from __future__ import annotations

import asyncio
import errno
import grp
import os
import pwd
from functools import lru_cache

from ensue.core.model.numbers import whole_number


class Accounts:
    """Names of users and groups by number."""

    def __init__(self) -> None:
        self._changed_ns = (-1, -1)
        self._is_current = False
        self._names: dict[tuple[int, int], tuple[str, str]] = {}

    def names(self, uid: int, gid: int) -> tuple[str, str]:
        """Return the names of a user and of a group; the number as text if there is no name.

        It is called in a running event loop.

        Args:
            uid: the user's number.
            gid: the group's number.
        """
        if not self._is_current:
            self._look()
        names = self._names.get((uid, gid))
        if names is None:
            names = self._names[uid, gid] = user_name(uid), group_name(gid)
        return names

    def _look(self) -> None:
        changed_ns = _changed_ns("/etc/passwd"), _changed_ns("/etc/group")
        if changed_ns != self._changed_ns:
            self._changed_ns = changed_ns
            self._names.clear()
        self._is_current = True
        asyncio.get_running_loop().call_soon(self._end_turn)

    def _end_turn(self) -> None:
        self._is_current = False


def user_name(uid: int) -> str:
    """Return a user's name, or the number as text if it has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group_name(gid: int) -> str:
    """Return a group's name, or the number as text if it has none."""
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def user_number(user: str | None) -> int:
    """Return a user's number; -1, which chown leaves alone, for None.

    Raises:
        OSError: the user does not exist.
    """
    if user is None:
        return -1
    try:
        number = whole_number(user)
        return pwd.getpwnam(user).pw_uid if number is None else number
    except KeyError:
        raise OSError(errno.EINVAL, f"there is no user `{user}`") from None


def group_number(group: str | None) -> int:
    """Return a group's number; -1, which chown leaves alone, for None.

    Raises:
        OSError: the group does not exist.
    """
    if group is None:
        return -1
    try:
        number = whole_number(group)
        return grp.getgrnam(group).gr_gid if number is None else number
    except KeyError:
        raise OSError(errno.EINVAL, f"there is no group `{group}`") from None


def home_folder() -> str:
    """Return the home folder of the user that ensue runs as; `/` if that does not exist."""
    home = _home_of(os.geteuid(), _changed_ns("/etc/passwd"))
    if home is None:
        home = os.environ.get("HOME", "/")
    return home if os.path.isdir(home) else "/"  # noqa: PTH112 (asked for every command)


@lru_cache(maxsize=1)
def _home_of(uid: int, _passwd_changed_ns: int) -> str | None:
    """Return a user's home folder, None if there is no such user; read again when the users change."""
    try:
        return pwd.getpwuid(uid).pw_dir
    except KeyError:
        return None


def current_user() -> str:
    """Return the name of the user that ensue runs as, or its number."""
    return user_name(os.geteuid())


def current_group() -> str:
    """Return the name of the group that ensue runs as, or its number."""
    return group_name(os.getegid())


def _changed_ns(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 (a Path would double the cost of every stat)
    except OSError:
        return 0
