"""This machine, whole and confined to a folder, keeps the contract of a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection_contract import ConnectionContract, Subject

if TYPE_CHECKING:
    from pathlib import Path

MINION = Srn("minion", "m")


class TestMinion(ConnectionContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        return Subject(connect=lambda: MinionConnection(MINION), folder=str(tmp_path))


class TestMinionWithRoot(ConnectionContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        (tmp_path / "root").mkdir()
        return Subject(connect=lambda: MinionConnection(MINION, root=str(tmp_path / "root")), folder="/")
