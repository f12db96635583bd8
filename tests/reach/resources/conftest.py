"""Targets for the tests of connections: real sshds on loopback ports, shared where they can be."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.containers import Engine, needs_podman, running_engine
from tests.support.sshd import Sshd, running_sshd

from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.masking import Masker
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.core.contracts.connection import Connection
    from ensue.reach.resources.ssh_host.connection import SshConnection


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A running OpenSSH server that lets in the user of the tests; tests must not hurt it."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path_factory.mktemp("sshd"), user=user) as server:
        yield server


@pytest.fixture
def own_sshd(tmp_path: Path) -> Iterator[Sshd]:
    """A running OpenSSH server of the test's own, to be stopped and hurt."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path / "sshd", user=user) as server:
        yield server


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """A real podman with a running container `box`; tests must not hurt that one."""
    needs_podman()
    with running_engine() as running:
        running.start("box")
        yield running


def context_for(
    config: dict[str, Any],
    *,
    id_: str = "host",
    others: dict[str, Connection] | None = None,
    type_: str = "ssh_host",
) -> ResourceContext:
    """Return what a resource type is given, with other resources by id."""
    known = others or {}
    return ResourceContext(
        srn=Srn(type_, id_),
        config=config,
        opts={},
        cache_dir=Path("/nonexistent"),
        masker=Masker(),
        connect_to=lambda srn: known[srn.id],
    )


@pytest.fixture
def ssh() -> Callable[..., SshConnection]:
    """Return a function that makes connections from a configuration."""
    from ensue.reach.resources import ssh_host
    from ensue.reach.resources.ssh_host.connection import SshConnection

    def connect(config: dict[str, Any], **more: Any) -> SshConnection:
        context = context_for(config, **more)
        assert ssh_host.check(context.config) == []
        connection = ssh_host.connect(context)
        assert isinstance(connection, SshConnection)
        return connection

    return connect
