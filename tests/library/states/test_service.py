"""State module `service` with an imitated systemd; this machine itself may have none."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from tests.library.states.system_states import context, execute, state, thrice

from ensue.core.contracts.connection import Command, Completed
from ensue.library.states.service import MOD_WATCH
from ensue.testing.connection import FakeConnection
from ensue.testing.memory_tree import MemoryNode


class Systemd:
    """A service manager with one service, `web`."""

    def __init__(
        self, *, is_active: bool = False, is_enabled: bool = False, fails: bool = False, is_idle: bool = False
    ) -> None:
        self.is_active = is_active
        self.is_enabled = is_enabled
        self.fails = fails
        self.is_idle = is_idle
        self.verbs: list[str] = []
        self.target = FakeConnection(files={"/run/systemd/system/x": b""})
        self.target.on_run("systemctl *", self.answer)

    def answer(self, command: Command) -> Completed:
        verb = next(part for part in list(command.argv or ())[1:] if not part.startswith("-"))
        if verb == "show":
            return self.completed(0, "loaded" if "web.service" in (command.argv or ()) else "not-found")
        if verb == "list-unit-files":
            return self.completed(
                0, "web.service disabled enabled" if "web.service" in (command.argv or ()) else ""
            )
        if verb == "is-active":
            return self.completed(0 if self.is_active else 3, "active" if self.is_active else "inactive")
        if verb == "is-enabled":
            return self.completed(0 if self.is_enabled else 1, "enabled" if self.is_enabled else "disabled")
        self.verbs.append(verb)
        if self.fails:
            return Completed(returncode=1, stdout=b"", stderr=b"Job for web.service failed\n")
        if not self.is_idle:
            self.is_active = {"start": True, "stop": False}.get(verb, self.is_active)
            self.is_enabled = {"enable": True, "disable": False}.get(verb, self.is_enabled)
        return self.completed(0, "")

    def completed(self, returncode: int, text: str) -> Completed:
        return Completed(returncode=returncode, stdout=f"{text}\n".encode(), stderr=b"")


def test_a_service_starts_and_stops() -> None:
    """`running` and `dead` start and stop, and enable or disable where that is asked for."""
    systemd = Systemd()
    planned, done = thrice("service.running", systemd.target, "web")
    assert (planned.result, planned.comment) == (None, "Service web is set to start")
    assert (done.changes, done.comment) == ({"web": True}, "Started service web")
    planned, done = thrice("service.running", systemd.target, "web", enable=True)
    assert (planned.result, planned.comment) == (None, "Service web set to be enabled")
    assert done.comment == "Service web has been enabled, and is running"
    assert done.new_state == {"name": "web", "running": True, "enabled": True}
    planned, done = thrice("service.dead", systemd.target, "web", enable=False)
    assert planned.comment == "Service web is set to be killed"
    assert done.changes == {"web": True}
    assert systemd.verbs == ["start", "enable", "stop", "disable"]


def test_a_service_is_enabled_and_disabled() -> None:
    """`enabled` and `disabled` leave a running service alone."""
    systemd = Systemd(is_active=True)
    _, done = thrice("service.enabled", systemd.target, "web")
    assert done.comment == "Service web has been enabled, and is in the desired state"
    _, done = thrice("service.disabled", systemd.target, "web")
    assert done.changes == {"web": True}
    assert systemd.verbs == ["enable", "disable"]


def test_a_service_that_is_not_there() -> None:
    """It may come later in a plan; it cannot run or be enabled; not to run and to be disabled is easy."""
    target = Systemd().target
    for function, what in (("running", "started"), ("enabled", "enabled"), ("dead", "stopped")):
        planned = state(f"service.{function}", context(target, test=True), "no")
        assert planned.result is None
        assert planned.comment.endswith(f"if created in this state run, it would have been {what}")
    for function in ("running", "enabled"):
        failed = state(f"service.{function}", context(target), "no")
        assert (failed.result, failed.comment) == (False, "The named service no is not available")
    assert state("service.dead", context(target), "no").result is True
    assert state("service.disabled", context(target), "no").result is True


@pytest.mark.parametrize(
    ("is_active", "arguments", "verb", "comment"),
    [
        (True, {}, "restart", "Service restarted"),
        (True, {"reload": True}, "reload", "Service reloaded"),
        (True, {"reload": True, "force": True}, "force-reload", "Service reloaded"),
        (False, {"reload": True}, "start", "Service started"),
        (True, {"sfun": "dead"}, "stop", "Service stopped"),
    ],
)
def test_a_watch_restarts(is_active: bool, arguments: dict[str, object], verb: str, comment: str) -> None:
    """When something watched changed, the service is restarted, or what it says instead."""
    systemd = Systemd(is_active=is_active)
    planned = asyncio.run(MOD_WATCH(context(systemd.target, test=True), "web", **arguments))
    assert (planned.result, systemd.verbs) == (None, [])
    done = asyncio.run(MOD_WATCH(context(systemd.target), "web", **arguments))
    assert (done.result, done.changes, done.comment) == (True, {"web": True}, comment)
    assert systemd.verbs == [verb]


def test_a_failure_says_why() -> None:
    """What systemd complained of is part of the comment."""
    failed = state("service.running", context(Systemd(fails=True).target), "web")
    assert (failed.result, "Job for web.service failed" in failed.comment) == (False, True)
    failed = asyncio.run(MOD_WATCH(context(Systemd(fails=True, is_active=True).target), "web"))
    assert (failed.result, failed.changes) == (False, {})


def test_what_systemd_says_is_not_believed() -> None:
    """A service that does not run after a start, or still runs after a stop, is a failure of its state."""
    failed = state("service.running", context(Systemd(is_idle=True).target), "web", enable=True)
    assert (failed.result, failed.changes, failed.comment) == (False, {}, "Service web failed to start")
    failed = state("service.dead", context(Systemd(is_idle=True, is_active=True).target), "web", enable=False)
    assert (failed.result, failed.changes, failed.comment) == (False, {}, "Service web failed to die")


def test_nobody_waits_for_what_is_not_to_block() -> None:
    """With `no_block` the state succeeds before the service has changed; `new_state` says what was seen."""
    for function, is_active in (("running", False), ("dead", True)):
        systemd = Systemd(is_idle=True, is_active=is_active)
        done = state(f"service.{function}", context(systemd.target), "web", no_block=True)
        assert (done.result, done.changes) == (True, {"web": True})
        assert done.new_state == {"name": "web", "running": is_active, "enabled": False}


def test_a_target_without_a_service_manager() -> None:
    """Each function fails and says so; a real machine looks for the service where systemd runs."""
    for function in ("running", "dead", "enabled", "disabled"):
        failed = state(f"service.{function}", context(FakeConnection()), "web")
        assert (failed.result, "systemd is not there" in failed.comment) == (False, True)
    here = state("service.running", context(test=True), "no-such-service-here")
    is_offline = bool(shutil.which("systemctl")) and not Path("/run/systemd/system").exists()
    assert here.result is (True if is_offline else None)


def test_a_system_that_is_not_started() -> None:
    """With `systemctl` alone nothing can run, as in Salt; what starts with the system is set all the same."""
    systemd = Systemd()
    target = FakeConnection()
    target.on_run("/bin/sh -c *", stdout=b"/usr/bin/systemctl\n")
    target.on_run("systemctl *", systemd.answer)
    assert execute("service.offline", context(target)) is True
    for function in ("running", "dead"):
        for name in ("web", "not-there"):
            done = state(f"service.{function}", context(target), name)
            assert (done.result, done.changes) == (True, {})
            assert done.comment == "Running in OFFLINE mode. Nothing to do"
            assert bool(done.warnings) is (function == "running")
            assert all("systemd does not run here" in warning for warning in done.warnings)
    watched = asyncio.run(MOD_WATCH(context(target), "web"))
    assert (watched.result, watched.changes) == (True, {})
    _, done = thrice("service.enabled", target, "web")
    assert done.changes == {"web": True}
    assert systemd.verbs == ["enable"]
    refused = state("module.run", context(target), "service.start", m_name="web")
    assert (refused.result, "systemd does not run there" in refused.comment) == (False, True)
    assert execute("service.offline", context(Systemd().target)) is False


def test_scripts_of_a_system_that_is_not_started() -> None:
    """Beside `systemctl` scripts of /etc/init.d start nothing; what is watched restarts them, as in Salt."""
    target = FakeConnection(files={"/etc/init.d/web": b""})
    target.on_run("*", returncode=3)
    target.on_run("/bin/sh -c *", stdout=b"/usr/bin/systemctl\n")
    done = state("service.running", context(target), "web")
    assert (done.result, done.changes, done.comment) == (True, {}, "Running in OFFLINE mode. Nothing to do")
    watched = asyncio.run(MOD_WATCH(context(target), "web"))
    assert watched.result is False


class Scripts:
    """A target without systemd, with one script in /etc/init.d: `web`."""

    def __init__(self) -> None:
        self.is_active = False
        self.asked: list[str] = []
        self.target = FakeConnection(files={"/etc/init.d/web": b"#!/bin/sh\n", "/etc/init.d/README": b""})
        self.target.on_run("service web *", self.answer)
        self.target.on_run("update-rc.d web *", self.start_with_system)

    def answer(self, command: Command) -> Completed:
        verb = list(command.argv or ())[-1]
        if verb != "status":
            self.asked.append(verb)
            self.is_active = {"start": True, "stop": False}.get(verb, self.is_active)
        return Completed(returncode=0 if self.is_active or verb != "status" else 3, stdout=b"", stderr=b"")

    def start_with_system(self, command: Command) -> Completed:
        path = "/etc/rc2.d/S01web"
        if list(command.argv or ())[-1] == "disable":
            self.target.tree.nodes.pop(path, None)
        else:
            self.target.tree.put("/etc/rc2.d", MemoryNode(kind="directory", mode=0o755))
            self.target.tree.put(path, MemoryNode(kind="file", mode=0o755))
        return Completed(returncode=0, stdout=b"", stderr=b"")


def test_scripts_of_init_d() -> None:
    """Where systemd does not run, the scripts of /etc/init.d start, stop and reload; they have no masks."""
    scripts = Scripts()
    planned, done = thrice("service.running", scripts.target, "web")
    assert (planned.result, done.changes) == (None, {"web": True})
    assert execute("service.get_all", context(scripts.target)) == ["web"]
    planned = state("service.running", context(scripts.target, test=True), "other")
    assert (planned.result, "not present" in planned.comment) == (None, True)
    watched = asyncio.run(MOD_WATCH(context(scripts.target), "web", reload=True, force=True))
    assert watched.changes == {"web": True}
    _, done = thrice("service.dead", scripts.target, "web.service")
    assert done.changes == {"web.service": True}
    assert scripts.asked == ["start", "force-reload", "stop"]
    refused = state("service.unmasked", context(scripts.target), "web")
    assert (refused.result, "masking not available" in refused.comment) == (False, True)


def test_scripts_start_with_the_system() -> None:
    """The links that update-rc.d makes and removes say which script starts with the system."""
    scripts = Scripts()
    ctx = context(scripts.target)
    _, done = thrice("service.enabled", scripts.target, "web")
    assert (done.changes, execute("service.get_enabled", ctx)) == ({"web": True}, ["web"])
    _, done = thrice("service.disabled", scripts.target, "web")
    assert (done.changes, execute("service.get_disabled", ctx)) == ({"web": True}, ["web"])


def test_what_formulas_ask() -> None:
    """`service.status`, `available` and `get_all` answer from systemd."""
    systemd = Systemd(is_active=True)
    ctx = context(systemd.target)
    assert execute("service.status", ctx, "web") is execute("service.available", ctx, "web") is True
    assert execute("service.missing", ctx, "no") is True
    systemd.target.on_run("systemctl list-unit-files *", stdout=b"web.service enabled\na@.service static\n")
    assert execute("service.get_all", ctx) == ["a@", "web"]
