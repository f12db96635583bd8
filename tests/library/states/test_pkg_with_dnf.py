"""State module `pkg` with a real dnf: tiny packages from a repository in a folder, in a root of their own."""

from __future__ import annotations

import shutil
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, needs_root, state

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    pytest.mark.long,
    pytest.mark.skipif(
        not all(map(shutil.which, ("dnf", "rpm", "rpmbuild", "createrepo_c"))),
        reason="needs dnf: apt-get install dnf rpm createrepo-c",
    ),
]


GROUPS = """\
<comps>
  <group>
    <id>tiny</id><name>Tiny things</name><description>Nothing</description>
    <uservisible>true</uservisible>
    <packagelist>
      <packagereq type="mandatory">ensue-tiny</packagereq>
      <packagereq type="default">ensue-above</packagereq>
      <packagereq type="optional">ensue-old</packagereq>
    </packagelist>
  </group>
  <environment>
    <id>tiny-environment</id><name>Tiny environment</name><description>Nothing</description>
    <grouplist><groupid>tiny</groupid></grouplist>
  </environment>
</comps>
"""
ADVISORY = """\
<updates>
  <update type="security" status="final" from="a@b" version="1">
    <id>ENSUE-1</id><title>Fixes nothing</title><issued date="2026-01-01 00:00:00"/>
    <severity>Important</severity>
    <pkglist><collection short="tiny"><name>tiny</name>
      <package name="ensue-tiny" version="1.10" release="1" epoch="0" arch="noarch">
        <filename>ensue-tiny-1.10-1.noarch.rpm</filename>
      </package>
    </collection></pkglist>
  </update>
</updates>
"""


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
    (work / "comps.xml").write_text(GROUPS)
    (work / "updateinfo.xml").write_text(ADVISORY)
    rpms = work / "rpms"
    for command in (
        ["createrepo_c", "--quiet", "-g", str(work / "comps.xml"), str(rpms)],
        ["modifyrepo_c", "--mdtype=updateinfo", str(work / "updateinfo.xml"), str(rpms / "repodata")],
    ):
        subprocess.run(command, check=True, capture_output=True)
    return rpms


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


def test_a_group(here: MinionConnection) -> None:
    """The mandatory and the default packages of a group are installed, optional ones on request."""
    ctx, plan = context(here, grains=REDHAT), context(here, grains=REDHAT, test=True)
    planned = state("pkg.group_installed", plan, "Tiny things")
    assert (planned.result, planned.comment) == (None, "Group 'Tiny things' will be installed")
    assert [*planned.changes] == ["ensue-tiny", "ensue-above"]
    refused = state("pkg.group_installed", ctx, "Tiny things", skip=["ensue-tiny"])
    assert refused.comment == "The following mandatory packages cannot be skipped: ensue-tiny"
    done = state("pkg.group_installed", ctx, "tiny", skip=["ensue-above"])
    assert (done.result, done.changes) == (True, {"ensue-tiny": {"old": "", "new": "1.10-1"}})
    assert done.comment == "Group 'tiny' was installed"
    again = state("pkg.group_installed", ctx, "tiny", skip=["ensue-above"])
    assert (again.changes, again.comment) == ({}, "Group 'tiny' is already installed")
    planned = state("pkg.group_installed", plan, "tiny")
    assert planned.comment == "Group 'tiny' is partially installed and will be updated"
    more = state("pkg.group_installed", ctx, "tiny-environment", include=["ensue-old"])
    assert [*more.changes] == ["ensue-above", "ensue-old"]
    for test in (plan, ctx):
        again = state("pkg.group_installed", test, "tiny-environment", include=["ensue-old"])
        assert (again.result, again.changes) == (True, {})
    nowhere = state("pkg.group_installed", ctx, "nowhere")
    assert (nowhere.result, "Group 'nowhere' not found" in nowhere.comment) == (False, True)


