"""Accounts of this machine that tests make and remove, to log in as them and to let them use sudo."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("useradd") or not shutil.which("sudo"),
    reason="makes a user of its own, which takes root, useradd and sudo",
)


class Account:
    """A user of this machine with a password.

    Args:
        home: the home folder, which is made.
        shell: path of the login shell.
    """

    def __init__(self, home: Path, *, shell: str = "/bin/sh") -> None:
        self.home = home
        self.name = f"ensue-{secrets.token_hex(4)}"
        self.password = secrets.token_hex(8)
        self.sudoers = Path("/etc/sudoers.d") / self.name
        adding = ["useradd", "-m", "-d", home, "-s", shell, self.name]
        subprocess.run(adding, check=True, capture_output=True)
        subprocess.run(["chpasswd"], input=f"{self.name}:{self.password}", text=True, check=True)

    @property
    def login(self) -> dict[str, Any]:
        """What logs it in: no key, since the folder of the server's keys may be closed to the user."""
        return {"user": self.name, "private_key": None, "password": self.password}

    def may_sudo(self, rule: str, *defaults: str) -> None:
        """Let it use sudo.

        Args:
            rule: what it may do, as sudoers has it.
            defaults: settings of sudo for it (`requiretty`).
        """
        lines = [
            f"{self.name} ALL=(ALL:ALL) {rule}",
            *(f"Defaults:{self.name} {default}" for default in defaults),
        ]
        self.sudoers.write_text("\n".join([*lines, ""]))
        self.sudoers.chmod(0o440)

    def may_not_sudo(self) -> None:
        """Let it not use sudo."""
        self.sudoers.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove it with its home folder."""
        self.may_not_sudo()
        subprocess.run(["userdel", "-f", self.name], check=False, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)
