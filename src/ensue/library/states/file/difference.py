"""Describes a change of a file's content: a unified diff, or a sentence if the content is not text.

Source: the sentences, and the test whether content is text, are those of Salt 3008.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ensue.core.masking import MASK
from ensue.core.model.file_lines import file_lines
from ensue.library.states.file.shown_difference import ShownDifference

if TYPE_CHECKING:
    from ensue.core.masking import Masker

HIDDEN: Final = "<show_changes=False>"
"""Replaces a diff that the user does not want to see."""

_LOOKED_AT_BYTES: Final = 512
_MOST_ODD_SHARE: Final = 0.30
_ORDINARY: Final = bytes(range(32, 127)) + b"\n\r\t\f\b"
_INLINE_SIZE_BYTES: Final = 64 * 1024


LONGEST_SHOWN_BYTES: Final = 1 << 20
"""Longer content is not read to show a diff of it."""


def long_difference(old_bytes: int, new_bytes: int) -> str:
    """Return the sentence that replaces the diff of a file that is too long for one.

    Args:
        old_bytes: size before the change.
        new_bytes: size after the change.
    """
    return f"Replace {old_bytes} bytes by {new_bytes} bytes (too long to show a diff)"


async def content_difference(old: bytes, new: bytes, masker: Masker, *, is_edit: bool = False) -> str:
    """Return the change from one content to another, without secrets; it is never empty if they differ.

    A long diff is made in a thread.

    Args:
        old: content before the change.
        new: content after the change.
        masker: knows the secrets.
        is_edit: whether the new content is made from the old one. Any of its lines may then have text of the
            old one, so the diff is `(sensitive)` if a secret is added.
    """
    if len(old) + len(new) > _INLINE_SIZE_BYTES:
        return await asyncio.to_thread(_difference, old, new, masker, is_edit)
    return _difference(old, new, masker, is_edit)


def _difference(old: bytes, new: bytes, masker: Masker, is_edit: bool) -> str:
    match is_text(old), is_text(new):
        case True, False:
            return "Replace text file with binary file"
        case False, True:
            return "Replace binary file with text file"
        case False, False:
            return "Replace binary file"
        case _:
            before, after = (file_lines(decoded(content), keepends=True) for content in (old, new))
            lines = ShownDifference(before, after, masker, is_edit=is_edit)
            if is_edit and lines.adds_secret:
                return MASK
            return lines.unified() or ("Replace binary file" if old != new else "")


def decoded(content: bytes) -> str:
    """Return bytes as text: UTF-8, or else Latin-1, which decodes anything."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def is_text(content: bytes) -> bool:
    """Return whether content looks like text: its start has no zero byte and is UTF-8 or mostly ASCII."""
    start = content[:_LOOKED_AT_BYTES]
    if b"\0" in start:
        return False
    try:
        start.decode()
    except UnicodeDecodeError:
        return len(start.translate(None, _ORDINARY)) / len(start) <= _MOST_ODD_SHARE
    return True
