"""State module `pkg` with a real apk: tiny packages from a repository in a folder, in a root of their own.

Debian has no package of apk: where there is none these are skipped, in continuous integration, too, and
`test_pkg_elsewhere` shows with an imitation what is run.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.library.states.apk_repository import build_package
from tests.library.states.system_states import HERE, context, execute, needs_root, state

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path

APK = shutil.which("apk")
ALPINE = {"os_family": "Alpine"}
PACKAGES = (
    ("ensue-tiny", "1.0-r0"),
    ("ensue-tiny", "1.10-r0"),
    ("ensue-tiny", "1.9-r2"),
    ("ensue-above", "1_rc1-r0", "depend = ensue-tiny"),
    ("ensue-other", "2-r0", "provides = virtual-thing=2"),
)

pytestmark = [
    needs_root,
    pytest.mark.skipif(APK is None, reason="no apk here: it comes with Alpine, or is built from apk-tools"),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MinionConnection:
    """This machine, on which apk keeps to a root below a temporary folder."""
    repository, root, bin_ = tmp_path / "repository/x86_64", tmp_path / "root", tmp_path / "bin"
    for folder in (repository, root / "etc/apk", bin_):
        folder.mkdir(parents=True)
    built = [build_package(repository, *each) for each in PACKAGES]
    index = ["index", "--allow-untrusted", "--rewrite-arch", "x86_64", "-o", f"{repository}/APKINDEX.tar.gz"]
    run(*index, *map(str, built))
    (root / "etc/apk/repositories").write_text(f"{repository.parent}\n")
    run("--root", str(root), "--arch", "x86_64", "--initdb", "--allow-untrusted", "add")
    program = f'#!/bin/sh\nexec {APK} --root {root} --allow-untrusted "$@"\n'
    (bin_ / "apk").write_text(program)
    (bin_ / "apk").chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_), prepend=":")
    return MinionConnection(HERE)


def run(*words: str) -> None:
    done = subprocess.run([str(APK), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_packages_come_change_and_go(here: MinionConnection, tmp_path: Path) -> None:
    """`installed`, `latest`, `removed` and `purged` do what they say, and nothing the second time."""
    ctx = context(here, grains=ALPINE)
    assert execute("pkg.list_pkgs", ctx) == {}
    assert execute("pkg.list_repo_pkgs", ctx, "ensue-tiny") == {"ensue-tiny": ["1.10-r0", "1.9-r2", "1.0-r0"]}
    planned = state("pkg.installed", context(here, grains=ALPINE, test=True), "ensue-tiny", version="1.9-r2")
    assert (planned.result, planned.changes) == (None, {"ensue-tiny": {"old": "", "new": "1.9-r2"}})
    done = state("pkg.installed", ctx, "ensue-tiny", version="1.9-r2")
    assert (done.result, done.changes) == (True, {"ensue-tiny": {"old": "", "new": "1.9-r2"}})
    assert (tmp_path / "root/opt/ensue-tiny").read_text() == "1.9-r2\n"
    assert state("pkg.installed", ctx, "ensue-tiny").changes == {}
    assert state("pkg.installed", ctx, "ensue-tiny", version=">=1.2").changes == {}

    newer = state("pkg.latest", ctx, "ensue-tiny")
    assert (newer.result, newer.changes) == (True, {"ensue-tiny": {"old": "1.9-r2", "new": "1.10-r0"}})
    assert state("pkg.latest", ctx, "ensue-tiny").changes == {}
    older = state("pkg.installed", ctx, "ensue-tiny", version="1.0-r0", allow_downgrade=True)
    assert (older.result, older.changes) == (True, {"ensue-tiny": {"old": "1.10-r0", "new": "1.0-r0"}})

    both = state("pkg.installed", ctx, "x", pkgs=["ensue-above", {"ensue-other": "2-r0"}])
    assert (both.result, both.changes) == (True, {
        "ensue-above": {"old": "", "new": "1_rc1-r0"}, "ensue-other": {"old": "", "new": "2-r0"},
    })  # fmt: skip
    assert state("pkg.installed", ctx, "virtual-thing").changes == {}
    gone = state("pkg.removed", ctx, "x", pkgs=["ensue-above", "ensue-tiny"])
    assert (gone.result, gone.changes) == (True, {
        "ensue-above": {"old": "1_rc1-r0", "new": ""}, "ensue-tiny": {"old": "1.0-r0", "new": ""},
    })  # fmt: skip
    assert state("pkg.removed", ctx, "ensue-tiny").changes == {}
    purged = state("pkg.purged", ctx, "ensue-other")
    assert purged.changes == {"installed": {"ensue-other": {"old": "2-r0", "new": ""}}, "removed": {}}


def test_all_packages_are_brought_up_to_date(here: MinionConnection) -> None:
    """`uptodate` names what is old in a plan, and installs what is new."""
    ctx = context(here, grains=ALPINE)
    state("pkg.installed", ctx, "ensue-tiny", version="1.0-r0")
    # What was asked for by version is held to it.
    assert execute("pkg.list_upgrades", ctx) in ({}, {"ensue-tiny": "1.10-r0"})
    state("pkg.removed", ctx, "ensue-tiny")
    state("pkg.installed", ctx, "ensue-above")
    assert state("pkg.uptodate", ctx, "x").changes == {}


def test_packages_out_of_files(here: MinionConnection, tmp_path: Path) -> None:
    """A file of a package is installed once, and what it depends on with it."""
    ctx = context(here, grains=ALPINE)
    path = tmp_path / "repository/x86_64/ensue-above-1_rc1-r0.apk"
    ctx.sources = {"salt://a.apk": path.read_bytes()}
    sources = [{"ensue-above": "salt://a.apk"}]
    done = state("pkg.installed", ctx, "x", sources=sources, skip_verify=True)
    assert done.result, done.comment
    assert (done.result, done.changes) == (True, {
        "ensue-above": {"old": "", "new": "1_rc1-r0"}, "ensue-tiny": {"old": "", "new": "1.10-r0"},
    })  # fmt: skip
    assert state("pkg.installed", ctx, "x", sources=sources).changes == {}


def test_a_package_that_nobody_has_is_said(here: MinionConnection) -> None:
    """The state fails with what apk says, and nothing is changed."""
    failed = state("pkg.installed", context(here, grains=ALPINE), "ensue-none")
    assert (failed.result, failed.changes) == (False, {})
    assert "ensue-none" in failed.comment
