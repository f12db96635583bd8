"""Single attempts to reach real servers of this machine, and to run real programs."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from ensue.core.masking import Masker
from ensue.reach.processes.probes import command_problem, http_problem, tcp_problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOOPBACK = "127.0.0.1"
SECRET = "hunter2-of-the-program"


class Answers(BaseHTTPRequestHandler):
    """Answers with the status that the path names; `/moved` leads to `/204`, `/garbage` to no answer."""

    def do_GET(self) -> None:
        if self.path == "/garbage":
            self.wfile.write(b"garbage\r\n\r\n")
            return
        is_moved = self.path == "/moved"
        self.send_response(302 if is_moved else int(self.path[1:]))
        if is_moved:
            self.send_header("Location", "/204")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's name
        """Print nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """The URL of a server."""
    with HTTPServer((LOOPBACK, 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://{LOOPBACK}:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A bound socket on which nobody listens until the test does."""
    with socket.socket() as bound:
        bound.bind((LOOPBACK, 0))
        yield bound


def test_a_server_that_listens_later(silent: socket.socket) -> None:
    """The attempt before is refused by name, the one after succeeds."""
    port = silent.getsockname()[1]
    assert asyncio.run(tcp_problem(LOOPBACK, port, most_s=60)) == "does not answer: Connection refused"
    silent.listen()
    assert asyncio.run(tcp_problem(LOOPBACK, port, most_s=60)) == ""


def test_a_host_without_address() -> None:
    """A name that cannot be looked up, or is no name, is a reason, not an exception."""
    assert asyncio.run(tcp_problem("a..b", 1, most_s=60)).startswith("does not answer: ")


def test_each_attempt_ends(silent: socket.socket) -> None:
    """A server that accepts and never answers ends with the time of the attempt."""
    silent.listen()
    url = f"http://{LOOPBACK}:{silent.getsockname()[1]}/"
    assert asyncio.run(http_problem(url, None, most_s=0.1)) == "has not answered within 0.1 s"


@pytest.mark.parametrize(
    ("path", "status", "problem"),
    [
        ("200", None, ""),
        ("204", None, ""),
        ("503", None, "answers 503"),
        ("304", None, "answers 304"),
        ("401", 401, ""),
        ("204", 200, "answers 204"),
        ("moved", 204, ""),
        ("garbage", None, "does not answer: garbage"),
    ],
)
def test_a_web_server(url: str, path: str, status: int | None, problem: str) -> None:
    """Its status decides, whatever the library thinks of it; redirections are followed."""
    assert asyncio.run(http_problem(f"{url}/{path}", status, most_s=60)).strip() == problem


def test_a_web_server_that_is_not_there(silent: socket.socket) -> None:
    """The reason is that of the connection."""
    url = f"http://{LOOPBACK}:{silent.getsockname()[1]}/"
    assert asyncio.run(http_problem(url, None, most_s=60)) == "does not answer: Connection refused"
    assert asyncio.run(http_problem("http://[::1/", None, most_s=60)).startswith("does not answer: ")


def test_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts in a folder, with the environment but for some variables, and its errors are masked."""
    monkeypatch.setenv("KEPT_KEY", "kept")
    monkeypatch.setenv("OTHER", "other")
    masker = Masker()
    masker.add(SECRET)
    code = (
        "import os, sys; "
        f"sys.exit(' '.join([os.getcwd(), str('KEPT_KEY' in os.environ), os.environ['OTHER'], '{SECRET}']))"
    )

    async def problem(*argv: str, most_s: float = 60) -> str:
        return await command_problem(argv, tmp_path, masker, most_s=most_s, without=("KEPT_KEY",))

    message = asyncio.run(problem(sys.executable, "-c", code))
    assert (
        message
        == f"exited with code 1\nstderr: {os.path.realpath(tmp_path)} False other {masker.text(SECRET)}"
    )
    assert asyncio.run(problem(sys.executable, "-c", "")) == ""
    assert asyncio.run(problem("no-such-program")) == "cannot be started: No such file or directory"
    assert asyncio.run(problem("a\0b")).startswith("cannot be started: ")
    assert asyncio.run(problem("cat", "/dev/zero")) == "wrote more than 1,048,576 bytes of output"
    endless = (sys.executable, "-c", "import signal; signal.pause()")
    assert asyncio.run(problem(*endless, most_s=0.1)) == "did not end within 0.1 s"
