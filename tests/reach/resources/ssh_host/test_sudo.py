"""Becoming another user on an SSH host through sudo or su, and what is reported where that is refused."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.accounts import Account, needs_root
from tests.support.login_shells import SHELLS, make_noisy, path_of
from tests.support.sshd import running_sshd

from ensue.core.contracts.connection import Command
from ensue.core.errors import AuthenticationError
from ensue.testing.connection_contract import CommandContract, ConnectionContract, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.sshd import Sshd

    from ensue.core.contracts.connection import Completed
    from ensue.reach.resources.ssh_host.connection import SshConnection

pytestmark = [pytest.mark.openssh, pytest.mark.long, needs_root]


@pytest.mark.parametrize("rule", ["NOPASSWD: ALL", "ALL"])
def test_sudo(
    password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection], rule: str, tmp_path: Path
) -> None:
    """With sudo commands and files are root's; the password goes to sudo, and not to the command."""
    account.may_sudo(rule)
    config = password_sshd.config(**account.login, sudo=True, sudo_password=account.password)

    async def scene() -> None:
        connection = ssh(config)
        try:
            done = await connection.run(
                Command(shell_line="id -un; cat; ps -ef | grep -c [s]udo_no", stdin=b"input\n")
            )
            assert done.stdout.splitlines()[:2] == [b"root", b"input"]
            await connection.write(f"{tmp_path}/file", b"content", mode=0o600)
            assert (tmp_path / "file").stat().st_uid == 0
            assert await connection.read(f"{tmp_path}/file") == b"content"
            done = await connection.run(Command(shell_line="id -un; echo $HOME", user="nobody"))
            assert done.stdout.split()[0] == b"nobody"
        finally:
            await connection.close()

    asyncio.run(scene())


def ran(connection: SshConnection, *commands: Command) -> list[Completed]:
    """Run commands one after the other, and close the connection."""

    async def scene() -> list[Completed]:
        try:
            return [await connection.run(command) for command in commands]
        finally:
            await connection.close()

    return asyncio.run(scene())


def refusal(connection: SshConnection) -> str:
    """Return the message of a command that the host does not run."""
    with pytest.raises(AuthenticationError) as caught:
        ran(connection, Command(shell_line="true"))
    return str(caught.value)


def test_a_refusal_has_the_words_of_sudo(
    password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection]
) -> None:
    """A missing right and a missing or wrong password are refused in sudo's words; no password is shown."""
    config = password_sshd.config(**account.login, sudo=True)
    account.may_sudo("ALL")
    assert "sudo refused: sudo: a password is required" in refusal(ssh(config))
    wrong = refusal(ssh(config | {"sudo_password": "wr0ng-one"}))
    assert "incorrect password" in wrong
    assert "wr0ng-one" not in wrong
    account.may_not_sudo()
    assert "not in the sudoers file" in refusal(ssh(config | {"sudo_password": account.password}))
    account.may_sudo("NOPASSWD: /bin/true")
    assert "sudo refused: " in refusal(ssh(config))


def test_a_refusal_of_a_later_command(
    password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection]
) -> None:
    """A command that sudo does not start is an error, and not a command that failed."""
    account.may_sudo("NOPASSWD: ALL")

    async def scene() -> None:
        connection = ssh(password_sshd.config(**account.login, sudo=True))
        try:
            assert (await connection.run(Command(shell_line="exit 1"))).returncode == 1
            account.may_not_sudo()
            with pytest.raises(AuthenticationError, match="sudo refused: "):
                await connection.run(Command(shell_line="true"))
        finally:
            await connection.close()

    asyncio.run(scene())


def test_sudo_that_is_not_there(
    password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection]
) -> None:
    """A host without sudo is reported as such."""
    account.may_sudo("NOPASSWD: ALL")
    (account.home / ".ssh").mkdir(exist_ok=True)
    (account.home / "bin").mkdir(exist_ok=True)
    for program in ("sh", "id", "sed", "grep"):
        (account.home / "bin" / program).symlink_to(f"/bin/{program}")
    password_sshd.stop()
    path = password_sshd.folder / "sshd_config"
    before = path.read_text()
    path.write_text(before.replace("SHLVL=9", f"PATH={account.home}/bin"))
    password_sshd.start()
    try:
        message = refusal(ssh(password_sshd.config(**account.login, sudo=True)))
    finally:
        password_sshd.stop()
        path.write_text(before)
        password_sshd.start()
    assert "there is no sudo" in message


