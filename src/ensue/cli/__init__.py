"""The command line: one module a command; each parses, calls `ensue.app`, prints, and returns an exit code.

Importing this package costs nothing: a command's module is loaded when the command is named, and
whatever needs a project, a template or an event loop is loaded when the command runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Args:
        arguments: the words after `ensue`; None: those that the process was started with.
    """
    from ensue.cli.entry import run

    return run(arguments)
