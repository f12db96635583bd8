"""An error for what an ordinary user may not do names its remedy: the entry of the host."""

from __future__ import annotations

import asyncio
import errno
import os
import tempfile
from asyncio.subprocess import PIPE
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ensue.core.contracts.connection import Command, Completed
from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.confine import Confinement
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.reach.resources.minion.files import MinionFiles
from ensue.reach.resources.posix_files import PosixFiles

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from ensue.core.contracts.connection import FolderChange

NOBODY = 65534
HERE = Confinement()

ATTEMPTS: dict[str, Callable[[PosixFiles | MinionFiles, str], Awaitable[object]]] = {
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


FORESEEN: dict[str, tuple[str, FolderChange]] = {
    "write": ("new", "write"),
    "overwrite": ("secret", "write"),
    "make a folder": ("a", "make_directory"),
    "remove": ("secret", "remove"),
    "link": ("link", "symlink"),
    "move": ("secret", "rename"),
}
"""What the attempts change, which can be foreseen."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")


async def run(command: Command) -> Completed:
    """Run a command as an ordinary user."""
    process = await asyncio.create_subprocess_exec(
        *command.argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd="/", user=NOBODY
    )
    stdout, stderr = await process.communicate(command.stdin)
    return Completed(returncode=process.returncode, stdout=stdout, stderr=stderr)


@needs_root
@pytest.mark.parametrize("kind", ["shell", "minion"])
@pytest.mark.parametrize("attempt", list(FORESEEN))
def test_what_will_be_denied_is_foreseen(open_folder: Path, kind: str, attempt: str) -> None:
    """In the words of the attempt, and only where it will be denied."""
    (own := open_folder / "own").mkdir()
    os.chown(own, NOBODY, NOBODY)
    is_shell = kind == "shell"
    files = PosixFiles(Srn("ssh_host", "web-01"), run) if is_shell else MinionFiles(Srn("minion", "m"), HERE)
    name, change = FORESEEN[attempt]
    if not is_shell:
        # What writing imports may be in a folder that an ordinary user may not read.
        asyncio.run(files.write(f"{own}/before", b""))
    with nullcontext() if is_shell else as_nobody():
        with pytest.raises(RemoteFileError) as foreseen:
            asyncio.run(files.check_change(f"{open_folder}/{name}", change))
        with pytest.raises(RemoteFileError) as denied:
            asyncio.run(ATTEMPTS[attempt](files, str(open_folder)))
        asyncio.run(files.check_change(f"{own}/{name}", change))
        asyncio.run(files.check_change(f"{open_folder}/none/{name}", change))
    assert (str(foreseen.value), foreseen.value.errno) == (str(denied.value), denied.value.errno)


def test_a_folder_is_asked_about_once(tmp_path: Path) -> None:
    """Otherwise a plan of many files would wait for each. Where a link leads says nothing of its folder."""
    commands: list[Command] = []
    machine = MinionConnection(Srn("minion", "m"))

    async def counted(command: Command) -> Completed:
        commands.append(command)
        return await machine.run(command)

    files = PosixFiles(Srn("shell", "s"), counted)
    (tmp_path / "own").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "own/link").symlink_to(tmp_path / "other/file")

    async def counts(*names: str) -> list[int]:
        asked: list[int] = []
        for name in names:
            await files.check_change(f"{tmp_path}/{name}")
            asked.append(len(commands))
        return asked

    names = ("own/link", "own/a", "own/b", "own/link", "other/file")
    assert asyncio.run(counts(*names)) == [1, 2, 2, 2, 3]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Have the rights of an ordinary user."""
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@needs_root
@pytest.mark.parametrize("attempt", list(ATTEMPTS))
def test_an_ordinary_user_is_told_of_sudo(open_folder: Path, attempt: str) -> None:
    """By the errno and the message; nothing of the script is quoted."""
    files = PosixFiles(Srn("ssh_host", "web-01"), run)
    with pytest.raises(RemoteFileError) as refused:
        asyncio.run(ATTEMPTS[attempt](files, str(open_folder)))
    assert refused.value.errno == errno.EACCES
    assert "give the entry of the host `sudo: true`, or a `user` who may" in str(refused.value)
    assert ".ensue-" not in str(refused.value)
