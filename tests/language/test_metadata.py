"""`META` of an SLS: what is kept of it, and when it is warned of."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.language.metadata import metadata_of

if TYPE_CHECKING:
    from pathlib import Path


def test_metadata_is_kept_by_id() -> None:
    """Metadata of the file has the empty ID; IDs without metadata have no entry."""
    data = {"META": {"a": 1}, "x": {"META": "said", "test.nop": []}, "y": {"test.nop": []}, "z": "test.nop"}
    assert metadata_of(data) == {"": {"a": 1}, "x": "said"}


@pytest.mark.parametrize(
    ("sls", "codes"),
    [
        ("META: {test.nop: []}", ["E0315"]),
        ("META: test.nop", ["E0315"]),
        ("META: {name: a.b, parameters: {region: x}}", []),
        ("a: {META: {test.nop: []}, test.nop: []}", []),
    ],
)
def test_what_reads_as_a_state_is_warned_of(tmp_path: Path, sls: str, codes: list[str]) -> None:
    """A warning says that what looks like a state under META does not run."""
    write(tmp_path, f"{sls}\nb: test.nop\n")
    assert asyncio.run(warned(tmp_path)) == codes


def test_high_data_shows_metadata(tmp_path: Path) -> None:
    """Metadata of files is shown beside the IDs, by SLS; metadata of a state beside its function."""
    write(tmp_path, "META: {of: file}\na: {META: {of: state}, test.nop: []}\n")
    high = asyncio.run(shown(tmp_path))
    assert high["META"] == {"t": {"of": "file"}}
    assert high["a"]["META"] == {"of": "state"}
    assert "META" not in high["a"]["test"]


def write(root: Path, sls: str) -> None:
    (root / "states").mkdir()
    (root / "states/t.sls").write_text(sls)


async def warned(root: Path) -> list[str]:
    async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
        report = await project.apply(["t"], RunOptions(), on_event=lambda _: None)
    return [warning.code for warning in report.warnings]


async def shown(root: Path) -> Any:
    async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
        return await project.show("high", ["t"])
