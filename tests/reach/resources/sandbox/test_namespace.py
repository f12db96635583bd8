"""Isolation `namespace`: what is done in a sandbox stays in it."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from ensue.reach.resources import sandbox
from ensue.reach.resources.sandbox.processes import end

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

pytestmark = pytest.mark.namespace

PROBE = f"ensue-probe-{os.getpid()}-{random.randrange(10**9)}"  # noqa: S311 - a name, no secret
FOLDERS = (
    "/tmp",
    "/etc",
    "/root",
    "/home",
    "/opt",
    "/srv",
    "/var/lib",
    "/var/tmp",
    "/usr/local/bin",
    "/run",
    "",
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, make_box: Callable[..., Any]) -> Generator[Any]:
    """One sandbox for this file."""
    box = make_box(tmp_path_factory.mktemp("project") / ".ensue", isolation="namespace")
    asyncio.run(box.deploy())
    yield box
    asyncio.run(sandbox.destroy(box.request))


def run(box: Any, line: str) -> str:
    return str(asyncio.run(box.run(line)))


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_redirection_to_an_absolute_path_does_not_reach_the_machine(running: Any, folder: str) -> None:
    """The file is there within, and is not there on the machine."""
    assert run(running, f"echo within > {folder}/{PROBE} && cat {folder}/{PROBE}") == "within\n"
    # lexists: an ordinary user may not look into every folder, and finds nothing there.
    assert not os.path.lexists(f"{folder}/{PROBE}")


def test_removing_and_changing_the_machines_files_changes_only_the_view(running: Any) -> None:
    """A command that removes /usr/share and edits /etc/group leaves the machine's as they are."""
    before = (Path("/etc/group").read_bytes(), sorted(os.listdir("/usr/share")))  # noqa: PTH208 - names are enough

    view = run(
        running,
        "rm -rf /usr/share/doc /usr/share/man; echo changed > /etc/group; cat /etc/group; ls /usr/share",
    )

    assert view.splitlines()[0] == "changed"
    # In an ordinary user's sandbox the machine's files belong to nobody that is there, so rm fails.
    assert ("man" in view.splitlines()) is (os.geteuid() != 0)
    assert (Path("/etc/group").read_bytes(), sorted(os.listdir("/usr/share"))) == before  # noqa: PTH208 - as above


def test_commands_are_root_at_home(running: Any) -> None:
    """`id -u` is 0, the working folder is /root, ENSUE_ROOT is empty."""
    assert run(running, 'id -u; pwd; echo "[$ENSUE_ROOT]"').split() == ["0", "/root", "[]"]


def test_the_host_name_is_the_environments(running: Any) -> None:
    """A sandbox tells itself apart from the machine."""
    assert run(running, "hostname; cat /etc/hostname").split() == ["env-01", "env-01"]


def test_files_and_commands_see_the_same_root(running: Any) -> None:
    """What SFTP writes a command reads, and the other way round."""

    async def scenario() -> None:
        async with running.connect() as connection, connection.start_sftp_client() as files:
            await files.mkdir("/etc/openvpn")
            async with files.open("/etc/openvpn/by-sftp", "wb") as file:
                await file.write(b"by sftp")
            done = await connection.run(
                "cat /etc/openvpn/by-sftp; printf 'by command' > /etc/openvpn/by-command"
            )
            assert done.stdout == "by sftp"
            async with files.open("/etc/openvpn/by-command", "rb") as file:
                assert await file.read() == b"by command"
            await files.symlink("by-sftp", "/etc/openvpn/link")
            assert await files.readlink("/etc/openvpn/link") == "by-sftp"
            assert not Path("/etc/openvpn/by-sftp").exists()  # noqa: ASYNC240 - one stat

    asyncio.run(scenario())


def test_the_projects_state_folder_cannot_be_seen(running: Any) -> None:
    """Neither the key file nor the store is within reach."""
    cachedir = running.directory.parents[1]
    (cachedir / "key").write_text("secret")
    assert (
        run(running, f"cat {cachedir}/key 2>&1; ls -A {cachedir} 2>/dev/null; true")
        .strip()
        .endswith("No such file or directory")
    )


def test_of_etc_only_what_everyone_may_read_is_there(running: Any) -> None:
    """There is /etc/passwd, and no /etc/shadow."""
    assert "root:" in run(running, "cat /etc/passwd")
    assert run(running, "ls /etc/shadow 2>/dev/null; true") == ""


@pytest.mark.parametrize(
    "line",
    [
        "echo x > /proc/sys/kernel/hostname",
        "touch /sys/probe",
        "mount -t tmpfs none /mnt",
        "umount /proc/sys",
    ],
)
def test_what_would_reach_the_machine_is_refused(running: Any, line: str) -> None:
    """The kernel's settings are read-only and nothing can be mounted or unmounted."""
    with pytest.raises(AssertionError):
        run(running, line)


def test_the_machines_processes_cannot_be_seen(running: Any) -> None:
    """Process 1 is the sandbox's own."""
    shown = run(running, "cat /proc/1/cmdline; ls /proc/*/cmdline | wc -l")
    assert "ensue.reach.resources.sandbox.server" in shown
    assert not run(running, f"ls -d /proc/{os.getpid()} 2>/dev/null; true")


