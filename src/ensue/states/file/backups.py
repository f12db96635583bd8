"""`backup: minion`: what a file was before it was replaced, kept below the managing minion's cachedir.

The layout is Salt's: `file_backup/<folder>/<name>_<date>`; for a target that is not the minion itself
its SRN stands before the path. A copy is as secret as the file was, hence its owner's alone.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from ensue.errors import StateFailedError
from ensue.model.srn import MINION_TYPE
from ensue.states.file.private_copies import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.contracts.content import Content
    from ensue.contracts.context import FunctionContext
    from ensue.model.data import Data

_FOLDER: Final = "file_backup"
_MONTHS: Final = "JanFebMarAprMayJunJulAugSepOctNovDec"
_DAYS: Final = "MonTueWedThuFriSatSun"
_PLACES: Final = frozenset({"minion", "both", "true"})


def wants_backup(backup: Data) -> bool:
    """Say whether the user asks for a copy: `minion`, `both` or true."""
    return str(backup).lower() in _PLACES


async def keep_backup(ctx: FunctionContext, path: str, content: Content) -> Path:
    """Keep a copy.

    Args:
        ctx: the target.
        path: the file's path there.
        content: what it holds; long content is written chunk by chunk.

    Returns:
        Where the copy is, on the managing minion.

    Raises:
        StateFailedError: it cannot be kept; the file must not be replaced then.
    """
    root = ctx.cache_dir / _FOLDER
    if ctx.srn.type != MINION_TYPE:
        root /= str(ctx.srn).replace("/", "%2F")
    folder, _, base = path.strip("/").rpartition("/")
    now = datetime.now().astimezone()
    # The name of the day and month is written without the locale's help.
    day = _DAYS[3 * now.weekday() : 3 * now.weekday() + 3]
    month = _MONTHS[3 * now.month - 3 : 3 * now.month]
    stamp = f"{day}_{month}_{now:%d_%H:%M:%S_%f_%Y}"
    place = root / folder / f"{base}_{stamp}"
    try:
        await write_private(place, content)
    except OSError as error:
        raise StateFailedError(f"no backup of {path} could be kept: {error}") from None
    return place
