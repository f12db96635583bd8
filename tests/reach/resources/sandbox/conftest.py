"""Real sandboxes for tests: started on this machine, ended with the test."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ensue.core.contracts.provider import Environment, EnvironmentRequest
from ensue.core.errors import TamperedError
from ensue.core.masking import Masker
from ensue.reach.resources import sandbox
from ensue.reach.resources.sandbox.processes import is_alive
from ensue.reach.resources.sandbox.record import ServerRecord, read_record

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from pathlib import Path

ISOLATIONS = [pytest.param("namespace", marks=pytest.mark.namespace), "none"]


class RealVault:
    """AES-256-GCM with a key of its own, so that what is on disk is really encrypted."""

    def __init__(self) -> None:
        self._cipher = AESGCM(b"k" * 32)

    def seal(self, plain: bytes, *, context: str) -> bytes:
        return bytes(12) + self._cipher.encrypt(bytes(12), plain, context.encode())

    def open(self, sealed: bytes, *, context: str) -> bytes:
        try:
            return self._cipher.decrypt(sealed[:12], sealed[12:], context.encode())
        except Exception as error:
            raise TamperedError(f"{context} was changed") from error


@dataclass(frozen=True)
class Deployed:
    """A sandbox that is deployed, and how to connect to it."""

    environment: Environment
    connection: dict[str, Any]

    @property
    def details(self) -> dict[str, Any]:
        return self.environment.details


@dataclass(frozen=True)
class Sandbox:
    """A sandbox that a test works with."""

    request: EnvironmentRequest

    @property
    def directory(self) -> Path:
        return self.request.directory

    @property
    def record(self) -> ServerRecord:
        record = read_record(self.directory)
        assert record is not None
        return record

    @property
    def connected(self) -> Any:
        return connected

    def is_running(self) -> bool:
        return is_alive(self.record.process)

    def with_options(self, **options: Any) -> Sandbox:
        return Sandbox(replace(self.request, options=options))

    async def deploy(self) -> Deployed:
        environment = await sandbox.deploy(self.request)
        assert environment.status == "succeeded", environment.comment
        return Deployed(environment, await sandbox.connection_info(self.request))

    @asynccontextmanager
    async def connect(self, **changes: Any) -> AsyncGenerator[asyncssh.SSHClientConnection]:
        deployed = Deployed(await sandbox.observe(self.request), await sandbox.connection_info(self.request))
        async with connected(deployed, **changes) as connection:
            yield connection

    async def run(self, line: str) -> str:
        """Run a command that is to succeed; return its output."""
        async with self.connect() as connection:
            done = await connection.run(line)
            assert done.exit_status == 0, f"{line}: {done.exit_status}: {done.stderr!r}"
            return str(done.stdout)


@asynccontextmanager
async def connected(deployed: Deployed, **changes: Any) -> AsyncGenerator[asyncssh.SSHClientConnection]:
    tunnel = changes.pop("tunnel", None)
    config: dict[str, Any] = deployed.connection | changes
    async with asyncssh.connect(
        config["host"],
        config["port"],
        username=config["user"],
        password=config["password"],
        known_hosts=([asyncssh.import_public_key(config["host_key"])], [], []),
        client_keys=None,
        agent_path=None,
        config=None,
        tunnel=tunnel,
    ) as connection:
        yield connection


def make_request(cachedir: Path, name: str = "env-01", **options: Any) -> EnvironmentRequest:
    return EnvironmentRequest(
        name=name,
        directory=cachedir / "sandboxes" / name,
        options=options,
        vault=RealVault(),
        masker=Masker(),
        root=cachedir,
    )


@pytest.fixture
def boxes(cachedir: Path) -> Generator[Callable[..., Sandbox]]:
    """Make sandboxes by name and options; whatever the test makes of them is removed."""
    made: list[Sandbox] = []

    def make(name: str = "env-01", **options: Any) -> Sandbox:
        made.append(Sandbox(make_request(cachedir, name, **options)))
        return made[-1]

    yield make
    for box in made:
        asyncio.run(sandbox.destroy(box.request))


@pytest.fixture(scope="session")
def make_box() -> Callable[..., Sandbox]:
    """Make a sandbox below a cachedir; the caller removes it."""

    def make(cachedir: Path, name: str = "env-01", **options: Any) -> Sandbox:
        return Sandbox(make_request(cachedir, name, **options))

    return make


@pytest.fixture
def cachedir(tmp_path: Path) -> Path:
    return tmp_path / ".ensue"


@pytest.fixture(params=ISOLATIONS)
def isolation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def box(boxes: Callable[..., Sandbox], isolation: str) -> Sandbox:
    """A sandbox that was not deployed yet."""
    return boxes(isolation=isolation)


@pytest.fixture(scope="module", params=ISOLATIONS)
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[Sandbox]:
    """A sandbox that runs, shared by the tests of one file."""
    started = Sandbox(make_request(tmp_path_factory.mktemp("project") / ".ensue", isolation=request.param))
    asyncio.run(started.deploy())
    yield started
    asyncio.run(sandbox.destroy(started.request))
