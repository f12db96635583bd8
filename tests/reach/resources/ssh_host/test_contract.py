"""A real OpenSSH server keeps the contract of a connection: over SFTP, and over nothing but its shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.testing.connection_contract import ConnectionContract, Subject

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.sshd import Sshd

    from ensue.reach.resources.ssh_host.connection import SshConnection

pytestmark = pytest.mark.openssh


class TestOverSftp(ConnectionContract):
    @pytest.fixture
    def subject(self, sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> Subject:
        return Subject(connect=lambda: ssh(sshd.config(files="sftp")), folder=str(tmp_path))


class TestOverTheShell(ConnectionContract):
    @pytest.fixture
    def subject(self, sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> Subject:
        return Subject(connect=lambda: ssh(sshd.config(files="shell")), folder=str(tmp_path))
