"""The driver that docs/drivers.md shows keeps the contract."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import pytest

from ensue.testing.driver_contract import DriverContract, DriverSubject

if TYPE_CHECKING:
    from ensue.core.contracts.driver import Driver

PAGE = Path(__file__).resolve().parents[3] / "docs" / "drivers.md"


def documented_driver() -> Driver:
    """Return the driver of the page as a module."""
    match = re.search(r"<!-- file: \S+/folder\.py -->\n```python\n(.*?)\n```\n", PAGE.read_text(), re.DOTALL)
    assert match
    module: Any = ModuleType("folder")
    exec(compile(match[1], str(PAGE), "exec"), module.__dict__)  # noqa: S102 -- what the page shows
    return cast("Driver", module)


class TestDocumentedDriver(DriverContract):
    """The suite as the page calls it."""

    @pytest.fixture
    def subject(self, tmp_path: Path) -> DriverSubject:
        """Folders below one that is outside of the project."""
        below = tmp_path / "made"
        (tmp_path / "project").mkdir()
        return DriverSubject(
            driver=documented_driver(),
            directory=tmp_path / "project",
            inputs={"values": {"below": str(below)}},
            other_inputs={"values": {"below": str(below / "other")}},
            wrong_inputs=[{"values": {}}],
            marks_owner=True,
            count_made=lambda: len(list(below.rglob("0123*"))),
        )
