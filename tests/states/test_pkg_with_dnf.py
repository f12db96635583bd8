"""State module `pkg` with a real dnf: tiny packages from a repository in a folder, in a root of their own."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.states.system_states import HERE, context, execute, needs_root, state

from ensue.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path

REDHAT = {"os_family": "RedHat"}
SPEC = """\
Name: {name}
Version: {version}
Release: {release}
{epoch}
Summary: Nothing
License: MIT
BuildArch: noarch
{more}
%description
Nothing.
%install
mkdir -p %{{buildroot}}/opt
echo {version} > %{{buildroot}}/opt/{name}
%files
/opt/{name}
"""
PACKAGES = (
    ("ensue-tiny", "1.0", "1", "", ""),
    ("ensue-tiny", "1.10", "1", "", ""),
    ("ensue-tiny", "1.9", "2", "", ""),
    ("ensue-old", "9.0", "1", "", ""),
    ("ensue-old", "2.0", "1", "Epoch: 2", ""),
    ("ensue-above", "1~rc1", "1", "", "Requires: ensue-tiny"),
)

pytestmark = [
    needs_root,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        not all(map(shutil.which, ("dnf", "rpm", "rpmbuild", "createrepo_c"))),
        reason="needs dnf: apt-get install dnf rpm createrepo-c",
    ),
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages and what dnf wants to know of them."""
    work = tmp_path_factory.mktemp("repository")
    for number, (name, version, release, epoch, more) in enumerate(PACKAGES):
        spec = work / f"{number}.spec"
        spec.write_text(SPEC.format(name=name, version=version, release=release, epoch=epoch, more=more))
        built = subprocess.run(
            ["rpmbuild", "-bb", "--quiet", f"-D_topdir {work}/top", f"-D_rpmdir {work}/rpms", str(spec)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert built.returncode == 0, built.stderr
    subprocess.run(["createrepo_c", "--quiet", str(work / "rpms")], check=True, capture_output=True)
    return work / "rpms"


@pytest.fixture
def here(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MinionConnection:
    """This machine, on which dnf and rpm keep to a root below a temporary folder."""
    root, bin_, repos = (tmp_path / name for name in ("root", "bin", "repos"))
    for folder in (root, bin_, repos):
        folder.mkdir()
    (repos / "tiny.repo").write_text(f"[tiny]\nname=tiny\nbaseurl=file://{repository}\ngpgcheck=0\n")
    options = (
        f"--installroot={root} --releasever=1 --setopt=reposdir={repos} --setopt=cachedir={tmp_path}/cache "
        f"--setopt=logdir={tmp_path} --setopt=persistdir={tmp_path}/persist --setopt=pluginpath={tmp_path}"
    )
    for name, own in (("dnf", options), ("rpm", f"--root={root}")):
        (bin_ / name).write_text(f'#!/bin/sh\nexec {shutil.which(name)} {own} "$@"\n')
        (bin_ / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_), prepend=":")
    return MinionConnection(HERE)


def test_packages_come_change_and_go(here: MinionConnection, tmp_path: Path) -> None:
    """`installed`, `latest`, `removed` and `purged` do what they say, and nothing the second time."""
    ctx = context(here, grains=REDHAT)
    assert execute("pkg.list_pkgs", ctx) == {}
    assert execute("pkg.list_repo_pkgs", ctx, "ensue-tiny") == {"ensue-tiny": ["1.10-1", "1.9-2", "1.0-1"]}
    assert execute("pkg.latest_version", ctx, "ensue-old") == "2:2.0-1"

    planned = state("pkg.installed", context(here, grains=REDHAT, test=True), "ensue-tiny", version="1.9-2")
    assert (planned.result, planned.changes) == (None, {"ensue-tiny": {"old": "", "new": "1.9-2"}})
    done = state("pkg.installed", ctx, "ensue-tiny", version="1.9-2")
    assert (done.result, done.changes) == (True, {"ensue-tiny": {"old": "", "new": "1.9-2"}})
    assert (tmp_path / "root/opt/ensue-tiny").read_text() == "1.9\n"
    assert state("pkg.installed", ctx, "ensue-tiny").changes == {}
    assert state("pkg.installed", ctx, "ensue-tiny", version=">=1.2").changes == {}
    assert execute("pkg.upgrade_available", ctx, "ensue-tiny") is True

    newer = state("pkg.latest", ctx, "ensue-tiny")
    assert (newer.result, newer.changes) == (True, {"ensue-tiny": {"old": "1.9-2", "new": "1.10-1"}})
    assert state("pkg.latest", ctx, "ensue-tiny").changes == {}
    older = state("pkg.installed", ctx, "ensue-tiny", version="1.0-1", allow_downgrade=True)
    assert (older.result, older.changes) == (True, {"ensue-tiny": {"old": "1.10-1", "new": "1.0-1"}})

    both = state("pkg.installed", ctx, "x", pkgs=["ensue-above", {"ensue-old": "9.0-1"}])
    assert (both.result, both.changes) == (True, {
        "ensue-above": {"old": "", "new": "1~rc1-1"}, "ensue-old": {"old": "", "new": "9.0-1"},
    })  # fmt: skip
    newest = state("pkg.latest", ctx, "ensue-old")
    assert newest.changes == {"ensue-old": {"old": "9.0-1", "new": "2:2.0-1"}}

    gone = state("pkg.removed", ctx, "ensue-tiny")
    assert (gone.result, gone.changes) == (True, {
        "ensue-tiny": {"old": "1.0-1", "new": ""}, "ensue-above": {"old": "1~rc1-1", "new": ""},
    })  # fmt: skip
    purged = state("pkg.purged", ctx, "ensue-old")
    assert purged.changes["installed"] == {"ensue-old": {"old": "2:2.0-1", "new": ""}}
    assert execute("pkg.list_pkgs", ctx) == {}


def test_what_is_nowhere_is_said(here: MinionConnection) -> None:
    """A name, a version and a repository that are not there are failures with dnf's own words."""
    ctx = context(here, grains=REDHAT)
    for arguments, words in (
        ({"name": "ensue-nowhere"}, "ensue-nowhere"),
        ({"name": "ensue-tiny", "version": "7.7"}, "7.7"),
        ({"name": "ensue-tiny", "fromrepo": "nowhere"}, "nowhere"),
    ):
        name = arguments.pop("name")
        failed = state("pkg.installed", ctx, name, **arguments)
        assert (failed.result, failed.changes) == (False, {}), failed.comment
        assert words in failed.comment
    assert execute("pkg.list_pkgs", ctx) == {}


def test_versions_compare_as_rpm_says(here: MinionConnection) -> None:
    """Epochs, numbers of several digits and tildes are rpm's matter."""
    ctx = context(here, grains=REDHAT)
    pairs = {
        ("1.10", "1.9"): 1,
        ("1~rc1", "1"): -1,
        ("2:1.0", "9.0"): 1,
        ("1.0-1", "1.0-2"): -1,
        ("1", "1"): 0,
    }
    for (left, right), expected in pairs.items():
        assert execute("pkg.version_cmp", ctx, left, right) == expected
