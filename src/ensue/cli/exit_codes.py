"""What the number says that a command leaves behind. Salt's meanings, and the shell's for a signal."""

from typing import Final

SUCCEEDED: Final = 0
"""All is well."""

REFUSED: Final = 1
"""The input was refused or did not compile: nothing was run. A fault of ensue itself ends so, too."""

FAILED: Final = 2
"""A state failed, or a target matched nothing."""

INTERRUPTED: Final = 130
"""SIGINT, SIGTERM or SIGHUP ended the command before it was done."""

CHANGES: Final = 2
"""A plan with `--detailed-exitcode` found something to change."""
