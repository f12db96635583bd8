"""The fleet of the tests with a real Salt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.salt.fleet.fake_minion import FakeMinion
from tests.salt.fleet.minion_keys import private_key
from tests.salt.fleet.real_fleet import (
    MINIONS,
    Fleet,
    awaited_starts,
    check_answers,
    configured,
    ended,
    free_ports,
    lay_out,
    master_options,
    minion_options,
    started,
)

from ensue.salt.fleet.shipped_files import ShippedFiles

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@pytest.fixture
def shipped(tmp_path: Path) -> Generator[ShippedFiles]:
    """What a run ships."""
    (tmp_path / "_ensue").mkdir()
    with ShippedFiles(tmp_path / "_ensue", tmp_path / "claims", "run") as files:
        yield files


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Generator[Fleet]:
    """Start a master and its minions; wait until all minions answer."""
    base = tmp_path_factory.mktemp("f")
    ports = free_ports()
    lay_out(base)
    running = Fleet(base, {}, ports, {})
    try:
        folder = configured(base, "m", ports, master_options(base, ports[1]))
        running.programs["m"] = started("salt-master", folder)
        with awaited_starts(base, *MINIONS):
            for name in MINIONS:
                folder = configured(base, name, ports, minion_options(name, ports))
                running.minions[name] = started("salt-minion", folder)
        check_answers(running, "*", len(MINIONS))
        yield running
    finally:
        for process in (*running.minions.values(), *running.programs.values()):
            ended(process)


@pytest.fixture
def minion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMinion:
    """A minion with a key."""
    pem = private_key("web1").private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "minion.pem").write_bytes(pem)
    return FakeMinion(tmp_path, monkeypatch)
