"""Real containers for tests: podman of Debian with a store of its own, and an image made of busybox alone.

Nothing is pulled, no network and no cgroup of systemd is needed. Root is: rootless podman wants more
than machines for tests have.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.sshd import inotify

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGE = "localhost/busybox:1"
_PODMAN = """#!/bin/sh
exec podman --root {folder}/store --runroot {folder}/run --storage-driver vfs --runtime runc \\
  --cgroup-manager cgroupfs --events-backend none --network-config-dir {folder}/networks "$@"
"""
_LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
"""Below those of the machine, which podman would raise and a machine without CAP_SYS_RESOURCE refuses."""
_UNFILTERED = ["--security-opt", "seccomp=unconfined"]
"""Otherwise each `exec` compiles a filter of system calls, which takes a seventh of its time."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A container engine with a store of its own.

    Args:
        folder: what it keeps; short, since podman's sockets are in it.
        program: its client.
    """

    folder: Path
    program: str

    def call(self, *arguments: str) -> str:
        """Run the client and return what it prints."""
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def start(self, name: str) -> None:
        """Start a container that does nothing but take leave of its processes, as an init does."""
        line = "sleep 1000000 & wait"
        options = ["--detach", "--name", name, "--network", "none", *_LIMITS, *_UNFILTERED]
        self.call("run", *options, IMAGE, "sh", "-c", line)

    def remove(self, name: str) -> None:
        """Remove a container, running or not."""
        self.call("rm", "--force", "--time", "0", name)

    @contextlib.contextmanager
    def service(self) -> Iterator[str]:
        """Serve the API of docker while the context is open; give its address."""
        socket = self.folder / "api.sock"
        serving = subprocess.Popen(
            [self.program, "system", "service", "--time", "0", f"unix://{socket}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with contextlib.closing(inotify(self.folder, created=True)) as changes:
                while not socket.exists():
                    changes.wait(20)
            yield f"unix://{socket}"
        finally:
            serving.terminate()
            serving.wait(20)

    def script(self, name: str, text: str) -> str:
        """Write an executable script beside the store and return its path."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)


def needs_podman() -> None:
    """Skip a test where no podman can run."""
    if os.geteuid() != 0:
        pytest.skip("takes root: containers with a store of their own")
    for part in ("podman", "runc", "busybox"):
        if not shutil.which(part):
            pytest.skip(f"needs {part}: apt-get install {part}")
    refusal = _refusal()
    if refusal:
        pytest.skip(f"this kernel runs no containers: {refusal}")


@contextlib.contextmanager
def running_engine() -> Iterator[Engine]:
    """Hand out an engine with the image; remove all its containers and its store at the end."""
    # podman wants a runroot of less than 50 characters.
    folder = Path(f"/tmp/ensue-box-{secrets.token_hex(4)}")
    folder.mkdir(mode=0o700)
    try:
        program = folder / "podman"
        program.write_text(_PODMAN.format(folder=folder))
        program.chmod(0o755)
        engine = Engine(folder, str(program))
        engine.call("import", "--quiet", str(_image(folder)), IMAGE)
        try:
            yield engine
        finally:
            engine.call("rm", "--all", "--force", "--time", "0")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _refusal() -> str:
    """Return why a container cannot be started here, empty when it can."""
    with running_engine() as engine:
        try:
            engine.start("trial")
        except AssertionError as fault:
            return str(fault)
    return ""


def _image(folder: Path) -> Path:
    """Make the root file system of an image out of this machine's busybox and the libraries it needs."""
    root = folder / "root"
    for name in ("bin", "etc", "root", "tmp", "proc", "dev", "home/web"):
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    busybox = shutil.which("busybox") or ""
    _add_program(root, busybox)
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
    for applet in listed.stdout.split():
        if applet != "busybox":
            (root / "bin" / applet).symlink_to("busybox")
    if "su" not in listed.stdout.split():
        _add_su(root)
    (root / "usr").mkdir(exist_ok=True)
    (root / "usr/bin").symlink_to("../bin")
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/:/bin/sh\nweb:x:1000:1000::/home/web:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
    )
    (root / "etc/group").write_text("root:x:0:\ndaemon:x:1:\nweb:x:1000:\nnogroup:x:65534:\n")
    os.chown(root / "home/web", 1000, 1000)
    archive = folder / "image.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(root, arcname=".")
    return archive


def _add_program(root: Path, program: str) -> None:
    copy = root / "bin" / Path(program).name
    # A link of that name would lead to busybox itself.
    copy.unlink(missing_ok=True)
    shutil.copy(program, copy)
    for library in _libraries(program):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])


def _add_su(root: Path) -> None:
    """Add a `su -s SHELL -c SCRIPT USER`; Debian's busybox has been built with one and without."""
    setpriv = shutil.which("setpriv")
    assert setpriv is not None
    _add_program(root, setpriv)
    (root / "bin/su").write_text(
        "#!/bin/sh\n"
        'export HOME="$(awk -F: -v user="$5" \'$1 == user { print $6 }\' /etc/passwd)" USER="$5"\n'
        'exec setpriv --reuid="$5" --regid="$5" --clear-groups "$2" -c "$4"\n'
    )
    (root / "bin/su").chmod(0o755)


def _libraries(program: str) -> list[str]:
    """Return what the dynamic linker loads for a program; nothing for a static one."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    words = [word for line in done.stdout.splitlines() for word in line.split()]
    return [word for word in words if word.startswith("/")]
