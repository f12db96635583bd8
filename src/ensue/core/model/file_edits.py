"""The functions of `file` that change a part of a content, so that several states may share a file."""

from __future__ import annotations

from typing import Final

EDITING: Final = frozenset({
    "append", "blockreplace", "comment", "keyvalue", "line", "patch", "prepend", "replace", "uncomment",
})  # fmt: skip
"""Functions that change a part of a content."""
