"""State module `pkg` with dnf and apk, which are imitated: what is run, and how its output is read."""

from __future__ import annotations

from tests.library.states.system_states import context, execute, state

from ensue.core.contracts.connection import Command, Completed
from ensue.testing.connection import FakeConnection

REDHAT = {"os_family": "RedHat"}
ALPINE = {"os_family": "Alpine"}


class Installed:
    """A fake target whose listing grows once something was installed and shrinks once it was removed."""

    def __init__(self, listing: str, line: str) -> None:
        self.listing = {False: listing.encode(), True: (listing + line).encode()}
        self.there = False

    def shown(self, _: Command) -> Completed:
        return Completed(returncode=0, stdout=self.listing[self.there], stderr=b"")

    def come(self, _: Command) -> Completed:
        self.there = True
        return Completed(returncode=0, stdout=b"", stderr=b"")

    def go(self, _: Command) -> Completed:
        self.there = False
        return Completed(returncode=0, stdout=b"", stderr=b"")


def ran(fake: FakeConnection, word: str) -> list[str]:
    return [" ".join(command.argv or ()) for command in fake.commands if word in (command.argv or ())]


def test_dnf() -> None:
    """Versions are read with their epoch, a requested one is installed by name, and a removal is noticed."""
    fake, packages = FakeConnection(), Installed("bash\t0:5.2-1\n", "vim\t2:9.0-3\n")
    fake.on_run("rpm -qa*", packages.shown)
    fake.on_run("dnf * install *", packages.come)
    fake.on_run("dnf * remove *", packages.go)
    fake.on_run("dnf * repoquery *", stdout=b"vim\t2:8.2-1\nvim\t2:9.0-3\n\n")
    fake.on_run("rpm --eval*", stdout=b"1\n")
    fake.on_run("rpm --eval *table.sort*", stdout=b"1 0 \n")
    done = state("pkg.installed", context(fake, grains=REDHAT), "vim", version=">=2:9.0", fromrepo="app")
    assert (done.result, done.changes) == (True, {"vim": {"old": "", "new": "2:9.0-3"}})
    assert ran(fake, "install") == ["dnf -y -q --disablerepo=* --enablerepo=app install vim-2:9.0-3"]
    gone = state("pkg.purged", context(fake, grains=REDHAT), "vim")
    assert gone.changes == {"installed": {"vim": {"old": "2:9.0-3", "new": ""}}, "removed": {}}


def test_a_package_that_awaits_triggers_is_installed() -> None:
    """Another apt may be at work: what waits for triggers, or whose triggers wait, is there."""
    fake = FakeConnection()
    shown = "amd64\n" + "".join(
        f"{status}\t{name}\t{architecture}\t1-1\n"
        for status, name, architecture in (
            ("ii ", "a", "amd64"), ("iW ", "b", "all"), ("it ", "c", "amd64"), ("hi ", "d", "i386"),
            ("rc ", "e", "amd64"), ("iU ", "f", "amd64"), ("iHR", "g", "amd64"), ("un ", "h", "amd64"),
        )
    )  # fmt: skip
    fake.on_run("sh -c *", stdout=shown.encode())
    ctx = context(fake, grains={"os_family": "Debian", "os": "Debian"})
    assert execute("pkg.list_pkgs", ctx) == {"a": "1-1", "b": "1-1", "c": "1-1", "d:i386": "1-1"}
    assert execute("pkg.list_pkgs", ctx, removed=True) == {"e": "1-1"}


