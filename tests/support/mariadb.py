"""A MariaDB server of its own for tests: its data below a folder that goes afterwards, and no port."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_READY = "ready for connections"


def is_there() -> bool:
    """Say whether the programs of a MariaDB server are on this machine."""
    return all(shutil.which(name, path=_path()) for name in ("mariadbd", "mariadb-install-db", "mysql"))


@contextmanager
def running_mariadb() -> Iterator[Path]:
    """Run a server until the end; yield its socket. Its `root` has no password."""
    user = getpass.getuser()
    with tempfile.TemporaryDirectory(prefix="mariadb-") as name:
        folder = Path(name)
        env = {**os.environ, "PATH": _path()}
        common = ["--no-defaults", f"--datadir={folder / 'data'}", f"--user={user}"]
        subprocess.run(
            ["mariadb-install-db", *common, "--auth-root-authentication-method=normal", "--skip-test-db"],
            check=True, env=env, capture_output=True,
        )  # fmt: skip
        socket = folder / "socket"
        with subprocess.Popen(
            ["mariadbd", *common, f"--socket={socket}", "--skip-networking", f"--pid-file={folder / 'pid'}"],
            env=env, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stderr is not None
            assert any(_READY in line for line in process.stderr), "MariaDB did not start"
            try:
                yield socket
            finally:
                process.terminate()
                process.stderr.read()


def _path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin"
