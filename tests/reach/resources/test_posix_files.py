"""Files through nothing but a shell keep the contract, with coreutils and with busybox alone."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from ensue.core.contracts.connection import Command, Completed
from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.reach.resources.posix_files import PosixFiles
from ensue.testing.connection_contract import FileContract, Subject

if TYPE_CHECKING:
    from pathlib import Path

SRN = Srn("shell", "s")


class ShellOnly(PosixFiles):
    """This machine through its shell; what is no file operation is the minion's."""

    def __init__(self, path_variable: str | None = None) -> None:
        self._minion = MinionConnection(SRN)
        self._path_variable = path_variable
        super().__init__(SRN, self.run)

    @property
    def srn(self) -> Srn:
        return SRN

    @property
    def can_run(self) -> bool:
        return True

    async def run(self, command: Command) -> Completed:
        if self._path_variable:
            command = msgspec.structs.replace(command, env={"PATH": self._path_variable})
            if command.argv and command.argv[0] == "/bin/sh":
                argv = [f"{self._path_variable}/sh", *command.argv[1:]]
                command = msgspec.structs.replace(command, argv=argv)
        return await self._minion.run(command)

    async def close(self) -> None:
        pass


class TestWithCoreutils(FileContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        return Subject(connect=ShellOnly, folder=str(tmp_path))


@pytest.mark.skipif(not shutil.which("busybox"), reason="needs busybox: apt-get install busybox")
class TestWithBusybox(FileContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        tools = tmp_path / "tools"
        tools.mkdir()
        subprocess.run(["busybox", "--install", "-s", str(tools)], check=True)
        (tmp_path / "work").mkdir()
        return Subject(connect=lambda: ShellOnly(str(tools)), folder=str(tmp_path / "work"))


class CutOff(ShellOnly):
    """Loses the end of what is sent, as a connection does that breaks in the middle."""

    async def run(self, command: Command) -> Completed:
        return await super().run(msgspec.structs.replace(command, stdin=command.stdin[:-10]))


def test_content_that_is_cut_off_replaces_nothing(tmp_path: Path) -> None:
    """When not every byte arrives the old file stays, and nothing is left beside it."""
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(RemoteFileError, match="did not arrive whole"):
        asyncio.run(CutOff().write(f"{tmp_path}/file", b"new" * 100))
    assert (tmp_path / "file").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_without_a_tool_for_hashes_the_file_is_read(tmp_path: Path) -> None:
    """A target without sha256sum has checksums all the same."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "cat", "dd", "stat", "readlink"):
        program = shutil.which(tool)
        assert program is not None
        (tools / tool).symlink_to(os.path.realpath(program))
    (tmp_path / "file").write_bytes(b"content")
    plain = asyncio.run(ShellOnly().checksum(f"{tmp_path}/file"))
    assert asyncio.run(ShellOnly(str(tools)).checksum(f"{tmp_path}/file")) == plain


def test_what_a_tool_says_is_passed_on(tmp_path: Path) -> None:
    """A fault that no exit code explains has the tool's own words."""

    class Refusing(ShellOnly):
        async def run(self, command: Command) -> Completed:
            del command
            return Completed(returncode=1, stdout=b"", stderr=b"chmod: No space left \xff on device\n")

    def ask(target: Any) -> str:
        with pytest.raises(RemoteFileError) as caught:
            asyncio.run(target.set_mode(f"{tmp_path}/file", 0o600))
        return str(caught.value)

    assert "chmod: No space left" in ask(Refusing())
