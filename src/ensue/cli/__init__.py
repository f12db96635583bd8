"""The command line: one module per command; each parses, calls `ensue.app`, prints, and returns an exit code.

Importing this package loads no library. A command's module is loaded when the command is named, and the code
that needs a project, a template or an event loop is loaded when the command runs.
"""

from __future__ import annotations

from ensue.cli.entry import main

__all__ = ["main"]
