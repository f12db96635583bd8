"""The base class of Salt's errors, and the error for names that ensue does not provide.

Files import both from `salt.exceptions`.
"""

from __future__ import annotations

from typing import Any

from ensue.core.errors import EnsueError

# ruff: noqa: N818 -- the names are Salt's


class SaltException(EnsueError):
    """The base class of Salt's errors."""

    def __init__(self, message: Any = "") -> None:
        self.message = self.strerror = message if isinstance(message, str) else str(message)
        super().__init__(self.message)


class SaltClientError(SaltException):
    """A client failed."""
