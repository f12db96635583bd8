"""The exit codes of commands: Salt's meanings, and the shell's for a signal."""

from typing import Final

SUCCEEDED: Final = 0
"""Success."""

REFUSED: Final = 1
"""The input was refused or did not compile: nothing was run. A bug in ensue has this code, too."""

FAILED: Final = 2
"""A state failed, or a target matched nothing."""

INTERRUPTED: Final = 130
"""SIGINT, SIGTERM or SIGHUP ended the command before it was done."""

CHANGES: Final = 2
"""A plan with `--detailed-exitcode` found something to change."""
