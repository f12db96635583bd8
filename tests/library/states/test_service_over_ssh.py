"""State module `service` over a real SSH connection, with a real script of `/etc/init.d` and `update-rc.d`.

Every session of the server has folders of the test's own in the places where the scripts and their links
are, so that nothing of this machine is started, stopped or enabled. It has no `systemctl`, unless the test
gives it one.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import context, needs_root
from tests.support.sshd import Sshd, running_sshd

from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.errors import EnsueError
from ensue.core.masking import Masker
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.library.states import service
from ensue.reach.resources import ssh_host

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.context import StateContext

LINKS = [f"rc{level}.d" for level in "0123456S"]
OWN = ["init.d", *LINKS]
SCRIPT = """\
#!/bin/sh
### BEGIN INIT INFO
# Provides: web
# Required-Start:
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
### END INIT INFO
here={here}
echo "$1" >> "$here/calls"
case "$1" in
    start) test ! -e "$here/broken" || {{ echo 'no port is free' >&2; exit 1; }}; touch "$here/runs" ;;
    stop) rm -f "$here/runs" ;;
    restart) touch "$here/runs" ;;
    reload) test -e "$here/runs" ;;
    status) test -e "$here/runs" || exit 3 ;;
esac
"""
SESSION = """\
#!/bin/sh
exec unshare --mount sh -c '
    for each in {own}; do mount --bind {here}/etc/$each /etc/$each || exit 255; done
    found=$(command -v systemctl)
    test -e {here}/offline || test -z "$found" || mount --bind /dev/null "$found" || exit 255
    exec sh -c "$SSH_ORIGINAL_COMMAND"'
"""


def why_not() -> str:
    if not all(map(shutil.which, ("unshare", "update-rc.d", "service"))):
        return "needs unshare, update-rc.d and service: apt-get install util-linux init-system-helpers"
    return (
        ""
        if all(Path("/etc", each).is_dir() for each in OWN)
        else "needs /etc/init.d and /etc/rc?.d: apt-get install sysvinit-utils init-system-helpers"
    )


pytestmark = [
    pytest.mark.openssh,
    needs_root,
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "-"),
]


class Host:
    """An SSH host with one service, `web`.

    Args:
        server: where to log in.
        folder: what the host's service keeps.
    """

    def __init__(self, server: Sshd, folder: Path) -> None:
        self._server = server
        self.folder = folder

    def does(self, work: Callable[[Connection], Awaitable[None]]) -> None:
        """Do something with one connection to the host."""

        def unknown(srn: Srn) -> Connection:
            raise AssertionError(srn)

        resource = ResourceContext(
            srn=Srn("ssh_host", "far"), config=self._server.config(), opts={},
            cache_dir=Path("/nonexistent"), masker=Masker(), connect_to=unknown,
        )  # fmt: skip

        async def run() -> None:
            connection = ssh_host.connect(resource)
            try:
                await work(connection)
            finally:
                await connection.close()

        asyncio.run(run())

    @property
    def is_running(self) -> bool:
        return (self.folder / "runs").exists()

    @property
    def is_enabled(self) -> bool:
        return any(link.name.startswith("S") for link in (self.folder / "etc/rc2.d").iterdir())

    def calls(self) -> list[str]:
        """Return what the script was called with since the last question, except for `status`."""
        path = self.folder / "calls"
        words = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return [word for word in words if word != "status"]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    folder = tmp_path / "host"
    for each in OWN:
        (folder / "etc" / each).mkdir(parents=True)
    script = folder / "etc/init.d/web"
    script.write_text(SCRIPT.format(here=folder))
    script.chmod(0o755)
    session = folder / "session"
    session.write_text(SESSION.format(here=folder, own=" ".join(OWN)))
    session.chmod(0o755)
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path / "sshd", user=user, options={"ForceCommand": str(session)}) as server:
        yield Host(server, folder)


async def applied(
    function: Callable[..., Awaitable[StateReturn]], ctx: StateContext, **given: Any
) -> StateReturn:
    """Apply a state to `web`; what it raises is a result False, as in a run."""
    try:
        return await function(ctx, "web", **given)
    except EnsueError as error:
        return StateReturn(name="web", result=False, comment=str(error))


async def thrice(connection: Connection, word: str, **given: Any) -> AsyncIterator[StateReturn]:
    """Plan, apply and apply again; yield each, the last one when it is seen to change nothing."""
    function = service.FUNCTIONS[word]
    yield await applied(function, context(connection, test=True), **given)
    yield await applied(function, context(connection), **given)
    again = await applied(function, context(connection), **given)
    assert (again.result, again.changes) == (True, {}), again.comment


def test_a_service_is_started_and_stopped_over_ssh(host: Host) -> None:
    """The host's script is called, its links are made and removed; a plan and a second run do neither."""

    async def work(connection: Connection) -> None:
        seen = [
            (each.result, host.is_running, host.is_enabled)
            async for each in thrice(connection, "running", enable=True)
        ]
        assert seen == [(None, False, False), (True, True, True)]
        assert host.calls() == ["start"]
        seen = [
            (each.result, host.is_running, host.is_enabled)
            async for each in thrice(connection, "dead", enable=False)
        ]
        assert seen == [(None, True, True), (True, False, False)]
        assert host.calls() == ["stop"]

    host.does(work)


def test_a_service_is_enabled_and_disabled_over_ssh(host: Host) -> None:
    """Its links alone change: nothing is started."""

    async def work(connection: Connection) -> None:
        assert [host.is_enabled async for _ in thrice(connection, "enabled")] == [False, True]
        assert [host.is_enabled async for _ in thrice(connection, "disabled")] == [True, False]
        assert (host.calls(), host.is_running) == ([], False)

    host.does(work)


def test_a_watching_service_is_restarted_over_ssh(host: Host) -> None:
    """It is restarted, or reloaded where that is asked for, and a plan does neither."""

    async def work(connection: Connection) -> None:
        await applied(service.running, context(connection))
        host.calls()
        planned = await applied(service.MOD_WATCH, context(connection, test=True))
        assert (planned.result, host.calls()) == (None, [])
        done = await applied(service.MOD_WATCH, context(connection))
        assert (done.changes, host.calls()) == ({"web": True}, ["restart"])
        done = await applied(service.MOD_WATCH, context(connection), reload=True)
        assert (done.changes, host.calls()) == ({"web": True}, ["reload"])

    host.does(work)


def test_a_service_that_does_not_start_over_ssh(host: Host) -> None:
    """The state fails with what the script said."""
    (host.folder / "broken").touch()

    async def work(connection: Connection) -> None:
        failed = await applied(service.running, context(connection))
        assert (failed.result, failed.changes) == (False, {})
        assert "no port is free" in failed.comment

    host.does(work)


@pytest.mark.skipif(not shutil.which("systemctl"), reason="needs systemctl: apt-get install systemd")
def test_nothing_is_started_where_systemd_will_run_some_day_over_ssh(host: Host) -> None:
    """A host with `systemctl` and no systemd is an image: nothing is started, services can be enabled."""
    (host.folder / "offline").touch()

    async def work(connection: Connection) -> None:
        done = await applied(service.running, context(connection), enable=True)
        assert (done.result, done.changes, host.calls(), host.is_running) == (True, {}, [], False)
        assert [host.is_enabled async for _ in thrice(connection, "enabled")] == [False, True]

    host.does(work)
