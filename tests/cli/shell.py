"""Running the `ensue` command as a user does: a process of its own, in a project folder.

Commands that run to their end are forked from a process that has loaded ensue already, because most of the
time of a small command goes into loading (`forked_commands`). The others start from nothing, as a user's do.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.forked_commands import CommandServer

SOURCE = Path(__file__).resolve().parents[2] / "src"
LONGEST_S = 300


def command() -> list[str]:
    """Return the installed console command; where there is none, the module that it starts."""
    installed = Path(sys.executable).with_name("ensue")
    return [str(installed)] if installed.is_file() else [sys.executable, "-m", "ensue"]


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which nothing of the user's own changes what is printed."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ENSUE_", "_ENSUE", "LC_"))
    }
    path = os.pathsep.join(filter(None, (str(SOURCE), os.environ.get("PYTHONPATH", ""))))
    return {**kept, "PYTHONPATH": path, "LANG": "C.UTF-8", "PYTHONUTF8": "1", "TERM": "xterm", **more}


@cache
def command_server() -> CommandServer:
    """Return the server of forked commands, which ends with this process."""
    server = CommandServer(environment())
    atexit.register(server.close)
    return server


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What stdout holds, which must be exactly one JSON document."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Shell:
    """A project folder to run commands in."""

    root: Path

    def write(self, name: str, content: str) -> None:
        """Write a file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def run(self, *words: str, **env: str) -> Ended:
        """Run `ensue` with these words, in a forked process where that is set up as a new one would be."""
        given = environment(**env)
        if not command_server().fits(given):
            return self.run_anew(*words, **env)
        line = [*command(), *words]
        done = command_server().run(line, folder=self.root, environment=given, longest_s=LONGEST_S)
        return Ended(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    def run_on_terminal(self, *words: str) -> Ended:
        """Run `ensue` with these words on a terminal, which shows output and errors as `out`."""
        line = [*command(), *words]
        given = environment()
        done = command_server().run_on_terminal(
            line, folder=self.root, environment=given, longest_s=LONGEST_S
        )
        return Ended(code=done.returncode, out=done.stdout.decode(), err="")

    def run_anew(self, *words: str, **env: str) -> Ended:
        """Run `ensue` with these words, in a process that starts from nothing."""
        done = subprocess.run(
            [*command(), *words],
            cwd=self.root,
            env=environment(**env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
        return Ended(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    def start(self, *words: str, **streams: Any) -> subprocess.Popen[bytes]:
        """Start `ensue` and go on."""
        given: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            # A buffer would keep lines behind the one that is read, and `communicate` would not return them.
            "bufsize": 0,
            "env": environment(),
            **streams,
        }
        return subprocess.Popen([*command(), *words], cwd=self.root, **given)
