"""`file.decode`: writes Base64 data to a file, decoded.

Source: Salt's state module `file`, 3008: changes and comments.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.masking import MASK, mode_with_secret
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.contents import looked_up
from ensue.library.states.file.described import (
    absent_state,
    content_state,
    file_state,
    state_after,
    without_checksums,
)
from ensue.library.states.file.needs import in_folder
from ensue.library.states.file.paths import target_path

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


async def decode(
    ctx: StateContext,
    name: str,
    encoded_data: Any = None,
    contents_pillar: Any = None,
    encoding_type: str = "base64",
    checksum: str = "md5",
) -> StateReturn:
    """Write Base64 data to a file, decoded.

    Args:
        encoded_data: the data.
        contents_pillar: pillar key that has the data.
        encoding_type: `base64`.
        checksum: type of the checksums in `changes` (`md5`, `sha256`, …).

    Example:
        /etc/app.key:
          file.decode:
            - encoded_data: c2VjcmV0Cg==

    Returns:
        `changes` has the checksums `old` and `new`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: the data is missing, given twice or not Base64, or an argument is invalid.
    """
    if not encoded_data and not contents_pillar:
        raise StateFailedError("Specify either the 'encoded_data' or 'contents_pillar' argument.")
    if encoded_data and contents_pillar:
        raise StateFailedError("Specify only one 'encoded_data' or 'contents_pillar' argument.")
    if encoding_type != "base64":
        raise StateFailedError(f"encoding_type: it is base64, not {encoding_type!r}")
    path = await target_path(ctx, name)
    text = encoded_data or await looked_up(ctx, "pillar.get", contents_pillar, ":")
    decoded = _decoded(text)
    status = await ctx.connection.stat(path, follow=True)
    content = await ctx.connection.read(path) if status is not None else None
    if status is not None and content == decoded:
        comment = "File is in the correct state."
        state = content_state(path, decoded, status)
        returned = StateReturn.unchanged(name, comment, state)
        return without_checksums(returned, ctx.masker, decoded)
    old = _sum(content, checksum) if content is not None else None
    changes: dict[str, Any] = {"old": old, "new": _sum(decoded, checksum)}
    if ctx.masker.is_in(decoded):
        changes = dict.fromkeys(changes, MASK)
    if ctx.test:
        old_state = absent_state(path) if status is None else None
        planned = StateReturn.planned(name, "File is set to be updated.", changes, old_state=old_state)
        return await in_folder(ctx.connection, path, planned, makedirs=status is not None)
    mode = mode_with_secret(ctx.masker, decoded) if status is None else None
    await ctx.connection.write(path, decoded, mode=mode)
    returned = StateReturn.changed(
        name,
        "File was updated.",
        changes,
        await state_after(ctx.connection, path, decoded),
        old_state=content_state(path, content, status)
        if status and content is not None
        else file_state(path, None, None),
    )
    return without_checksums(returned, ctx.masker, decoded)


def _decoded(text: Any) -> bytes:
    try:
        return base64.decodebytes(str(text).encode())
    except binascii.Error as error:
        raise StateFailedError(f"this is no Base64: {error}") from None


def _sum(content: bytes, kind: str) -> str:
    try:
        return hashlib.new(kind, content, usedforsecurity=False).hexdigest()
    except ValueError:
        raise StateFailedError(f"checksum: there is no {kind!r}") from None