@pytest.mark.parametrize("rule", ["NOPASSWD: ALL", "ALL"])
def test_a_sudo_that_requires_a_terminal(
    password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection], rule: str, tmp_path: Path
) -> None:
    """Without `tty` its own words say so; with it, output, input and exit codes are what they are without."""
    account.may_sudo(rule, "requiretty")
    config = password_sshd.config(**account.login, sudo=True, sudo_password=account.password)
    assert "you must have a tty to run sudo" in refusal(ssh(config))
    content = bytes(range(256)) * 40

    async def scene() -> None:
        connection = ssh(config | {"tty": True})
        try:
            command = Command(
                shell_line="id -un; echo err >&2; : >/dev/tty && cat; exit 7", stdin=content, env={"A": "b"}
            )
            done = await connection.run(command)
            assert (done.returncode, done.stdout, done.stderr) == (7, b"root\n" + content, b"err\n")
            assert (await connection.run(Command(shell_line="kill -KILL $$"))).returncode == -9
            await connection.write(f"{tmp_path}/file", content, mode=0o600)
            assert (tmp_path / "file").stat().st_uid == 0
            assert await connection.read(f"{tmp_path}/file") == content
        finally:
            await connection.close()

    asyncio.run(scene())


@pytest.fixture(scope="module", params=SHELLS)
def shell_host(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Sshd, Account]]:
    """A host whose user logs in with each shell, with noisy startup files."""
    path = path_of(request.param)
    if request.param == "busybox":
        pytest.skip("busybox is a login shell only by the name of its ash")
    folder = tmp_path_factory.mktemp(request.param)
    account = Account(Path(f"/tmp/ensue-home-{secrets.token_hex(4)}"), shell=path)
    make_noisy(account.home)
    options = {"PasswordAuthentication": "yes", "SetEnv": "LANG=C.UTF-8"}
    try:
        with running_sshd(folder, user=account.name, options=options) as server:
            yield server, account
    finally:
        account.remove()


@pytest.mark.parametrize("tty", [False, True])
def test_sudo_from_any_login_shell(
    shell_host: tuple[Sshd, Account], ssh: Callable[..., SshConnection], *, tty: bool
) -> None:
    """A command that sudo runs has nothing of the login shell either, with a password and without."""
    server, account = shell_host
    commands = (
        Command(shell_line="id -un; cat; echo $V; echo err >&2; exit 3", stdin=b"in\n", env={"V": "it's !"}),
        Command(shell="/bin/bash", shell_line="cd /usr; cd bin; echo out"),  # noqa: S604 (a name, no switch)
        Command(shell_line="id -un; cat", user="nobody", stdin=b"in\n"),
    )
    for rule in ("NOPASSWD: ALL", "ALL"):
        account.may_sudo(rule)
        config = server.config(**account.login, sudo=True, sudo_password=account.password, tty=tty)
        as_root, bash, as_nobody = ran(ssh(config), *commands)
        assert (as_root.returncode, as_root.stdout, as_root.stderr) == (3, b"root\nin\nit's !\n", b"err\n")
        assert (bash.stdout, bash.stderr) == (b"out\n", b"")
        assert as_nobody.stdout == b"nobody\nin\n"


class TestWithSudo(ConnectionContract):
    """The contract holds through sudo with a password."""

    @pytest.fixture
    def subject(self, password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection]) -> Subject:
        account.may_sudo("ALL")
        return Subject(
            connect=lambda: ssh(
                password_sshd.config(**account.login, sudo=True, sudo_password=account.password)
            ),
            folder="/tmp",
        )


class TestWithTerminal(CommandContract):
    """Commands under the control of a terminal keep the contract."""

    @pytest.fixture
    def subject(self, password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection]) -> Subject:
        account.may_sudo("NOPASSWD: ALL", "requiretty")
        config = password_sshd.config(**account.login, sudo=True, tty=True)
        return Subject(connect=lambda: ssh(config), folder="/tmp")
