"""`salt.utils.timed_subprocess`: a process with a timeout."""

from __future__ import annotations

import subprocess
from typing import Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.exceptions import TimedProcTimeoutError


class TimedProc:
    """A process with a timeout.

    Args:
        args: the command.
        kwargs: `timeout` in seconds, `stdin` as text, `with_communicate`, and those of `subprocess.Popen`.
    """

    def __init__(self, args: Any, **kwargs: Any) -> None:
        self.timeout: float | None = kwargs.pop("timeout", None)
        self.with_communicate: bool = kwargs.pop("with_communicate", True)
        self.command = args
        stdin = kwargs.pop("stdin", None)
        self._given = stdin.encode() if isinstance(stdin, str) else stdin
        if self._given is not None:
            kwargs["stdin"] = subprocess.PIPE
        if not self.with_communicate:
            kwargs.setdefault("stdout", subprocess.DEVNULL)
            kwargs.setdefault("stderr", subprocess.DEVNULL)
        self.process: subprocess.Popen[Any] = subprocess.Popen(args, **kwargs)
        self.stdout: Any = None
        self.stderr: Any = None

    def run(self) -> int:
        """Wait until it ends.

        Returns:
            Its exit code.

        Raises:
            TimedProcTimeoutError: it timed out and was killed.
        """
        try:
            self.stdout, self.stderr = self.process.communicate(self._given, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise TimedProcTimeoutError(f"{self.command} : Timed out after {self.timeout} seconds") from None
        return self.process.returncode


__getattr__ = not_there(__name__)
