"""Describes a change of a file's content: a unified diff, or a sentence if the content is not text.

Source: the sentences, and the test whether content is text, are those of Salt 3008.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ensue.core.masking import MASK
from ensue.core.model.file_lines import file_lines
from ensue.core.model.secret_values import secret_text

if TYPE_CHECKING:
    from collections.abc import Sequence

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


async def content_difference(old: bytes, new: bytes, masker: Masker) -> str:
    """Return the change from one content to another, without secrets; a long diff is made in a thread."""
    if len(old) + len(new) > _INLINE_SIZE_BYTES:
        return await asyncio.to_thread(_shown_difference, old, new, masker)
    return _shown_difference(old, new, masker)


def _shown_difference(old: bytes, new: bytes, masker: Masker) -> str:
    return without_secrets(describe_difference(old, new), masker, old, new)


def without_secrets(diff: str, masker: Masker, old: bytes, new: bytes) -> str:
    """Return a diff that shows no secret.

    If the diff contains a secret or a line of one, `(sensitive)` replaces the whole diff, because the old
    value next to it is a secret as well, and the masker does not know it. In a line with the name of a
    secret (`password=…`), only the value is replaced.

    Args:
        diff: lines, each with its sign.
        masker: knows the secrets.
        old: content before the change.
        new: content after the change.
    """
    diff = masker.difference(diff, old, new)
    return "".join(line[:1] + without_named_secret(line[1:]) for line in file_lines(diff, keepends=True))


def without_named_secret(line: str) -> str:
    """Return a line with the value masked if its name is that of a secret (`password=…`)."""
    secret = secret_text(line.rstrip("\r\n"))
    return line if secret is None else MASK.join(line.rsplit(secret, 1))


def describe_difference(old: bytes, new: bytes) -> str:
    """Return the change from one content to another; it is never empty if they differ."""
    match is_text(old), is_text(new):
        case True, False:
            return "Replace text file with binary file"
        case False, True:
            return "Replace binary file with text file"
        case False, False:
            return "Replace binary file"
        case _:
            return unified(
                file_lines(decoded(old), keepends=True), file_lines(decoded(new), keepends=True)
            ) or ("Replace binary file" if old != new else "")


def unified(old: Sequence[str], new: Sequence[str], *, joined_by: str = "") -> str:
    """Return a unified diff of lines without file names."""
    import difflib

    return joined_by.join(difflib.unified_diff(old, new))


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
