"""A user of this machine and a server that takes the user's password."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.accounts import Account
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.sshd import Sshd


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    """A user with a password."""
    made = Account(Path(f"/tmp/ensue-home-{secrets.token_hex(4)}"))
    yield made
    made.remove()


@pytest.fixture(scope="module")
def password_sshd(tmp_path_factory: pytest.TempPathFactory, account: Account) -> Iterator[Sshd]:
    """A server that takes the user's password."""
    folder = tmp_path_factory.mktemp("password")
    with running_sshd(folder, user=account.name, options={"PasswordAuthentication": "yes"}) as server:
        yield server
