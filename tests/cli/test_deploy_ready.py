"""`ready` of a definition: a deployment waits for real servers before it goes on."""

from __future__ import annotations

import json
import signal
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import DEPLOY, DESTROY, POSTGRES, DeployedProject, deployed_project, statuses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOOPBACK = "127.0.0.1"

CHECK = """\
import pathlib, sys
tried = pathlib.Path("tried")
with tried.open("a") as file:
    print(*sys.argv[1:], file=file)
if tried.read_text().count("\\n") < 2:
    sys.exit("not yet")
"""


class Server:
    """A web server that answers 503 until it is opened.

    Args:
        answers_503: how many requests it answers so before it opens by itself; None: all.
    """

    def __init__(self, answers_503: int | None) -> None:
        self.asked = threading.Event()
        self.requests = 0
        server = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.requests += 1
                is_open = answers_503 is not None and server.requests > answers_503
                self.send_response(200 if is_open else 503)
                self.end_headers()
                server.asked.set()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's name
                """Print nothing."""

        self._server = HTTPServer((LOOPBACK, 0), Answers)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project of a workload with a database and a DNS name."""
    return deployed_project(tmp_path / "project")


@pytest.fixture
def closed() -> Iterator[Server]:
    """A server that is never ready."""
    server = Server(None)
    yield server
    server.close()


@pytest.fixture
def opening() -> Iterator[Server]:
    """A server that is ready at the third request."""
    server = Server(2)
    yield server
    server.close()


def awaited(project: DeployedProject, server: Server, ready: str, words: str = "") -> None:
    """Let the database be ready when a server is."""
    text = POSTGRES.replace('host: "db.${context.app.id}"', f"host: {LOOPBACK}, port: {server.port}")
    assert text != POSTGRES
    text = text.replace("driver_type: log", f"driver_type: log\n  ready: {ready}{words}")
    project.write("definitions/pg.yaml", text)


URL = "http: 'http://${outputs.host}:${outputs.port}/'"


def node(document: Any) -> Any:
    return next(candidate for candidate in document["nodes"] if candidate["type"] == "postgres")


def test_dependents_start_when_it_is_ready(project: DeployedProject, opening: Server) -> None:
    """It is asked until it answers; a plan says for what it would wait; what is ready is not asked again."""
    awaited(project, opening, f"{{{URL}, interval: 0.01s}}")
    planned = node(project.run(*DEPLOY, "--plan", "--out", "json").document)
    assert planned["waits_until"] == "http://${outputs.host}:${outputs.port}/ answers 200 to 299"
    assert planned["comment"].endswith(f"waits until {planned['waits_until']} (at most 300 s)")
    assert opening.requests == 0
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 0, ended.err
    assert statuses(ended.document)["workload"] == "created"
    assert opening.requests == 3
    again = project.run(*DEPLOY, "--out", "json")
    assert statuses(again.document)["postgres"] == "unchanged"
    assert "waits_until" not in node(again.document)
    assert opening.requests == 3


def test_what_is_not_ready_is_kept(project: DeployedProject, closed: Server, opening: Server) -> None:
    """The resource has failed with the last reason; the next deployment asks again and calls no driver."""
    awaited(project, closed, f"{{{URL}, interval: 60s, timeout: 60s}}")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 2
    database = node(ended.document)
    assert (database["status"], statuses(ended.document)["workload"]) == ("failed", "skipped")
    assert database["comment"] == (
        f"it is made, and was not ready within 60 s: http://{LOOPBACK}:{closed.port}/ answers 503"
    )
    assert database["outputs"]["port"] == closed.port
    kept = project.run("show", "active", "--out", "json").document
    assert [resource["ready"] for resource in kept if resource["resource"].startswith("postgres")] == [False]
    assert "active, not ready" in project.run("show", "active").out
    assert "create postgres" in project.log()
    awaited(project, closed, f"{{http: 'http://{LOOPBACK}:{opening.port}/', interval: 0.01s}}")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 0, ended.err
    database = node(ended.document)
    assert (database["status"], database["comment"]) == ("unchanged", "it is ready now")
    assert project.log() == []
    assert project.run(*DESTROY).code == 0
    assert "delete postgres" in project.log()


def test_a_timeout_of_the_definition_ends_the_wait(project: DeployedProject, closed: Server) -> None:
    """It holds for the call of the driver and the wait together; the record says that the call succeeded."""
    awaited(project, closed, f"{{{URL}, interval: 1h, timeout: 2h}}", "\n  timeout: 0.5s")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 2
    assert node(ended.document)["comment"].startswith("the wait until it is ready was cut short")
    project.log()
    project.run(*DEPLOY)
    assert project.log() == []


def test_two_signals_end_the_wait(project: DeployedProject, closed: Server) -> None:
    """The first one lets the wait go on, the second one ends it; nothing is forgotten."""
    awaited(project, closed, f"{{{URL}, interval: 1h, timeout: 2h}}")
    process = project.start(*DEPLOY, "--out", "json")
    assert closed.asked.wait(60)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert b"SIGINT" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert not out or node(json.loads(out))["status"] == "failed"
    kept = project.run("show", "active", "--out", "json").document
    assert [
        (resource["state"], resource["ready"])
        for resource in kept
        if resource["resource"].startswith("postgres")
    ] == [("active", False)]


def test_a_command_that_succeeds(project: DeployedProject, closed: Server) -> None:
    """A program of the project decides; outputs are words of its command, whatever is in them."""
    project.write("check.py", CHECK)
    words = "python3 check.py ${outputs.port} ${outputs.password}"
    awaited(project, closed, f"{{command: '{words}', interval: 0.01s}}")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 0, ended.err
    assert (project.root / "tried").read_text() == f"{closed.port} hunter2-s3cret\n" * 2
    assert closed.requests == 0
    assert "hunter2" not in ended.out + ended.err
