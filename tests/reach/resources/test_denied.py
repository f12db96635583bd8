"""An error for what an ordinary user may not do names its remedy: the entry of the host."""

from __future__ import annotations

import asyncio
import errno
import os
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ensue.core.contracts.connection import Command, Completed
from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.posix_files import PosixFiles

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

NOBODY = 65534

ATTEMPTS: dict[str, Callable[[PosixFiles, str], Awaitable[object]]] = {
    "write": lambda files, folder: files.write(f"{folder}/new", b"x"),
    "overwrite": lambda files, folder: files.write(f"{folder}/secret", b"x"),
    "read": lambda files, folder: files.read(f"{folder}/secret"),
    "make a folder": lambda files, folder: files.make_directory(f"{folder}/a"),
    "make folders": lambda files, folder: files.make_directory(f"{folder}/a/b", parents=True),
    "remove": lambda files, folder: files.remove(f"{folder}/secret"),
    "remove all": lambda files, folder: files.remove(f"{folder}/secret", recursive=True),
    "link": lambda files, folder: files.symlink("x", f"{folder}/link"),
    "move": lambda files, folder: files.rename(f"{folder}/secret", f"{folder}/moved"),
    "set the mode": lambda files, folder: files.set_mode(f"{folder}/secret", 0o644),
    "set the owner": lambda files, folder: files.set_owner(f"{folder}/secret", user="nobody"),
}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder of root that everybody may read, unlike `tmp_path`, with a file that nobody else may."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "secret").write_text("x")
        (folder / "secret").chmod(0o600)
        yield folder


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
@pytest.mark.parametrize("attempt", list(ATTEMPTS))
def test_an_ordinary_user_is_told_of_sudo(open_folder: Path, attempt: str) -> None:
    """By the errno and the message; nothing of the script is quoted."""

    async def run(command: Command) -> Completed:
        process = await asyncio.create_subprocess_exec(
            *command.argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd="/", user=NOBODY
        )
        stdout, stderr = await process.communicate(command.stdin)
        return Completed(returncode=process.returncode, stdout=stdout, stderr=stderr)

    files = PosixFiles(Srn("ssh_host", "web-01"), run)
    with pytest.raises(RemoteFileError) as refused:
        asyncio.run(ATTEMPTS[attempt](files, str(open_folder)))
    assert refused.value.errno == errno.EACCES
    assert "give the entry of the host `sudo: true`, or a `user` who may" in str(refused.value)
    assert ".ensue-" not in str(refused.value)
