"""Hosts whose users log in with any shell, whatever its startup files do."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.reach.resources.conftest import context_for
from tests.support.login_shells import SHELLS, path_of, shell_sshd

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteError, RemoteTimeoutError
from ensue.reach.resources import ssh_host
from ensue.reach.resources.ssh_host.login_line import login_line
from ensue.testing.connection_contract import ConnectionContract, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.sshd import Sshd

    from ensue.core.contracts.connection import Completed
    from ensue.reach.resources.ssh_host.connection import SshConnection

pytestmark = pytest.mark.openssh

ODD = r"""%s \n \\ '"'"' " ` $HOME !! !x ~ * [a] {a,b} ^a^b # ; & | < > ( ) é """


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    """Each login shell."""
    return str(request.param)


@pytest.fixture(scope="module")
def host(shell: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A host with this login shell."""
    with shell_sshd(tmp_path_factory.mktemp(shell), shell) as server:
        yield server


def ran(connection: SshConnection, *commands: Command) -> list[Completed]:
    """Run commands one after the other, and close the connection."""

    async def scene() -> list[Completed]:
        try:
            return [await connection.run(command) for command in commands]
        finally:
            await connection.close()

    return asyncio.run(scene())


def test_commands(host: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """The output and the exit code are those of the command alone, and every byte of it arrives."""
    odd = Command(argv=["printf", "%s", "\udcff\n" + ODD])
    done = ran(
        ssh(host.config()),
        Command(shell_line="echo out; echo err >&2; exit 3"),
        Command(shell_line='if true; then echo "$((1 + 1))"; fi # !\nprintf \'\\n%s\' "it\'s"'),
        odd,
        Command(shell_line="cat; echo $V", stdin=b"in\0\xff", env={"V": "'\"\\ \n!"}),
        Command(shell_line="("),
    )
    assert (done[0].returncode, done[0].stdout, done[0].stderr) == (3, b"out\n", b"err\n")
    assert done[1].stdout == b"2\n\nit's"
    assert done[2].stdout == b"\xff\n" + ODD.encode()
    assert done[3].stdout == b"in\0\xff'\"\\ !\n"
    assert done[4].returncode
    assert all(each.stderr == b"" for each in done[1:4])


@pytest.mark.parametrize("inner", [*SHELLS, "sh"])
def test_shells_within_a_command(host: Sshd, ssh: Callable[..., SshConnection], inner: str) -> None:
    """No shell that a command names or starts reads startup files, or has what they set for later ones."""
    path = path_of(inner)
    if inner == "busybox":
        lines = [Command(shell_line=f"{path} ash -c 'cd /usr; cd bin; echo out'")]
    else:
        lines = [
            Command(shell=path, shell_line="cd /usr; cd bin; echo out"),
            Command(shell=path, shell_line="cd /usr; cd bin; echo out", clean_env=True),
        ]
        # A zsh, csh or fish that the command itself starts reads its files: that is what the command says.
        if inner not in {"zsh", "fish", "tcsh", "bsd-csh"}:
            lines.append(Command(shell_line=f"{path} -c 'cd /usr; cd bin; echo out'; true"))
    for done in ran(ssh(host.config()), *lines):
        assert (done.returncode, done.stdout, done.stderr) == (0, b"out\n", b"")


def test_ping_and_grains(host: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A long script runs, and what the startup files print is no part of its answer."""
    config = host.config()

    async def scene() -> dict[str, Any]:
        connection = ssh(config)
        try:
            assert await ssh_host.ping(connection) is True
            return await ssh_host.grains(connection, context_for(config))
        finally:
            await connection.close()

    grains = asyncio.run(scene())
    assert (grains["kernel"], grains["id"]) == ("Linux", "host")
    assert not any("noise" in str(value) for value in grains.values())


@pytest.mark.parametrize("sftp", [True, False])
def test_files(shell: str, ssh: Callable[..., SshConnection], tmp_path: Path, *, sftp: bool) -> None:
    """Files are written and read where the startup files of the shell spoil SFTP, and where there is none."""
    content = bytes(range(256)) * 5

    async def scene(connection: SshConnection) -> None:
        path = f"{tmp_path}/it's ! a\nname"
        try:
            await connection.write(path, content, mode=0o640)
            assert await connection.read(path) == content
            await connection.remove(path)
            assert await connection.stat(path) is None
        finally:
            await connection.close()

    with shell_sshd(tmp_path / "host", shell, sftp=sftp) as server:
        asyncio.run(scene(ssh(server.config())))


def test_a_command_that_takes_too_long(host: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """A command is ended on the host with everything that it started."""
    line = "sleep 300 & echo $! $$ >pids; wait"

    async def scene() -> None:
        connection = ssh(host.config())
        try:
            with pytest.raises(RemoteTimeoutError):
                await connection.run(Command(shell_line=line, cwd=str(tmp_path), timeout_s=1))
            look = "for pid in $(cat pids); do kill -0 $pid && ps -o stat= -p $pid | grep -v Z; done; true"
            assert (await connection.run(Command(shell_line=look, cwd=str(tmp_path)))).stdout == b""
        finally:
            await connection.close()

    asyncio.run(scene())


def test_through_a_jump_host(host: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A host behind another one is reached, whatever shell both have."""

    async def scene() -> None:
        first = ssh(host.config(), id_="first")
        behind = ssh(host.config(jump="first"), id_="behind", others={"first": first})
        try:
            assert (await behind.run(Command(shell_line="echo reached"))).stdout == b"reached\n"
        finally:
            await behind.close()
            await first.close()

    asyncio.run(scene())


@pytest.mark.parametrize(("shell", "code"), [("false", 1), ("echo", 0)])
def test_a_login_shell_that_runs_nothing(
    tmp_path: Path, ssh: Callable[..., SshConnection], shell: str, code: int
) -> None:
    """How such a shell ends is no result of a command, and a command that it prints is in no message."""
    with shell_sshd(tmp_path / "host", shell) as server, pytest.raises(RemoteError) as caught:
        ran(ssh(server.config()), Command(shell_line="echo opensesame"))
    assert f"ran no command: it ended with {code}" in str(caught.value)
    assert "opensesame" not in str(caught.value)


@pytest.mark.parametrize(
    "script", ["".join(map(chr, range(1, 256))), "x" * 2000, "'\\!" * 400, "a\n\nb # c\n\t", "é\udcff"]
)
def test_a_line_is_plain(script: str) -> None:
    """A line has only printable ASCII, in short words, and does not contain the hidden word."""
    line = login_line(f"{script} secret", hidden="secret")
    assert line.isascii()
    assert line.isprintable()
    assert "secret" not in line
    assert max(map(len, shlex.split(line))) <= 1000


@pytest.mark.parametrize("length", [400, 5000])
def test_what_arrives_is_the_script(shell: str, length: int) -> None:
    """Every shell hands over every character, in short lines and in long ones, with and without others."""
    path = path_of(shell)
    argv = [path, "ash"] if shell == "busybox" else [path]
    for odd in ("", "\x01\t\x7f é\udcff"):
        text = f"{ODD}{odd}" + "'\\! " * (length // 4)
        script = f"printf '%s|' {shlex.quote(text)} x\nprintf '\\n%s' secret"
        line = login_line(script, hidden="secret")
        done = subprocess.run([*argv, "-c", line], check=True, capture_output=True)
        assert done.stdout == f"{text}|x|\nsecret".encode("utf-8", "surrogateescape")
        assert done.stderr == b""


class TestFish(ConnectionContract):
    """The contract holds with a login shell that is no POSIX shell."""

    @pytest.fixture
    def subject(self, tmp_path: Path, ssh: Callable[..., SshConnection]) -> Iterator[Subject]:
        with shell_sshd(tmp_path / "host", "fish") as server:
            yield Subject(connect=lambda: ssh(server.config()), folder=str(tmp_path))
