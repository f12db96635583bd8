"""Which functions of `file` decide what is at a path, and which change a part of it.

States of the latter may share a file.
"""

from __future__ import annotations

from typing import Final

EDITING: Final = frozenset({
    "append", "blockreplace", "comment", "keyvalue", "line", "patch", "prepend", "replace", "uncomment",
})  # fmt: skip
"""Functions that change a part of a content."""

WHOLE: Final = frozenset({
    "absent", "copy", "decode", "directory", "hardlink", "managed", "mknod", "recurse", "serialize",
    "shortcut", "symlink",
})  # fmt: skip
"""Functions that decide what is at their path."""
