"""Salt's own commands, against a master and a minion on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ANSWER_S = 60


@dataclass(frozen=True, slots=True)
class StockSalt:
    """A master and its minion `web1`.

    Args:
        base: everything is below it.
    """

    base: Path

    def command(self, program: str, folder: str, *words: str) -> tuple[int, str, str]:
        """Run a program of Salt; return its exit code, its output and its messages."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        command = [str(Path(sys.executable).with_name(program)), "-c", str(self.base / folder), *words]
        done = subprocess.run(command, text=True, capture_output=True, env=clean, check=False)
        return done.returncode, done.stdout, done.stderr

    def call(self, *words: str) -> Any:
        """Run `salt-call` on the minion, and return what the function returns."""
        code, out, err = self.command("salt-call", "web1", "--out=json", *words)
        assert out, (code, err)
        return json.loads(out)["local"]

    def salt(self, *words: str) -> dict[str, Any]:
        """Run `salt` on the master, and return the answers by id."""
        # Not `--static`: it names resources in a list, and Salt then calls `state.apply` on the minion, too.
        _, out, _ = self.command("salt", "m", "--out=json", "--timeout=30", *words)
        answers: dict[str, Any] = {}
        rest = out[out.find("{") :] if "{" in out else ""
        while rest:
            answer, end = json.JSONDecoder().raw_decode(rest)
            answers |= answer
            rest = rest[end:].lstrip()
        return answers

    def run(self, *words: str) -> Any:
        """Run `salt-run` on the master, and return what the runner returns."""
        code, out, err = self.command("salt-run", "m", "--out=json", *words)
        assert out, (code, err)
        # Salt prints a remark before the document when nothing matches.
        return json.loads(out.rpartition("No command was sent, no jid was assigned.\n")[2])

    def wait(self) -> None:
        """Wait until the minion answers."""
        self.until(lambda: self.salt("web1", "test.ping") == {"web1": True}, "the minion does not answer")

    def until(self, is_so: Any, problem: str) -> None:
        """Wait until a condition holds, whose evaluation calls Salt and takes a while."""
        latest = time.monotonic() + ANSWER_S
        while time.monotonic() < latest:
            if is_so():
                return
        pytest.fail(problem)