def test_apk() -> None:
    """Names and versions are distinguished, and so are offers of repositories and installed packages."""
    fake, packages = FakeConnection(), Installed("py3-yaml-6.0-r1\n", "nginx-mod-x-1.24.0-r7\n")
    fake.on_run("apk info -v", packages.shown)
    fake.on_run("apk add *", packages.come)
    fake.on_run("apk del *", packages.go)
    policy = b"nginx-mod-x policy:\n  1.22.0-r1:\n    http://a/main\n  1.24.0-r7:\n    http://a/main\n"
    fake.on_run("apk policy *", stdout=policy + b"  0.1-r0:\n    lib/apk/db/installed\n")
    fake.on_run("apk version -t 1.22.0-r1 1.24.0-r7", stdout=b"<\n")
    fake.on_run("apk update")
    ctx = context(fake, grains=ALPINE)
    assert execute("pkg.list_pkgs", ctx) == {"py3-yaml": "6.0-r1"}
    planned = state("pkg.installed", context(fake, grains=ALPINE, test=True), "nginx-mod-x")
    assert planned.changes == {"nginx-mod-x": {"old": "", "new": "1.24.0-r7"}}
    assert ran(fake, "add") == ran(fake, "update") == []
    done = state("pkg.latest", ctx, "nginx-mod-x")
    assert done.changes == {"nginx-mod-x": {"old": "", "new": "1.24.0-r7"}}
    assert ran(fake, "update") == ["apk update"]
    gone = state("pkg.removed", ctx, "nginx-mod-x")
    assert (gone.result, gone.changes) == (True, {"nginx-mod-x": {"old": "1.24.0-r7", "new": ""}})


def test_a_file_of_a_package_at_the_top_of_the_roots() -> None:
    """It goes to the target under its own name, without what follows a question mark."""
    fake, packages = FakeConnection(files={"/tmp/x/there": b""}), Installed("", "a-1.0-r0\n")
    fake.on_run("apk info -v", packages.shown)
    fake.on_run("apk info -e *", returncode=1)
    fake.on_run("mktemp -d", stdout=b"/tmp/x\n")
    fake.on_run("apk add /tmp/x/a.apk", packages.come)
    ctx = context(fake, grains=ALPINE)
    ctx.sources = {"salt://a.apk?saltenv=dev": b"package"}
    done = state("pkg.installed", ctx, "x", sources=[{"a": "salt://a.apk?saltenv=dev"}])
    assert done.result, done.comment
    assert done.changes == {"a": {"old": "", "new": "1.0-r0"}}


def test_what_cannot_be_is_said() -> None:
    """A target without a package manager, arguments that exclude each other, a list that is none."""
    fake = FakeConnection()
    fake.on_run("sh -c *", returncode=1)
    failed = state("pkg.installed", context(fake, grains={"os_family": "Plan9"}), "vim")
    assert (failed.result, "ensue supports apt-get, dnf, apk" in failed.comment) == (False, True)
    silent = state("pkg.installed", context(FakeConnection(can_run=False)), "vim")
    assert (silent.result, silent.comment) == (False, "pkg.list_pkgs is not available for fake")
    for arguments in (
        {"sources": [{"a": "salt://a.deb"}], "pkgs": ["a"]},
        {"pkgs": "vim"},
        {"pkgs": ["-y"]},
    ):
        fake = FakeConnection()
        fake.on_run("sh -c *", stdout=b"amd64\n")
        fake.on_run("apt-*")
        assert state("pkg.installed", context(fake), "x", **arguments).result is False
        assert ran(fake, "install") == []
    fake.on_run("sh -c *", stdout=b"amd64\nii \tvim\tamd64\t2:9\n")
    warned = state("pkg.installed", context(fake), "vim", normalise=True)
    assert warned.warnings == ("pkg.installed: `normalise` has no effect (there is no such argument)",)


def test_a_watched_change_calls_the_function_again() -> None:
    """`watch` is for `installed`, `latest`, `removed` and `purged`; other functions fail, as in Salt."""
    fake, packages = FakeConnection(), Installed("bash\t0:5.2-1\n", "vim\t2:9.0-3\n")
    fake.on_run("rpm -qa*", packages.shown)
    fake.on_run("dnf * install *", packages.come)
    fake.on_run("dnf * repoquery *", stdout=b"vim\t2:8.2-1\n")
    done = state("pkg.mod_watch", context(fake, grains=REDHAT), "vim", sfun="installed")
    assert (done.result, [*done.changes]) == (True, ["vim"])
    refused = state("pkg.mod_watch", context(fake, grains=REDHAT), "vim", sfun="uptodate")
    assert (refused.result, refused.comment) == (
        False, "pkg.uptodate does not work with the watch requisite",
    )  # fmt: skip
