"""Names of users as names of folders."""

from __future__ import annotations

from urllib.parse import quote


def folder_name(name: str) -> str:
    """Return a name as one safe part of a path; different names stay different."""
    quoted = quote(name, safe="")
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted
