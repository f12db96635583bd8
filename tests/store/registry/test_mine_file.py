"""The values of targets in files: each target has its own, encrypted for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import StateFailedError, TamperedError
from ensue.core.model.srn import Srn
from ensue.store.registry.mine_file import FOLDER, MineFiles
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from pathlib import Path

WEB, ODD = Srn("ssh_host", "web-1"), Srn("ssh_host", "a/../b")


@pytest.fixture
def files(cachedir: Path) -> MineFiles:
    return MineFiles(cachedir, ProjectVault.of_project(cachedir, environment={}))


def test_each_target_has_values_of_its_own(files: MineFiles, cachedir: Path) -> None:
    """A file per target, whatever its id has in it; without values there is none."""
    assert files.read(WEB) == {}
    files.write(WEB, {"address": "10.0.0.1"})
    files.write(ODD, {"address": "10.0.0.2"})
    assert (files.read(WEB), files.read(ODD)) == ({"address": "10.0.0.1"}, {"address": "10.0.0.2"})
    assert len(list((cachedir / FOLDER).iterdir())) == 2
    files.write(ODD, {})
    assert (len(list((cachedir / FOLDER).iterdir())), files.read(ODD)) == (1, {})


def test_a_value_that_is_no_data_is_refused(files: MineFiles) -> None:
    """The values that are there stay."""
    files.write(WEB, {"address": "10.0.0.1"})
    with pytest.raises(StateFailedError, match="the mine stores only data"):
        files.write(WEB, {"address": object()})
    assert files.read(WEB) == {"address": "10.0.0.1"}


def test_a_file_under_the_name_of_another_target_is_refused(files: MineFiles, cachedir: Path) -> None:
    """Renaming a file cannot give a target the values of another one."""
    files.write(WEB, {"address": "10.0.0.1"})
    files.write(ODD, {"address": "10.0.0.2"})
    first, second = sorted((cachedir / FOLDER).iterdir())
    first.replace(second)
    with pytest.raises(TamperedError):
        [files.read(srn) for srn in (WEB, ODD)]
