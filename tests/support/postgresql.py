"""A real PostgreSQL server for tests: on a Unix socket in a folder of its own, as a user that is not root."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_USER = "postgres"
_LONGEST_START_S = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Postgresql:
    """A running server.

    Args:
        socket_folder: where its socket is; it listens nowhere else.
        user: its superuser, who needs no password.
    """

    socket_folder: Path
    user: str = _USER

    @property
    def log(self) -> str:
        """What it has logged."""
        return (self.socket_folder / "log").read_text(encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        """What `psql` reads to connect."""
        return {"PGHOST": str(self.socket_folder), "PGUSER": self.user, "PGDATABASE": "postgres"}

    def query(self, sql: str) -> list[str]:
        """Return the rows of a query as lines of CSV."""
        command = ["psql", "--no-psqlrc", "--csv", "--tuples-only", "--command", sql]
        environment = {**os.environ, **self.environment}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()


def programs() -> Path | None:
    """Return the folder of the newest server's programs; None where there is no server or no `psql`."""
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.stat().st_mtime
    )
    initdb = installed[-1] if installed else shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb and shutil.which("psql") else None


@contextlib.contextmanager
def running_postgresql(*, access: str = "", settings: str = "") -> Generator[Postgresql]:
    """Start a server with an empty database; at its end stop it and remove all of it.

    Args:
        access: the content of its `pg_hba.conf`; empty: nobody needs a password.
        settings: further options of the server's command line.
    """
    folder = programs()
    assert folder is not None, "PostgreSQL is not installed"
    # The path of a socket may be 107 bytes long, and pytest's folders are closed to other users.
    with tempfile.TemporaryDirectory(prefix="pg-") as root:
        data = Path(root) / "data"
        if os.geteuid() == 0:
            shutil.chown(root, _USER)
        _run(["cp", "-a", _empty_database(folder), data])
        # No TCP; what is lost when the machine fails is lost.
        lossy = "-c fsync=off -c full_page_writes=off"
        options = f"-k {root} -c listen_addresses= {lossy} {settings}"
        if access:
            (data / "pg_hba.conf").write_text(access, encoding="utf-8")
        control = [folder / "pg_ctl", "-D", data, "-w", "-t", str(_LONGEST_START_S)]
        _run([*control, "-l", Path(root) / "log", "-o", options, "start"])
        try:
            with pytest.MonkeyPatch.context() as patch:
                # Debian's own `psql` is a script that takes ten times as long to find this one.
                patch.setenv("PATH", str(folder), prepend=os.pathsep)
                yield Postgresql(socket_folder=Path(root))
        finally:
            _run([*control, "-m", "immediate", "stop"])


@cache
def _empty_database(folder: Path) -> Path:
    """Return the data of a server that has never run, made once in a process, since it takes seconds.

    Args:
        folder: where the server's programs are.
    """
    root = tempfile.mkdtemp(prefix="pg-")
    atexit.register(shutil.rmtree, root)
    if os.geteuid() == 0:
        shutil.chown(root, _USER)
    data = Path(root) / "data"
    locale = ["--encoding=UTF8", "--no-locale"]
    _run([folder / "initdb", "-D", data, "-U", _USER, "--auth=trust", "--no-sync", *locale])
    return data


def _run(command: list[str | Path]) -> None:
    """Run a program of the server, which refuses to be root."""
    as_user: list[str | Path] = []
    if os.geteuid() == 0:
        as_user = ["setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--init-groups", "--"]
    subprocess.run(
        [*as_user, *command],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
