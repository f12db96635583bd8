"""The life of a sandbox: deploy, observe, destroy, and what may go wrong in between."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from tests.cli.shell import LONGEST_S, command_server

from ensue.core.errors import StateFailedError, TamperedError
from ensue.reach.resources import sandbox
from ensue.reach.resources.sandbox.identity import IDENTITY_NAME
from ensue.reach.resources.sandbox.processes import end, is_alive
from ensue.reach.resources.sandbox.record import RECORD_NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.forked_commands import ForkedProcess

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[4]
SOURCES = str(Path(sandbox.__file__).parents[4])

DEPLOYING = Path(__file__).with_name("deploying.py")
ENTRY = "tests.reach.resources.sandbox.deploying:main"


def start_forked(directory: Path, isolation: str, verb: str) -> ForkedProcess:
    """Call a provider's function in a process that is forked from one that has loaded ensue."""
    words = [str(ROOT / "deploying"), str(directory), isolation, verb]
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": SOURCES}
    return command_server().start(words, folder=ROOT, environment=given, entry=ENTRY)


def call_forked(directory: Path, isolation: str, verb: str) -> tuple[str, str]:
    """Call a provider's function in a forked process; return what it prints."""
    _, stdout, stderr = start_forked(directory, isolation, verb).ended(LONGEST_S)
    return stdout.decode(), stderr.decode()


def call_under(directory: Path, isolation: str, verb: str, *, under: tuple[str, ...]) -> tuple[str, str]:
    """Call a provider's function in a process that starts under another program; return what it prints."""
    done = subprocess.run(
        [*under, sys.executable, str(DEPLOYING), str(directory), isolation, verb],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": SOURCES},
        check=False,
    )
    return done.stdout, done.stderr


def processes_holding(text: str, *, of: tuple[str, ...] = ("cmdline", "environ")) -> list[str]:
    """Return the processes that have a text in their arguments or environment, except this one."""
    matches: list[str] = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        for name in of:
            try:
                content = (process / name).read_bytes()
            except OSError:
                continue
            if text.encode() in content:
                matches.append(f"{process.name}/{name}")
    return matches


def files_holding(text: str, folder: Path) -> list[Path]:
    """Return the files below a folder that hold a text."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [path for path in files if text.encode() in path.read_bytes()]


def test_a_deployed_sandbox_can_be_logged_in_to_with_what_deploy_returns(running: Any) -> None:
    """Host, port, user, password and host key are all that a client needs."""
    environment = asyncio.run(running.deploy())
    isolation = running.request.options["isolation"]

    assert environment.connection["host"] == "127.0.0.1"
    assert environment.connection["user"] == "worker"
    assert str(environment.connection["host_key"]).startswith("ssh-ed25519 AAAA")
    assert environment.details["isolation"] == isolation
    assert asyncio.run(running.run("echo $ENSUE_ISOLATION")) == f"{isolation}\n"


def test_without_isolation_the_comment_says_so(boxes: Callable[..., Any]) -> None:
    """`none` is reported plainly; `namespace` needs no remark."""
    environment = asyncio.run(boxes(isolation="none").deploy())

    assert environment.environment.comment.startswith(
        "isolation: none (commands in it run on this machine's own file system"
    )


@pytest.mark.parametrize("wrong", [{"password": "guess"}, {"user": "root"}])
def test_wrong_credentials_are_refused(running: Any, wrong: dict[str, str]) -> None:
    """Neither another password nor another user gets in."""

    async def scenario() -> None:
        with pytest.raises(asyncssh.PermissionDenied):
            async with running.connect(**wrong):
                pass

    asyncio.run(scenario())


def test_a_later_deploy_finds_the_sandbox_again(running: Any) -> None:
    """The same connection, the same process: nothing was started."""

    async def scenario() -> None:
        first = await running.deploy()
        process = running.record.process
        assert await running.deploy() == first
        assert running.record.process == process

    asyncio.run(scenario())


def test_a_sandbox_that_died_comes_back_as_the_same_host(box: Any) -> None:
    """After kill -9: stopped; after deploy: same port, key, password and files."""

    async def scenario() -> None:
        first = await box.deploy()
        async with box.connect() as connection, connection.start_sftp_client() as files:
            async with files.open("/root/kept", "wb") as file:
                await file.write(b"kept")
            await files.mkdir("/opt/kept")
        former = box.record.process
        await lose(former.pid)
        assert (await sandbox.observe(box.request)).status == "stopped"

        assert await box.deploy() == first
        assert box.record.process != former
        async with box.connect() as connection, connection.start_sftp_client() as files:
            async with files.open("/root/kept", "rb") as file:
                assert await file.read() == b"kept"
            assert await files.isdir("/opt/kept")

    asyncio.run(scenario())


async def lose(pid: int) -> None:
    """End what a sandbox hangs on, and wait until that and its server, which holds the port, have ended."""
    all_of_it = (pid, *children(pid))
    os.kill(pid, signal.SIGKILL)
    for each in all_of_it:
        await gone(each)


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def gone(pid: int) -> None:
    """Wait until a process has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().add_reader(handle, lambda: ended.done() or ended.set_result(None))
    await ended
    asyncio.get_running_loop().remove_reader(handle)
    os.close(handle)


