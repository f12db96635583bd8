"""The beginning of content that a plan would write to a new file, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.content import size_of
from ensue.core.model.file_lines import file_lines
from ensue.library.states.file.difference import decoded, is_text
from ensue.library.states.file.shown_difference import without_named_secret

if TYPE_CHECKING:
    from ensue.core.contracts.content import Content
    from ensue.core.masking import Masker

MOST_LINES: Final = 20
MOST_BYTES: Final = 2048
"""The bounds of a preview; what is longer ends with the number of further lines."""


def content_preview(content: Content, masker: Masker) -> str:
    """Return the beginning of content: at most 20 lines and 2 KiB; for other content than text, its size.

    Args:
        content: all of it; long content, which is not in memory, is not looked into.
        masker: knows the secrets. It masks all of the content before that is cut.
    """
    if not isinstance(content, bytes):
        return f"{size_of(content)} bytes (too long to show)"
    if not content:
        return ""
    if not is_text(content):
        return f"binary content, {len(content)} bytes"
    lines = [without_named_secret(line) for line in file_lines(masker.text(decoded(content)))]
    return "\n".join(_beginning(lines))


def _beginning(lines: list[str]) -> list[str]:
    shown: list[str] = []
    rest_bytes = MOST_BYTES
    for line in lines[:MOST_LINES]:
        rest_bytes -= len(line.encode("utf-8", "replace")) + 1
        if rest_bytes < 0:
            break
        shown.append(line)
    more = len(lines) - len(shown)
    return [*shown, f"… {more} more line{'s' if more > 1 else ''}"] if more else shown
