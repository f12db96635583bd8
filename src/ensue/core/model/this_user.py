"""The user of this process."""

from __future__ import annotations

import os
import pwd
from contextlib import suppress


def this_user() -> str:
    """Return the name of the user of this process; the number of one that has no name."""
    uid = os.getuid()
    with suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return str(uid)
