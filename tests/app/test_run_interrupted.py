"""A run that is interrupted at its very beginning has an end in its journal."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.store.runs.journal_writer import JournalWriter

if TYPE_CHECKING:
    from pathlib import Path


def test_an_interrupted_beginning_is_no_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal while the first event is recorded interrupts the run; no later apply takes it for killed."""
    recorded = JournalWriter.recorded
    task: list[asyncio.Task[Any]] = []

    async def interrupted(self: JournalWriter) -> None:
        task[0].cancel()
        await recorded(self)

    async def run() -> list[str]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            task.append(asyncio.ensure_future(project.apply(["a"], RunOptions(), on_event=lambda _: None)))
            with pytest.raises(asyncio.CancelledError):
                await task[0]
            return [summary.status for summary in project.runs()]

    write(tmp_path, states__a="one: test.nop\n")
    with monkeypatch.context() as patched:
        patched.setattr(JournalWriter, "recorded", interrupted)
        assert asyncio.run(run()) == ["interrupted"]
    report = apply(tmp_path, "a")
    assert [warning.code for warning in report.warnings] == []
