"""The project lock."""

from __future__ import annotations

import datetime as dt
import os
import stat
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import LockHeldError
from ensue.store.runs.lock import project_lock

if TYPE_CHECKING:
    from pathlib import Path

NOW = dt.datetime(2026, 11, 20, 23, 59, 59, tzinfo=dt.UTC)


def test_an_apply_excludes_applies_and_deployments(tmp_path: Path) -> None:
    """The refusal names the command and its process; the file is private."""
    cachedir = tmp_path / ".ensue"
    with project_lock(cachedir).acquire(command="ensue apply web", now=NOW):
        for shared in (False, True):
            with pytest.raises(
                LockHeldError, match=r"this project is being applied by ensue apply web "
            ) as caught:
                project_lock(cachedir, shared=shared).acquire(command="x", now=NOW)
            assert caught.value.holder_pid == os.getpid()
    assert stat.S_IMODE((cachedir / "lock").stat().st_mode) == 0o600


def test_deployments_exclude_an_apply_only(tmp_path: Path) -> None:
    """Two of them hold the lock at the same time."""
    with (
        project_lock(tmp_path, shared=True).acquire(command="ensue deploy shop/dev", now=NOW),
        project_lock(tmp_path, shared=True).acquire(command="ensue deploy shop/live", now=NOW),
        pytest.raises(LockHeldError, match="ensue deploy shop/live"),
    ):
        project_lock(tmp_path).acquire(command="ensue apply", now=NOW)
    project_lock(tmp_path).acquire(command="ensue apply", now=NOW).release()


def test_the_end_of_a_later_deployment_hides_no_earlier_one(tmp_path: Path) -> None:
    """Each deployment that shares the lock has a note of its own."""
    with project_lock(tmp_path, shared=True).acquire(command="ensue deploy shop/dev", now=NOW):
        project_lock(tmp_path, shared=True).acquire(command="ensue deploy shop/live", now=NOW).release()
        with pytest.raises(LockHeldError, match="ensue deploy shop/dev"):
            project_lock(tmp_path).acquire(command="ensue apply", now=NOW)