def test_the_servers_memory_cannot_be_read(running: Any) -> None:
    """A command cannot read the host key out of the server."""
    assert run(running, "cat /proc/1/environ /proc/2/environ /proc/2/maps 2>/dev/null; true") == ""


def test_root_can_give_files_away(running: Any) -> None:
    """Started by root, every user and group is there; on disk the file is the user's too."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    assert (
        run(running, "touch /root/given && chown 33:33 /root/given && stat -c %u:%g /root/given") == "33:33\n"
    )
    given = (running.directory / "root" / "root" / "given").stat()
    assert (given.st_uid, given.st_gid) == (33, 33)


def test_symlinks_made_within_do_not_lead_the_next_start_out(
    boxes: Callable[..., Any], tmp_path: Path
) -> None:
    """A mount point that was replaced by a link into the machine creates nothing there."""
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o777)
    box = boxes(isolation="namespace")

    async def scenario() -> None:
        await box.deploy()
        await end(box.record.process)
        for name in ("home", "run"):
            shutil.rmtree(box.directory / "root" / name)
            (box.directory / "root" / name).symlink_to(outside)
        await sandbox.deploy(box.request)

    asyncio.run(scenario())
    assert list(outside.iterdir()) == []


def test_interpreters_work(running: Any) -> None:
    """Python is found and imports; its own files can be changed within."""
    interpreter = sys.executable
    if shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin"):
        assert run(running, "python3 -c 'import json, ssl; print(json.dumps(1))'") == "1\n"
    assert run(running, f"{interpreter} -c 'import asyncssh, cryptography; print(2)'") == "2\n"


@contextmanager
def ordinary_users_folder() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ensue-ordinary-", dir="/var/tmp"))
    try:
        os.chown(folder, 65534, 65534)
        yield folder
    finally:
        shutil.rmtree(folder)


ORDINARY_VARIABLES = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": f"{Path(sandbox.__file__).parents[4]}:{Path(asyncssh.__file__).parents[2]}",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def ordinary_interpreter() -> list[str]:
    """Return a command that runs this Python, or one like it, as an ordinary user, if there is one."""
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for interpreter in (sys.executable, f"/usr/bin/{version}"):
        check = "import os, sys, asyncssh; sys.exit(not os.access(sys.executable, os.X_OK))"
        tried = subprocess.run(
            [*as_nobody, interpreter, "-c", check], env=ORDINARY_VARIABLES, capture_output=True, check=False
        )
        if tried.returncode == 0:
            return [*as_nobody, interpreter]
    return []


ORDINARY_SCRIPT = """
import asyncio, os, sys
from pathlib import Path
import asyncssh
from ensue.core.contracts.provider import EnvironmentRequest
from ensue.core.masking import Masker
from ensue.reach.resources import sandbox

class Vault:
    def seal(self, plain, *, context): return bytes(byte ^ 255 for byte in plain)
    def open(self, sealed, *, context): return bytes(byte ^ 255 for byte in sealed)

async def main():
    request = EnvironmentRequest(
        name="env-01", directory=Path(sys.argv[1]) / ".ensue/sandboxes/env-01",
        options={"isolation": "namespace"}, vault=Vault(), masker=Masker(), root=Path("/"),
    )
    environment = await sandbox.deploy(request)
    if environment.status != "succeeded":
        sys.exit(environment.comment)
    config = await sandbox.connection_info(request)
    async with asyncssh.connect(
        config["host"], config["port"], username=config["user"], password=config["password"],
        known_hosts=None, client_keys=None, agent_path=None, config=None,
    ) as connection:
        done = await connection.run(sys.argv[2])
        print(done.stdout, done.stderr, sep="")
    await sandbox.destroy(request)
    assert os.listdir(sys.argv[1] + "/.ensue/sandboxes") == []

asyncio.run(main())
"""


def test_an_ordinary_user_gets_the_same() -> None:
    """Without any privilege: root within, /etc /usr /var /opt and / writable, and nothing left behind."""
    command = ordinary_interpreter() if os.geteuid() == 0 else [sys.executable]
    if not command:
        pytest.skip("no Python, or no checkout, that an ordinary user may read")
    folders = (
        "/etc",
        "/etc/ssl",
        "/root",
        "/usr/bin",
        "/usr/local/bin",
        "/var/lib",
        "/opt",
        "/srv",
        "/home",
        "",
    )
    line = "id -u; " + "; ".join(
        f"echo {PROBE} > {folder}/{PROBE} && cat {folder}/{PROBE}" for folder in folders
    )
    line += "; echo edited >> /etc/hosts && rm /etc/passwd && ls /etc/passwd"
    with ordinary_users_folder() if os.geteuid() == 0 else tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*command, "-c", ORDINARY_SCRIPT, str(folder), line],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=ORDINARY_VARIABLES,
        )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.strip().splitlines()
    assert lines[:1] == ["0"]
    assert lines[1:-1] == [PROBE] * len(folders), lines
    assert "cannot access '/etc/passwd'" in lines[-1]
    assert stat.S_ISREG(Path("/etc/passwd").stat().st_mode)
