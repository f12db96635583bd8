"""What a plan says of a folder that is missing, in the comment of a state that makes something in it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_FORM: Final = (
    "The folder {} does not exist: the state fails, unless an earlier one makes it (`makedirs: true` does)."
)
_LINE: Final = re.compile("^" + re.escape(_FORM).replace(r"\{\}", "(?P<folder>.+)") + "$", re.MULTILINE)


class MissingFolder(NamedTuple):
    """A folder that is missing when a plan is made.

    Args:
        folder: its path.
        line: the line of the comment about it.
    """

    folder: str
    line: str


def line_of_missing_folder(folder: str) -> str:
    """Return the line for the comment of a state that makes something in a missing folder."""
    return _FORM.format(folder)


def missing_folder_of(comment: str) -> MissingFolder | None:
    """Return the missing folder that a comment is about; None if it is about none."""
    match = _LINE.search(comment)
    return MissingFolder(match["folder"], match[0]) if match else None
