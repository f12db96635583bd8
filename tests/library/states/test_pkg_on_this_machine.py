"""State module `pkg` with apt: tiny packages are really installed and removed; all is restored."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.core.errors import StateFailedError
from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

TINY = ("hello", "pwgen")


def why_not() -> str:
    if shutil.which("apt-get") is None:
        return "this machine has no apt-get"
    if os.geteuid() != 0:
        return "only root may install packages; run the tests as root"
    return ""


pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "-"),
    pytest.mark.long,
]


@pytest.fixture
def _apt_keeps_its_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let apt read its lists once: images of containers tell it to read them at each of a hundred calls."""
    parts = shutil.copytree("/etc/apt/apt.conf.d", tmp_path / "parts")
    caches = [f'Dir::Cache::{name} "{tmp_path}/{name}.bin";\n' for name in ("pkgcache", "srcpkgcache")]
    (parts / "zz-cache").write_text("".join(caches))
    (tmp_path / "apt.conf").write_text(f'Dir::Etc::Parts "{parts}";\n')
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))


@pytest.fixture
def here(_apt_keeps_its_cache: None) -> Iterator[MinionConnection]:
    """This machine, with those of the tiny packages that it had before."""
    connection = MinionConnection(HERE)
    ctx = context(connection)
    before = execute("pkg.list_pkgs", ctx)
    offered = execute("pkg.list_repo_pkgs", ctx, *TINY)
    if set(offered) != set(TINY):
        try:
            execute("pkg.refresh_db", ctx)
        except StateFailedError as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(f"apt cannot fetch its lists here: {error}")
    execute("pkg.purge", ctx, pkgs=list(TINY))
    yield connection
    execute("pkg.purge", ctx, pkgs=[name for name in TINY if name not in before])
    lacking = [name for name in TINY if name in before]
    if lacking:
        execute("pkg.install", ctx, pkgs=lacking)


def test_packages(here: MinionConnection) -> None:
    """One test, since dpkg lets one process in at a time: they come and go, in versions, or are nowhere."""
    check_a_package_that_is_nowhere(here)
    check_downloads(here)
    check_packages_come_and_go(here)


def check_downloads(here: MinionConnection) -> None:
    """`downloaded` fetches a package into apt's cache, installed or not, and installs nothing."""
    for name in ("hello", "bash"):
        forget(name)
        version = execute("pkg.list_repo_pkgs", context(here), name)[name][0]
        installed = execute("pkg.version", context(here), name)
        planned, done = thrice("pkg.downloaded", here, name)
        assert (planned.result, planned.changes) == (None, {name: {"old": "", "new": "downloaded"}})
        assert done.changes == {name: {"old": "", "new": version}}
        assert done.new_state == {name: version}
        exactly = state("pkg.downloaded", context(here), name, version=version)
        assert exactly.comment == (
            "All specified packages (matching specified versions) are already downloaded"
        )
        assert execute("pkg.version", context(here), name) == installed
        forget(name)
    failed = state("pkg.downloaded", context(here), "nosuchpkg-zz")
    assert (failed.result, failed.changes) == (False, {})
    assert "E: Unable to locate package nosuchpkg-zz" in failed.comment


def forget(name: str) -> None:
    """Remove a package from apt's cache."""
    for package in Path("/var/cache/apt/archives").glob(f"{name}_*.deb"):
        package.unlink()


def check_packages_come_and_go(here: MinionConnection) -> None:
    """`installed`, `latest`, `removed` and `purged` change what they say, and nothing the second time."""
    versions = {
        name: available[0] for name, available in execute("pkg.list_repo_pkgs", context(here), *TINY).items()
    }
    hello, pwgen = ({"old": "", "new": versions[name]} for name in TINY)
    assert execute("pkg.latest_version", context(here), "hello") == versions["hello"]

    planned, done = thrice("pkg.installed", here, "hello")
    assert (planned.result, planned.changes) == (None, {"hello": hello})
    assert planned.comment == "The following packages would be installed/updated: hello"
    assert done.changes == {"hello": hello}
    assert done.comment == "The following packages were installed/updated: hello"
    assert done.new_state == {"hello": versions["hello"]}
    assert execute("pkg.version", context(here), "hello") == versions["hello"]
    assert execute("pkg.version", context(here), "hello", "nosuch") == {
        "hello": versions["hello"], "nosuch": "",
    }  # fmt: skip
    assert execute("pkg.latest_version", context(here), "hello") == ""

    check_versions(here)

    planned, done = thrice("pkg.latest", here, "both", pkgs=list(TINY), refresh=False)
    assert (planned.changes, done.changes) == ({"pwgen": pwgen}, {"pwgen": pwgen})
    assert "The following packages were already up-to-date: hello" in done.comment

    planned, done = thrice("pkg.removed", here, "hello")
    assert (planned.result, planned.changes) == (None, {"hello": {"new": "removed", "old": ""}})
    assert done.changes == {"hello": {"old": versions["hello"], "new": ""}}
    _, done = thrice("pkg.purged", here, "both", pkgs=list(TINY))
    assert done.changes == {"removed": {}, "installed": {"pwgen": {"old": versions["pwgen"], "new": ""}}}
    assert done.comment == (
        "The following packages were not installed: hello The following packages were purged: pwgen."
    )


def check_versions(here: MinionConnection) -> None:
    """Exact versions, globs and conditions are met by what is there."""
    _, done = thrice("pkg.installed", here, "both", pkgs=[{"hello": "2.*"}, {"bash": ">=3,<99"}])
    assert done.changes == {}
    version = execute("pkg.version", context(here), "hello")
    kept = state("pkg.installed", context(here), "hello", version=version)
    assert kept.comment == "All specified packages are already installed and are at the desired version"
    assert state("pkg.installed", context(here), "hello", version="latest").changes == {}
    failed = state("pkg.installed", context(here), "hello", version="9.9", refresh=False)
    assert (failed.result, failed.changes) == (False, {})
    assert "Version '9.9' for 'hello' was not found" in failed.comment
    assert execute("pkg.version_cmp", context(here), "1.0~rc1", "1.0") == -1
    assert execute("pkg.version_cmp", context(here), "1:1", "2") == 1
    assert execute("pkg.version_cmp", context(here), "2", "2") == 0


def check_a_package_that_is_nowhere(here: MinionConnection) -> None:
    """Nothing of the list is installed when one is nowhere, and apt's complaint is the comment."""
    failed = state("pkg.installed", context(here), "x", pkgs=["nosuchpkg-zz", "pwgen"], refresh=False)
    assert (failed.result, failed.changes) == (False, {})
    assert "E: Unable to locate package nosuchpkg-zz" in failed.comment
    failed = state("pkg.latest", context(here), "nosuchpkg-zz", refresh=False)
    assert (failed.result, failed.comment) == (False, "No information found for 'nosuchpkg-zz'.")
