"""An HTTP server that drips its response holds nobody beyond the deadline, and its connection is closed."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

from ensue.core.errors import StateFailedError
from ensue.language.settings.file_sources import ProjectFiles
from ensue.language.settings.roots import Roots
from ensue.reach.processes.http_exchange import HttpExchange, exchanged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class DrippingServer:
    """Sends the beginning of a response, and then a byte now and then until the connection is closed."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/file"
        self.is_asked = threading.Event()
        self.is_closed = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        connection, _ = self._socket.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            self.is_asked.set()
            connection.settimeout(0.05)
            while True:
                try:
                    connection.sendall(b"x")
                    if not connection.recv(1):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
        self.is_closed.set()


@pytest.fixture
def server() -> Iterator[DrippingServer]:
    running = DrippingServer()
    yield running
    running.close()


@pytest.mark.parametrize("is_long", [False, True])
def test_a_source_ends_at_its_deadline(server: DrippingServer, tmp_path: Path, *, is_long: bool) -> None:
    """The message has the source and the deadline, and the server sees the connection closed."""
    files = ProjectFiles(Roots({"base": []}, tmp_path), http_total_s=0.5)
    with pytest.raises(
        StateFailedError, match=r"/file cannot be fetched: timed out: the response did not end within 0.5 s"
    ):
        asyncio.run(files.open(server.url) if is_long else files.read(server.url))
    assert server.is_closed.wait(300)


def test_a_cancelled_exchange_closes_its_connection(server: DrippingServer) -> None:
    """The thread does not go on reading for nobody."""

    def read(exchange: HttpExchange) -> bytes:
        with exchange.open(server.url, silence_s=300) as answer:
            content: bytes = answer.read()
            return content

    async def scene() -> None:
        running = asyncio.ensure_future(exchanged(read, total_s=3000))
        await asyncio.to_thread(server.is_asked.wait)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scene())
    assert server.is_closed.wait(300)


def project(root: Path, function: str, options: dict[str, Any], *arguments: dict[str, Any]) -> Shell:
    shell = Shell(root)
    shell.write("ensue.yaml", json.dumps({"id": "m", **options}))
    shell.write("states/t.sls", json.dumps({"state": {function: list(arguments)}}))
    return shell


CASES: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("file.managed", {"http_request_timeout": 1}, {}, "the response did not end within 1 s"),
    ("file.managed", {}, {"timeout": 1}, "Timed out after 1 seconds"),
    ("http.query", {}, {"timeout": 1}, "the response did not end within 1 s"),
]
"""A function, options of the project, arguments of the state, and what its return says."""


@pytest.mark.parametrize("case", CASES)
def test_a_state_ends_at_its_deadline(
    server: DrippingServer, tmp_path: Path, case: tuple[str, dict[str, Any], dict[str, Any], str]
) -> None:
    """The project's option, the state's `timeout` and that of `http.query` each cover the whole response."""
    function, options, limit, message = case
    given = {"name": str(tmp_path / "got"), "source": server.url, "skip_verify": True}
    if function == "http.query":
        given = {"name": server.url, "status": 200}
    arguments = [{name: value} for name, value in (given | limit).items()]
    ended = project(tmp_path / "project", function, options, *arguments).run("apply", "t", "--out", "json")
    (returned,) = ended.document["m"].values()
    assert returned["result"] is False
    assert message in json.dumps(returned)
    assert not (tmp_path / "got").exists()


def test_signals_end_a_download(server: DrippingServer, tmp_path: Path) -> None:
    """The second SIGTERM ends the download, and the report says so."""
    arguments = [{"name": str(tmp_path / "got")}, {"source": server.url}, {"skip_verify": True}]
    shell = project(tmp_path / "project", "file.managed", {}, *arguments)
    with shell.start("apply", "t", "--out", "json") as process:
        assert process.stderr is not None
        assert server.is_asked.wait(300)
        err = b""
        for message in (b"again: end that now", b"ending what is running"):
            process.send_signal(signal.SIGTERM)
            while message not in err and (line := process.stderr.readline()):
                err += line
        out, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    (returned,) = json.loads(out)["m"].values()
    assert returned["comment"].startswith("Cancelled while it was running")
    assert server.is_closed.wait(300)
