"""The fake connection keeps the file part of the contract, and does as it was told with commands."""

from __future__ import annotations

import asyncio

import pytest

from ensue.core.contracts.connection import Command, Completed
from ensue.core.errors import NotAvailableError
from ensue.core.model.srn import Srn
from ensue.testing.connection import FakeConnection, RecordedCall
from ensue.testing.connection_contract import FileContract, Subject


class TestFakeConnection(FileContract):
    @pytest.fixture
    def subject(self) -> Subject:
        return Subject(connect=FakeConnection)


def test_commands_are_scripted() -> None:
    """The latest script that matches answers; what nothing matches is not found."""
    fake = FakeConnection()
    fake.on_run("systemctl *", stdout=b"active")
    fake.on_run(
        "systemctl start *",
        lambda command: Completed(returncode=len(command.argv or ()), stdout=b"", stderr=b""),
    )

    async def ask(*argv: str) -> Completed:
        return await fake.run(Command(argv=argv))

    assert asyncio.run(ask("systemctl", "status", "x")).stdout == b"active"
    assert asyncio.run(ask("systemctl", "start", "x")).returncode == 3
    assert asyncio.run(ask("reboot")).returncode == 127
    assert [command.argv for command in fake.commands][-1] == ("reboot",)


def test_calls_are_recorded() -> None:
    """A test can see what a function asked of its target."""
    fake = FakeConnection(files={"/srv/file": b"x"})
    asyncio.run(fake.read("/srv/file"))
    assert fake.calls == [RecordedCall(method="read", path="/srv/file")]


def test_a_target_without_commands() -> None:
    """`can_run=False` is a type that offers none; the message names the type."""
    fake = FakeConnection(Srn("dummy", "d"), can_run=False)
    with pytest.raises(NotAvailableError, match=r"cmd\.run is not available for dummy"):
        asyncio.run(fake.run(Command(argv=["true"])))
