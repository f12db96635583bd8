"""`backup: minion`: keeps a copy of a replaced file below the managing minion's cachedir.

The layout is Salt's: `file_backup/<folder>/<name>_<date>`; for a target other than the minion itself, the SRN
precedes the path. A copy may be as secret as the file was, so only its owner may read it.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.srn import MINION_TYPE
from ensue.library.states.file.private_copies import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.content import Content
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data

_FOLDER: Final = "file_backup"
_MONTHS: Final = "JanFebMarAprMayJunJulAugSepOctNovDec"
_DAYS: Final = "MonTueWedThuFriSatSun"
_PLACES: Final = frozenset({"minion", "both", "true"})


def wants_backup(backup: Data) -> bool:
    """Return whether `backup` requests a copy: `minion`, `both` or true."""
    return str(backup).lower() in _PLACES


async def keep_backup(ctx: FunctionContext, path: str, content: Content) -> Path:
    """Keep a copy of a file that is about to be replaced.

    Args:
        path: the file's path on the target.
        content: its content; long content is written in chunks.

    Returns:
        Where the copy is, on the managing minion.

    Raises:
        StateFailedError: the copy cannot be written; the file must then not be replaced.
    """
    root = ctx.cache_dir / _FOLDER
    if ctx.srn.type != MINION_TYPE:
        root /= str(ctx.srn).replace("/", "%2F")
    folder, _, base = path.strip("/").rpartition("/")
    now = datetime.now().astimezone()
    # The names of day and month must not depend on the locale.
    day = _DAYS[3 * now.weekday() : 3 * now.weekday() + 3]
    month = _MONTHS[3 * now.month - 3 : 3 * now.month]
    stamp = f"{day}_{month}_{now:%d_%H:%M:%S_%f_%Y}"
    place = root / folder / f"{base}_{stamp}"
    try:
        await write_private(place, content)
    except OSError as error:
        raise StateFailedError(f"no backup of {path} could be kept: {error}") from None
    return place
