"""State module `pip`: a real pip in a virtual environment of its own, and a package that is made here."""

from __future__ import annotations

import shutil
import venv
import zipfile
from pathlib import Path

import pip
import pytest
from tests.library.states.system_states import HERE, context, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection

pytestmark = pytest.mark.long


def make_wheel(folder: Path, version: str) -> None:
    info = f"tiny_thing-{version}.dist-info"
    with zipfile.ZipFile(folder / f"tiny_thing-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_thing.py", f"VERSION = '{version}'\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-thing\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("venv") / "env"
    venv.create(folder, symlinks=True)
    lend_pip(folder)
    return folder


def lend_pip(folder: Path) -> None:
    """Copy the pip of the environment that the tests run in: to install one takes a minute."""
    place = Path(pip.__file__).parent.parent
    (packages,) = folder.glob("lib/python*/site-packages")
    for part in (place / "pip", *place.glob("pip-*.dist-info")):
        shutil.copytree(part, packages / part.name)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    for version in ("1.0", "2.0"):
        make_wheel(tmp_path, version)
    return tmp_path


def test_packages_come_change_and_go(environment: Path, wheels: Path) -> None:
    """A package is installed in the version that is asked for, changed to another one, and removed."""
    here = MinionConnection(HERE)
    where = {"bin_env": str(environment)}
    options = {**where, "no_index": True, "find_links": str(wheels)}
    planned, done = thrice("pip.installed", here, "tiny-thing==1.0", **options)
    assert (planned.result, planned.comment) == (
        None,
        "Python package tiny-thing==1.0 is set to be installed",
    )
    assert (done.result, done.changes) == (True, {"tiny-thing==1.0": "Installed"}), done.comment
    assert done.new_state == {"packages": {"tiny-thing": "1.0"}}

    same = state("pip.installed", context(here), "Tiny_Thing >= 1, < 2", **options)
    assert (same.result, same.changes) == (True, {})
    assert same.comment.endswith("All specified packages are already installed")
    _, done = thrice("pip.installed", here, "several", pkgs=["tiny.thing>1", "pip"], **options)
    assert done.changes == {"tiny-thing==2.0": "Installed"}

    planned, gone = thrice("pip.removed", here, "tiny-thing", **where)
    assert (planned.result, gone.changes) == (None, {"tiny-thing": "Removed"})


def test_a_requirements_file(environment: Path, wheels: Path) -> None:
    """The packages of a file are installed, and the second time none is."""
    (wheels / "needs.txt").write_text("tiny-thing\n")
    here = MinionConnection(HERE)
    options = {"bin_env": str(environment), "requirements": str(wheels / "needs.txt"), "no_index": True}
    done = state("pip.installed", context(here), "needs", find_links=str(wheels), **options)
    assert (done.result, done.changes) == (True, {"requirements": True}), done.comment
    again = state("pip.installed", context(here), "needs", find_links=str(wheels), **options)
    assert (again.result, again.changes) == (True, {})
    state("pip.removed", context(here), "tiny-thing", bin_env=str(environment))


def test_what_cannot_be_is_said(environment: Path, wheels: Path) -> None:
    """A single `=`, a package that is nowhere, an environment that is not there, which a plan waits for."""
    here = MinionConnection(HERE)
    options = {"bin_env": str(environment), "no_index": True, "find_links": str(wheels)}
    wrong = state("pip.installed", context(here), "tiny-thing=1.0", **options)
    assert (wrong.result, "use '==' instead" in wrong.comment) == (False, True)
    nowhere = state("pip.installed", context(here), "no-such-thing", **options)
    assert (nowhere.result, "Failed to install packages: no-such-thing" in nowhere.comment) == (False, True)
    missing = str(wheels / "none/bin/pip")
    assert state("pip.installed", context(here), "x", bin_env=missing).result is False
    assert state("pip.installed", context(here, test=True), "x", bin_env=missing).result is None


def test_all_packages_are_upgraded(environment: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`uptodate` upgrades what the index has in a newer version, and a plan names it."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    here, where = MinionConnection(HERE), {"bin_env": str(environment)}
    state("pip.installed", context(here), "tiny-thing==1.0", **where)
    planned, done = thrice("pip.uptodate", here, "all", **where)
    assert (planned.result, planned.comment) == (None, "System update will be performed")
    assert planned.changes == done.changes == {"tiny-thing": {"old": "1.0", "new": "2.0"}}
    assert (done.result, done.comment) == (True, "Upgrade successful.")
    assert done.new_state == {"upgrades": {}}
    state("pip.removed", context(here), "tiny-thing", **where)


def test_a_package_that_cannot_be_upgraded(
    environment: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error of pip is the comment of `uptodate`, and the installed version stays."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    here, where = MinionConnection(HERE), {"bin_env": str(environment)}
    state("pip.installed", context(here), "tiny-thing==1.0", **where)
    (wheels / "tiny_thing-2.0-py3-none-any.whl").write_text("no wheel")
    refused = state("pip.uptodate", context(here), "all", **where)
    assert (refused.result, refused.changes) == (False, {})
    assert "tiny_thing-2.0" in refused.comment
    state("pip.removed", context(here), "tiny-thing", **where)
