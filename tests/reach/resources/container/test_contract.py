"""A real podman container keeps the contract of a connection, through the clients of podman and of docker."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.reach.resources.conftest import context_for

from ensue.core.errors import UnreachableError
from ensue.reach.resources import container
from ensue.testing.command_contract import CommandContract
from ensue.testing.connection_contract import ConnectionContract, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.containers import Engine

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def docker(engine: Engine) -> Iterator[str]:
    """Docker's client, connected to the same containers."""
    if not shutil.which("docker"):
        pytest.skip("needs docker: apt-get install docker.io")
    with engine.service() as address:
        yield engine.script("docker", f'DOCKER_HOST={address} exec docker "$@"')


class TestPodman(ConnectionContract):
    @pytest.fixture
    def subject(self, engine: Engine) -> Subject:
        context = context_for({"engine": engine.program}, id_="box", type_="container")
        return Subject(connect=lambda: container.connect(context))


class TestDockersClient(CommandContract):
    """Docker's own client, with podman's service for a daemon."""

    @pytest.fixture
    def subject(self, docker: str) -> Subject:
        context = context_for({"engine": docker}, id_="box", type_="container")
        return Subject(connect=lambda: container.connect(context))


def test_docker_says_what_is_missing(docker: str, engine: Engine) -> None:
    """A container that docker does not know, and a daemon that is not there, have different errors."""
    assert engine.program
    context = context_for({"engine": docker}, id_="no-such-box", type_="container")
    with pytest.raises(UnreachableError, match="no such container"):
        asyncio.run(container.ping(container.connect(context)))
    nowhere = engine.script("docker-nowhere", 'DOCKER_HOST=unix:///nowhere exec docker "$@"')
    context = context_for({"engine": nowhere}, id_="box", type_="container")
    with pytest.raises(UnreachableError, match="does its daemon run"):
        asyncio.run(container.ping(container.connect(context)))
