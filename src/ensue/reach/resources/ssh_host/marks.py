"""The marked lines with which each session of a host reports the process id and the beginning of its command.

What precedes the beginning was printed by the startup files of the login shell, by sudo or by su. A session
that ends without a beginning has not run its command. The end needs no mark: the command takes the place of
the shells before it, so nothing follows it, and the server reports its end.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

import msgspec

from ensue.core.contracts.connection import Completed
from ensue.reach.resources.client_process import code_of_shell
from ensue.reach.resources.ssh_host.login_line import login_line
from ensue.reach.resources.ssh_host.terminal import with_terminal
from ensue.reach.resources.unmarked_output import unmarked

if TYPE_CHECKING:
    from ensue.core.contracts.connection import OutputListener


class Marks:
    """The marks of one host's sessions, which nothing else prints: the token is random.

    Args:
        tty: whether scripts run under the control of a terminal, as `terminal` describes.
    """

    def __init__(self, *, tty: bool) -> None:
        self._tty = tty
        self.token = f"ensue-{secrets.token_hex(8)}"
        self.pid = re.compile(rb"%s pid (\d{1,18})(?: begins)?\n" % self.token.encode())
        self._output_begins = f"{self.token}\n".encode()
        self._errors_begin = re.compile(rb"%s pid (\d{1,18}) begins\n" % self.token.encode())

    def line(self, script: str, *, user: str = "") -> str:
        """Return a script as a line for a login shell.

        Args:
            script: begins with the marks, or leads to them as another user.
            user: that user. What runs as the user logged in is then reported first.
        """
        if user:
            script = f"echo {self.token} pid $$ >&2\n{script}"
        return login_line(with_terminal(script) if self._tty else script, hidden=self.token)

    def marked(self, script: str) -> str:
        """Return a script that marks the beginning of its output and of its error output."""
        return f"echo {self.token}; echo {self.token} pid $$ begins >&2\n{script}"

    def unmarked(self, listener: OutputListener | None, *, user: str) -> OutputListener | None:
        """Return what passes the output of a session on from its beginning; `user` as for `line`."""
        return unmarked(listener, self.token, output_marks=1, error_marks=2 if user else 1)

    def from_beginning(self, done: Completed) -> Completed | None:
        """Return how a command has ended, and what it has written; None if it has not begun."""
        _, output_began, stdout = done.stdout.partition(self._output_begins)
        errors_began = self._errors_begin.search(done.stderr)
        if not output_began or errors_began is None:
            return None
        return Completed(
            returncode=code_of_shell(done.returncode) if self._tty else done.returncode,
            stdout=stdout,
            stderr=done.stderr[errors_began.end() :],
            pid=int(errors_began[1]),
        )

    def command_pid(self, errors: bytes | bytearray) -> int:
        """Return the process id of a command that has begun, 0 otherwise.

        It differs from the reported one below sudo and su.
        """
        began = self._errors_begin.search(errors)
        return int(began[1]) if began else 0

    def unmarked_errors(self, done: Completed) -> Completed:
        """Return what was written by others than a command, as error output.

        Lines with the token are left out, and with it without its first letter, which `line` hides: a login
        shell may repeat its line, and that may hold secrets in a form in which nothing recognises them.
        """
        lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
        unmarked = b"\n".join(line for line in lines if self.token[1:].encode() not in line)
        return msgspec.structs.replace(done, stderr=unmarked)
