"""A sandbox through the resource type `ssh_host`: what every connection must do."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.errors import RemoteFileError
from ensue.core.masking import Masker
from ensue.core.model.srn import Srn
from ensue.reach.resources import sandbox, ssh_host
from ensue.testing.connection_contract import CommandContract, FileContract, Subject
from ensue.testing.contract_play import scene

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ensue.core.contracts.connection import Connection


def connection_to(environment: Any) -> Connection:
    """Return an ssh_host connection from what a sandbox says of itself."""

    def nowhere(srn: Srn) -> Connection:
        raise AssertionError(f"{srn} is not needed")

    return ssh_host.connect(
        ResourceContext(
            srn=Srn("ssh_host", "jumphost-env-01"),
            config=environment.connection,
            opts={},
            cache_dir=Path("/nonexistent"),
            masker=Masker(),
            connect_to=nowhere,
        )
    )


def subject_of(make_box: Callable[..., Any], folder: Path, isolation: str) -> Generator[Subject]:
    """Deploy a sandbox for the tests of one class."""
    box = make_box(folder / ".ensue", isolation=isolation)
    environment = asyncio.run(box.deploy())
    yield Subject(connect=lambda: connection_to(environment), folder="/root")
    asyncio.run(sandbox.destroy(box.request))


@pytest.fixture(scope="module")
def namespaced(tmp_path_factory: pytest.TempPathFactory, make_box: Callable[..., Any]) -> Generator[Subject]:
    """A sandbox with a root of its own."""
    yield from subject_of(make_box, tmp_path_factory.mktemp("project"), "namespace")


@pytest.fixture(scope="module")
def confined(tmp_path_factory: pytest.TempPathFactory, make_box: Callable[..., Any]) -> Generator[Subject]:
    """A sandbox without."""
    yield from subject_of(make_box, tmp_path_factory.mktemp("project"), "none")


@pytest.mark.namespace
class TestNamespace(FileContract, CommandContract):
    """With a root of its own: files and commands."""

    @pytest.fixture
    def subject(self, namespaced: Subject) -> Subject:
        """The sandbox."""
        return namespaced

    if os.geteuid() != 0:

        @scene
        async def test_owner(self, target: Connection, folder: str) -> None:
            """Started by an ordinary user it holds root alone: nothing can be given to anyone else."""
            path = f"{folder}/file"
            await target.write(path, b"1", user="root", group="root")
            with pytest.raises(RemoteFileError):
                await target.set_owner(path, user="nobody")
            assert await target.read(path) == b"1"

        @pytest.mark.skip(reason="only root can make links of other users")
        async def test_links_of_others_are_not_written_through(self) -> None:
            """Started by an ordinary user it holds root alone."""


class TestNone(FileContract):
    """Without: files; its commands see the machine, not the files' root."""

    @pytest.fixture
    def subject(self, confined: Subject) -> Subject:
        """The sandbox."""
        return confined