def test_an_advisory(here: MinionConnection) -> None:
    """An advisory updates the packages that it is about; one that is not known is a failure."""
    ctx, plan = context(here, grains=REDHAT), context(here, grains=REDHAT, test=True)
    state("pkg.installed", ctx, "ensue-tiny", version="1.0-1")
    planned = state("pkg.patch_installed", plan, "ENSUE-1")
    assert (planned.result, planned.changes) == (None, {})
    assert planned.comment == "The following advisory patches would be installed: ENSUE-1"
    done = state("pkg.patch_installed", ctx, "ENSUE-1")
    assert (done.result, done.changes) == (True, {"ensue-tiny": {"old": "1.0-1", "new": "1.10-1"}})
    for test in (plan, ctx):
        again = state("pkg.patch_installed", test, "ENSUE-1")
        assert (again.result, again.changes, again.comment) == (
            True, {}, "Advisory patch ENSUE-1 is already installed",
        )  # fmt: skip
    several = state("pkg.patch_installed", ctx, "x", advisory_ids=["ENSUE-1"])
    assert several.comment == "All specified advisory patches are already installed"
    unknown = state("pkg.patch_installed", ctx, "ENSUE-2")
    assert (unknown.result, 'Advisory id "ENSUE-2" not found' in unknown.comment) == (False, True)


@pytest.fixture
def served(repository: Path, here: MinionConnection, tmp_path: Path) -> Iterator[MinionConnection]:
    """The same, with the repository on a server and dnf's own cache: dnf copies nothing from a folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(repository))
    cache = Path("/var/cache/dnf/ensue-tests")
    program = tmp_path / "bin/dnf"
    program.write_text(program.read_text().replace(f"cachedir={tmp_path}/cache", f"cachedir={cache}"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        (tmp_path / "repos/tiny.repo").write_text(f"[tiny]\nname=tiny\nbaseurl={url}\ngpgcheck=0\n")
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield here
        server.shutdown()
        thread.join()
    shutil.rmtree(cache, ignore_errors=True)


def test_packages_are_downloaded(served: MinionConnection) -> None:
    """A package and what it needs is in the cache afterwards, and not installed."""
    planned, done, again = (
        state("pkg.downloaded", context(served, grains=REDHAT, test=test), "ensue-above")
        for test in (True, False, False)
    )
    assert (again.result, again.changes) == (True, {}), again.comment
    assert (planned.result, planned.comment) == (
        None, "The following packages would be downloaded: ensue-above",
    )  # fmt: skip
    assert done.changes == {
        "ensue-above": {"old": "", "new": "1~rc1-1"}, "ensue-tiny": {"old": "", "new": "1.10-1"},
    }  # fmt: skip
    assert done.comment == "Packages downloaded: ensue-above"
    ctx = context(served, grains=REDHAT)
    assert execute("pkg.list_pkgs", ctx) == {}
    state("pkg.installed", ctx, "ensue-old", version="9.0-1")
    installed = state("pkg.downloaded", ctx, "ensue-old", version="9.0-1")
    assert (installed.result, installed.changes) == (True, {"ensue-old": {"old": "", "new": "9.0-1"}})
    nowhere = state("pkg.downloaded", ctx, "ensue-nowhere")
    assert (nowhere.result, nowhere.changes) == (False, {})


def test_an_advisory_is_downloaded(served: MinionConnection) -> None:
    """`patch_downloaded` fetches what the advisory has, and leaves the installed version."""
    ctx = context(served, grains=REDHAT)
    state("pkg.installed", ctx, "ensue-tiny", version="1.0-1")
    done = state("pkg.patch_downloaded", ctx, "ENSUE-1")
    assert (done.result, done.changes) == (True, {"ensue-tiny": {"old": "", "new": "1.10-1"}})
    again = state("pkg.patch_downloaded", ctx, "ENSUE-1")
    assert (again.result, again.changes) == (True, {})
    assert again.comment == "Advisory patch is not needed or related packages are already downloaded"
    assert execute("pkg.list_pkgs", ctx) == {"ensue-tiny": "1.0-1"}
