"""Folder names made from any text."""

from __future__ import annotations

import hashlib
from typing import Final
from urllib.parse import quote

_LONGEST_CHARS: Final = 200
"""Part of a path has at most 255 bytes; this leaves room for a digest."""


def folder_name(name: str) -> str:
    """Return a name as one safe part of a path; different names stay different.

    Args:
        name: any text, of any length.
    """
    quoted = quote(name, safe="", errors="surrogatepass")
    quoted = f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted
    if len(quoted) <= _LONGEST_CHARS:
        return quoted
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{quoted[:_LONGEST_CHARS]}-{digest[:32]}"
