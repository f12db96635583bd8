"""`salt.utils.user`: the current user, and user and group ids."""

from __future__ import annotations

import getpass
import grp
import os
import pwd

from ensue.language.salt_names.absent import not_there


def get_user() -> str:
    """Return the name of the user who runs this process."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return getpass.getuser()


def get_uid(user: str | None = None) -> int | None:
    """Return the id of a user, None if the user does not exist."""
    if user is None:
        return os.geteuid()
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def get_gid(group: str | None = None) -> int | None:
    """Return the id of a group, None if the group does not exist."""
    if group is None:
        return os.getegid()
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None


def get_group_list(user: str, include_default: bool = True) -> list[str]:
    """Return the groups of a user."""
    own = pwd.getpwnam(user).pw_gid
    numbers = [number for number in os.getgrouplist(user, own) if include_default or number != own]
    return sorted(grp.getgrgid(number).gr_name for number in numbers)


__getattr__ = not_there(__name__)
