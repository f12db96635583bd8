"""State module `sysrc`: a program of that name in memory, which answers as FreeBSD's does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.library.states.system_states import context, execute, state, thrice

from ensue.core.contracts.connection import Completed
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Command


class Rc:
    """The variables of /etc/rc.conf, and sysrc -v."""

    def __init__(self, **variables: str) -> None:
        self.variables = variables
        self.asked: list[list[str]] = []

    def __call__(self, command: Command) -> Completed:
        words = [*map(str, command.argv or ())]
        self.asked.append(words)
        name, _, value = words[-1].partition("=")
        old = self.variables.get(name)
        if "-x" in words:
            del self.variables[name]
            return _completed("")
        if "=" in words[-1]:
            self.variables[name] = value
            return _completed(f"/etc/rc.conf: {name}: {old or ''} -> {value}\n")
        if words[-1] == "-a":
            return _completed("".join(f"/etc/rc.conf: {key}: {now}\n" for key, now in self.variables.items()))
        return _completed(f"/etc/rc.conf: {name}: {old}\n") if old is not None else _completed("", 1)


def _completed(text: str, returncode: int = 0) -> Completed:
    return Completed(returncode=returncode, stdout=text.encode(), stderr=b"", pid=1)


def _target(rc: Rc) -> FakeConnection:
    fake = FakeConnection()
    fake.on_run("sysrc *", rc)
    return fake


def test_a_variable_is_set_and_removed() -> None:
    """It comes, changes and goes, a plan does none of it, and a second run changes nothing."""
    rc = Rc(hostname="a.b: c")
    target = _target(rc)
    planned, done = thrice("sysrc.managed", target, "sshd_enable", value=True)
    assert (planned.result, planned.changes) == (
        None, {"old": None, "new": "sshd_enable = YES will be set."},
    )  # fmt: skip
    assert done.changes == {"old": None, "new": {"/etc/rc.conf": {"sshd_enable": "YES"}}}
    assert done.comment == 'The value of "sshd_enable" was changed!'
    _, done = thrice("sysrc.managed", target, "sshd_enable", value="NO")
    assert done.changes == {
        "old": {"/etc/rc.conf": {"sshd_enable": "YES"}}, "new": {"/etc/rc.conf": {"sshd_enable": "NO"}},
    }  # fmt: skip
    assert state("sysrc.managed", context(target), "hostname", value="a.b: c").changes == {}
    _, done = thrice("sysrc.absent", target, "sshd_enable")
    assert (done.comment, rc.variables) == ('"sshd_enable" was removed!', {"hostname": "a.b: c"})
    assert execute("sysrc.get", context(target)) == {"/etc/rc.conf": {"hostname": "a.b: c"}}


def test_another_file_and_a_jail() -> None:
    """`file` and `jail` reach the program, and what is no name of a variable does not."""
    rc = Rc()
    state("sysrc.managed", context(_target(rc)), "a_flags", value="-x", file="/etc/rc.conf.local", jail="web")
    assert rc.asked[-1] == ["sysrc", "-v", "-f", "/etc/rc.conf.local", "-j", "web", "a_flags=-x"]
    refused = state("sysrc.managed", context(_target(rc)), "-x a", value=1)
    assert (refused.result, "is not the name of an rc.conf variable" in refused.comment) == (False, True)


def test_a_target_without_the_program() -> None:
    """A target that is not FreeBSD says so."""
    fake = FakeConnection()
    fake.on_run("sysrc *", returncode=127)
    assert "has no program `sysrc`" in state("sysrc.managed", context(fake), "a", value=1).comment
