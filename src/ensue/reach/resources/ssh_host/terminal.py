"""Gives a script a terminal on the host, for a sudo that requires one (`requiretty`).

A terminal of the SSH session itself would merge output and error output, and take bytes of the input for
keys. Here the terminal only controls the processes (`/dev/tty`), and their input and output stay pipes.
`script` of util-linux makes it, and ends with 128 and the number of the signal that ended the command.
"""

from __future__ import annotations

from typing import Final

from ensue.reach.resources.command_script import quote

_WITH_TERMINAL: Final = """
command -v script >/dev/null || {{ echo '`tty` needs the program script (util-linux)' >&2; exit 127; }}
exec 3<&0 4>&1 5>&2
ENSUE_SHELL=$SHELL SHELL=/bin/sh exec script -qec {line} /dev/null </dev/null >/dev/null
"""
"""`script` starts $SHELL, which may be any login shell."""

_WITHIN: Final = """exec <&3 >&4 2>&5 3<&- 4>&- 5>&-
export SHELL="$ENSUE_SHELL"; unset ENSUE_SHELL
"""


def with_terminal(script: str) -> str:
    """Return a script that runs another one under the control of a new terminal."""
    return _WITH_TERMINAL.format(line=quote(_WITHIN + script))
