"""Runs ensue in Python's UTF-8 mode: arguments, file names and output are UTF-8 in every locale.

Python chooses that mode for the locales `C` and `POSIX` by itself, unless `PYTHONUTF8=0` is set. Elsewhere it
decodes arguments and encodes file names as the locale says, in which most characters may not exist. The mode
can only be chosen when an interpreter starts.
"""

from __future__ import annotations

import os
import sys
from typing import Final

_OPTION: Final = ["-X", "utf8"]


def use_utf8() -> None:
    """Replace the process by the same one in UTF-8 mode, if it does not use UTF-8 yet."""
    if sys.flags.utf8_mode or sys.getfilesystemencoding() == "utf-8":
        return
    # A later option may undo this one: it is tried only once.
    if sys.executable and sys.orig_argv[1:3] != _OPTION:
        os.execv(sys.executable, [sys.executable, *_OPTION, *sys.orig_argv[1:]])  # noqa: S606 -- ourselves
