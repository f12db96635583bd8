"""Two resources of the driver `terraform` whose configurations keep their state in one backend."""

from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.terraform import BOX, needs_terraform

from ensue.deploy.drivers import opentofu, terraform
from ensue.testing.driver import driver_request

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ensue.core.contracts.managed_objects import ManagedObject


class OneState(BaseHTTPRequestHandler):
    """Terraform's backend `http` with one state, without locks."""

    kept = b""

    def do_GET(self) -> None:
        self.send_response(200 if OneState.kept else 404)
        self.send_header("Content-Length", str(len(OneState.kept)))
        self.end_headers()
        self.wfile.write(OneState.kept)

    def do_POST(self) -> None:
        OneState.kept = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name of the base class
        """Write nothing to stderr."""


@pytest.fixture
def backend() -> Iterator[str]:
    needs_terraform()
    OneState.kept = b""
    with ThreadingHTTPServer(("127.0.0.1", 0), OneState) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f'terraform {{\n  backend "http" {{ address = "http://127.0.0.1:{server.server_port}/" }}\n}}\n'
        server.shutdown()
        thread.join()


def made(tmp_path: Path, script: str) -> Sequence[ManagedObject]:
    """Return what the driver says that it has made with a configuration."""
    given = driver_request(tmp_path, values={"script": script})
    return terraform.managed(asyncio.run(terraform.create(given)).cookie)


def test_resources_that_share_a_state_have_the_same(tmp_path: Path, backend: str) -> None:
    """The state tells, wherever it is stored: what one of them destroys the other one has."""
    (first,), (second,) = made(tmp_path / "a", backend + BOX), made(tmp_path / "b", backend + BOX)
    assert (first.name, first.takes(second), second.takes(first)) == ("terraform_data.box", True, True)


def test_equal_configurations_with_states_of_their_own_share_nothing(tmp_path: Path) -> None:
    """The addresses are the same, the things are not."""
    needs_terraform()
    (first,), (second,) = made(tmp_path / "a", BOX), made(tmp_path / "b", BOX)
    assert (first.name, first.takes(second)) == (second.name, False)


def test_the_record_is_that_of_both_drivers() -> None:
    """What one driver has made and the other one has found in the same state can be compared."""
    assert (opentofu.managed, opentofu.destroys) == (terraform.managed, terraform.destroys)
    assert terraform.destroys(None) == []
