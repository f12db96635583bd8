"""Space on the disk for the end of a run: given up when the disk is full, so that the journal says what ran.

It is a file below the cachedir, which holds nothing. The next run that finds room makes it again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ensue.core.files import private_files

if TYPE_CHECKING:
    from pathlib import Path

RESERVE_BYTES: Final = 64 * 1024
"""Enough for the returns of what runs when the disk gets full, and for the end of the run."""

_NAME: Final = "reserve"
_BLOCK_BYTES: Final = 512


def make_reserve(cachedir: Path) -> None:
    """Make the reserve if there is none; without room for it, there is none.

    Args:
        cachedir: the project's cachedir.
    """
    with suppress(OSError):
        descriptor = private_files.open_private_file(cachedir / _NAME, os.O_RDWR | os.O_CREAT)
        try:
            if os.fstat(descriptor).st_blocks * _BLOCK_BYTES < RESERVE_BYTES:
                os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
        finally:
            os.close(descriptor)


def spend_reserve(cachedir: Path) -> None:
    """Give the space of the reserve back to the disk.

    Args:
        cachedir: the project's cachedir.
    """
    with suppress(OSError):
        os.truncate(cachedir / _NAME, 0)
