"""A stand-in for a container engine's client: podman's command line, with this machine for the container.

Like conmon, which keeps the streams of a container, it closes the output as soon as the process that it has
started exits: what children of that process still write is lost, and ends them.
"""

from __future__ import annotations

import os
import pwd
import select
import subprocess
import sys
from pathlib import Path
from typing import NoReturn


def stand_in_engine(folder: Path) -> str:
    """Write the program into a folder and return its path."""
    path = folder / "engine"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -S {Path(__file__)} "$@"\n')
    path.chmod(0o755)
    return str(path)


def main(words: list[str]) -> NoReturn:
    """Answer as podman does."""
    if words[:2] == ["container", "inspect"]:
        sys.stdout.write("running\n")
    if words[0] != "exec":
        sys.exit()
    words = [word for word in words[1:] if word != "-i"]
    while words[0] in {"--workdir", "--user"}:
        if words[0] == "--user" and not _is_known(words[1]):
            sys.exit(f"Error: unable to find user {words[1]}")
        del words[:2]
    _run(words[1:])


def _is_known(user: str) -> bool:
    try:
        pwd.getpwuid(int(user)) if user.isdecimal() else pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def _run(argv: list[str]) -> NoReturn:
    process = subprocess.Popen(
        argv, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    pipes = {process.stdout.fileno(): 1, process.stderr.fileno(): 2}
    exited = os.pidfd_open(process.pid)
    while exited not in (ready := select.select([exited, *pipes], [], [])[0]):
        for pipe in ready:
            _pass_on(pipe, pipes)
    for pipe in list(pipes):
        os.set_blocking(pipe, False)
        while pipe in pipes:
            _pass_on(pipe, pipes)
    os._exit(process.wait() & 0xFF)


def _pass_on(pipe: int, pipes: dict[int, int]) -> None:
    try:
        data = os.read(pipe, 1 << 16)
    except BlockingIOError:
        data = b""
    if not data:
        del pipes[pipe]
    while data:
        data = data[os.write(pipes[pipe], data) :]


if __name__ == "__main__":
    main(sys.argv[1:])