def test_a_port_that_was_taken_meanwhile_is_replaced(boxes: Callable[..., Any]) -> None:
    """A sandbox whose port somebody else listens on now gets another one, and keeps its key."""
    box = boxes()

    async def scenario() -> None:
        first = await box.deploy()
        await lose(box.record.process.pid)
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.1", first.connection["port"]))
            other.listen()
            second = await box.deploy()
        assert second.connection["port"] != first.connection["port"]
        assert second.connection["host_key"] == first.connection["host_key"]

    asyncio.run(scenario())


def test_a_process_that_has_the_recorded_id_by_chance_is_left_alone(boxes: Callable[..., Any]) -> None:
    """A record whose start time is not the process's own names nobody: nothing of it is ended."""
    box = boxes()

    async def scenario() -> None:
        await box.deploy()
        with subprocess.Popen(["sleep", "600"]) as bystander:  # noqa: ASYNC220 - starting it takes no time
            process = box.record.process
            text = (box.directory / RECORD_NAME).read_text()
            await end(process)
            (box.directory / RECORD_NAME).write_text(
                text.replace(f'"pid": {process.pid}', f'"pid": {bystander.pid}')
            )
            assert (await sandbox.observe(box.request)).status == "stopped"
            await box.deploy()
            assert bystander.poll() is None
            bystander.kill()

    asyncio.run(scenario())


def test_destroy_leaves_no_process_and_no_file(box: Any, cachedir: Path) -> None:
    """The server, what was started in it and every file are gone; a second destroy is fine."""
    marker = f"600.{os.getpid()}{random.randrange(10**6)}"  # noqa: S311 - a name, no secret

    async def scenario() -> None:
        await box.deploy()
        stays = f"sh -c 'echo >$0; read _ <>stay' %s {marker} </dev/null >/dev/null 2>&1 &"
        await box.run(
            "mkfifo stay one other;"
            f"setsid {stays % 'one'} ({stays % 'other'}); read _ <one; read _ <other"  # both have begun
        )
        assert len(processes_holding(marker)) == 2
        process = box.record.process

        assert (await sandbox.destroy(box.request)).status == "absent"
        assert not is_alive(process)
        assert processes_holding(marker) == []
        assert [path for path, _, _ in os.walk(cachedir)] == [str(cachedir), str(cachedir / "sandboxes")]
        assert not any(files for _, _, files in os.walk(cachedir))
        assert (await sandbox.destroy(box.request)).status == "absent"
        assert (await sandbox.observe(box.request)).status == "absent"

    asyncio.run(scenario())


def test_secrets_are_nowhere_in_the_clear(running: Any) -> None:
    """Password and host private key are in no file, argument list or environment; the masker knows them."""

    async def scenario() -> None:
        environment = await running.deploy()
        await running.run("true")
        password = str(environment.connection["password"])
        assert files_holding(password, running.request.root) == []
        assert files_holding("PRIVATE KEY", running.request.root / "sandboxes" / "env-01") == []
        assert processes_holding(password) == []
        assert running.request.masker.text(f"the password is {password}") == "the password is (sensitive)"
        assert (running.directory.stat().st_mode & 0o777) == 0o700
        assert (running.directory / IDENTITY_NAME).stat().st_mode & 0o077 == 0

    asyncio.run(scenario())


def test_our_environment_does_not_go_along(
    boxes: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's key, in ENSUE_KEY, is not in the environment of the server or of a command."""
    monkeypatch.setenv("ENSUE_KEY", "a-key-that-nobody-may-see")
    box = boxes()

    async def scenario() -> None:
        await box.deploy()
        assert processes_holding("a-key-that-nobody-may-see", of=("environ",)) == []
        assert "ENSUE_KEY" not in await box.run("env")

    asyncio.run(scenario())


def test_a_kept_identity_that_was_changed_is_refused(boxes: Callable[..., Any]) -> None:
    """A flipped byte is an error, nothing is lost, and destroy still works."""
    box = boxes()

    async def scenario() -> None:
        await box.deploy()
        kept = box.directory / IDENTITY_NAME
        content = bytearray(kept.read_bytes())
        content[20] ^= 1
        kept.write_bytes(content)
        with pytest.raises(TamperedError):
            await sandbox.deploy(box.request)
        assert box.is_running()
        assert (await sandbox.destroy(box.request)).status == "absent"

    asyncio.run(scenario())


def test_an_unknown_isolation_is_refused(boxes: Callable[..., Any]) -> None:
    """The message names the choices."""
    with pytest.raises(StateFailedError, match="'chroot' is not one of auto, namespace, none"):
        asyncio.run(sandbox.deploy(boxes(isolation="chroot").request))


def test_a_misspelt_option_is_refused(boxes: Callable[..., Any]) -> None:
    """In a plan and in an apply, with the name that it may be meant to be."""
    request = boxes(isolatoin="none").request
    for hook in (sandbox.observe, sandbox.deploy):
        with pytest.raises(StateFailedError, match=r"does not take isolatoin \(.*did you mean isolation\?\)"):
            asyncio.run(hook(request))


@pytest.mark.namespace
def test_another_isolation_restarts_the_sandbox(boxes: Callable[..., Any]) -> None:
    """What is asked for holds afterwards; the host stays the same."""

    async def scenario() -> None:
        first = await boxes(isolation="namespace").deploy()
        second = await boxes(isolation="none").deploy()
        assert second.details["isolation"] == "none"
        assert second.connection["host_key"] == first.connection["host_key"]

    asyncio.run(scenario())


def test_a_name_may_be_any_text(boxes: Callable[..., Any], isolation: str) -> None:
    """Commas, colons, blanks and backslashes in the path stop no overlay and no shell."""
    box = boxes("an,odd:na\\me é", isolation=isolation)

    async def scenario() -> None:
        await box.deploy()
        assert (
            await box.run('echo there > "$ENSUE_ROOT/etc/probe" && cat "$ENSUE_ROOT/etc/probe"') == "there\n"
        )

    asyncio.run(scenario())


def test_many_deploys_at_once_make_one_sandbox(cachedir: Path, isolation: str) -> None:
    """Eight processes that deploy the same environment agree on one server."""
    directory = cachedir / "sandboxes" / "env-01"
    started = [start_forked(directory, isolation, "deploy") for _ in range(8)]
    answers = [process.ended(LONGEST_S) for process in started]
    try:
        assert len({stdout for _, stdout, _ in answers}) == 1, answers
        assert answers[0][1].startswith(b"succeeded ")
    finally:
        call_forked(directory, isolation, "destroy")
    assert not directory.exists()


def test_a_deploy_that_was_killed_is_completed_by_the_next(cachedir: Path, isolation: str) -> None:
    """Killed at any moment: the next deploy succeeds, and in the end nothing is left running."""
    marker = f"env-{random.randrange(10**9)}"  # noqa: S311 - a name, no secret
    directory = cachedir / "sandboxes" / marker
    for _ in range(4):
        killed = start_forked(directory, isolation, "deploy")
        with contextlib.suppress(TimeoutError):
            killed.ended(random.uniform(0, 0.8))  # noqa: S311 - the moment is to be any
        killed.kill()
        stdout, stderr = call_forked(directory, isolation, "deploy")
        assert stdout.startswith("succeeded "), stderr
        stdout, stderr = call_forked(directory, isolation, "destroy")
        assert stdout.startswith("absent "), stderr
        assert not directory.exists()


def test_fifty_sessions_at_once(running: Any) -> None:
    """Fifty connections, each with a command and a file, all answered."""

    async def session(environment: Any, number: int, connected: Any) -> str:
        async with connected(environment) as connection:
            async with connection.start_sftp_client() as files, files.open(f"/root/{number}", "wb") as file:
                await file.write(str(number).encode())
            done = await connection.run('cat "$ENSUE_ROOT/root/"' + str(number))
            return str(done.stdout)

    async def scenario() -> None:
        environment = await running.deploy()
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(session(environment, number, running.connected)) for number in range(50)
            ]
        assert [task.result() for task in tasks] == [str(number) for number in range(50)]

    asyncio.run(scenario())


@pytest.mark.namespace
def test_where_namespaces_are_refused_auto_does_without_and_says_why(cachedir: Path) -> None:
    """And `namespace`, asked for by name, fails with the same reason."""
    directory = cachedir / "sandboxes" / "env-01"
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    under = ("unshare", "-Urm", "sh", "-c", forbid, "sh")
    stdout, stderr = call_under(directory, "auto", "deploy", under=under)
    assert stdout.startswith("succeeded "), stderr
    assert "isolation: none (" in stdout
    assert "Reason: unshare: No space left on device (see sysctl user.max_user_namespaces" in stdout
    call_forked(directory, "auto", "destroy")

    stdout, stderr = call_under(directory, "namespace", "deploy", under=under)
    assert stdout.startswith(
        "failed None sandbox env-01 did not start: isolation by namespaces is not possible"
    )
    call_forked(directory, "auto", "destroy")
    assert not directory.exists()
