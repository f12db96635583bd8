"""A host that refused or did not answer is tried once in a run, and reported once with the reason."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

from ensue import Project
from ensue.core.contracts.reach import Reach
from ensue.core.errors import RemoteError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOT_RUN = "not run: ssh_host:far is unreachable"
NOT_ANSWERED = "not run: ssh_host:far has not answered"
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGpF0F2tPdrP5mAZZ6c0nxXr4nsH3e1V4nxsQ3Hwx2lE"


class Listener:
    """A port that accepts connections and never speaks SSH.

    Args:
        hangs_up: whether it closes each connection at once; else it says nothing.
    """

    def __init__(self, *, hangs_up: bool) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._hangs_up = hangs_up
        self._held: list[socket.socket] = []
        self.accepted = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def config(self, **more: Any) -> dict[str, Any]:
        """Return the configuration of an ssh_host that is here."""
        port = self._socket.getsockname()[1]
        given = {"host": "127.0.0.1", "port": port, "host_key": PUBLIC_KEY, "password": "x"}
        return {**given, "connect_attempts": 1, "connect_timeout_s": 1 if not self._hangs_up else 300, **more}

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in self._held:
            connection.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.accepted += 1
            if self._hangs_up:
                connection.close()
            else:
                self._held.append(connection)


@pytest.fixture(params=[True, False], ids=["hangs up", "hangs"])
def listener(request: pytest.FixtureRequest) -> Iterator[Listener]:
    """A host that ends each connection, and one that never answers."""
    running = Listener(hangs_up=request.param)
    yield running
    running.close()


def project(root: Path, hosts: dict[str, Any], states: dict[str, Any], **options: Any) -> Shell:
    shell = Shell(root)
    shell.write("ensue.yaml", json.dumps({"id": "m", **options}))
    shell.write("pillar/top.sls", "base: {m: [hosts]}\n")
    shell.write("pillar/hosts.sls", json.dumps({"resources": {"ssh_host": {"hosts": hosts}}}))
    shell.write("states/t.sls", json.dumps(states))
    return shell


def state(target: str, function: str = "cmd.run", **more: Any) -> dict[str, Any]:
    given = {"name": "echo", **more} if function == "cmd.run" else more
    return {function: [{"tgt": target}, *({name: value} for name, value in given.items())]}


def comments(shell: Shell, *words: str) -> list[str]:
    """Apply the states and return their comments, in order; all of them must have failed."""
    ended = shell.run("apply", "t", "--out", "json", *words)
    returned = sorted(ended.document["m"].values(), key=lambda entry: entry["__run_num__"])
    assert {entry["result"] for entry in returned} == {False}
    assert ended.code == 2
    return [entry["comment"] for entry in returned]


@pytest.mark.parametrize("ordered", [True, False])
def test_twenty_states_try_a_host_once(listener: Listener, tmp_path: Path, *, ordered: bool) -> None:
    """One attempt, one message with the reason; the others name the host and are not run."""
    states = {f"s{number}": state("far") for number in range(18)}
    states["file"] = state("far", "file.managed", name="/x", contents="x")
    states["condition"] = state("far", unless="true")
    shell = project(tmp_path, {"far": listener.config()}, states, state_auto_order=ordered)
    texts = comments(shell)
    assert listener.accepted == 1
    assert len(texts) == 20
    (reason,) = [comment for comment in texts if comment != NOT_RUN]
    assert reason.startswith("ssh_host:far (127.0.0.1:")


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("function", ["cmd.run", "file.managed"])
def test_states_that_give_up_share_an_attempt(tmp_path: Path, function: str, *, ordered: bool) -> None:
    """A state's `timeout` ends the state, not the attempt: there is one, and one message about the host."""
    listener = Listener(hangs_up=False)
    more = {"name": "/x", "contents": "x"} if function == "file.managed" else {"name": "echo"}
    states = {f"s{number:02}": state("far", function, timeout=0.25, **more) for number in range(20)}
    shell = project(tmp_path, {"far": listener.config()}, states, state_auto_order=ordered)
    texts = comments(shell)
    listener.close()
    assert listener.accepted == 1
    (reason,) = [comment for comment in texts if comment not in {NOT_RUN, NOT_ANSWERED}]
    assert reason.endswith("\nssh_host:far has not answered")
    if ordered:
        assert texts[-1] == NOT_RUN


@pytest.mark.parametrize("condition", ["onlyif", "unless"])
def test_a_condition_on_a_host_that_hangs_is_not_false(tmp_path: Path, condition: str) -> None:
    """A state is not skipped, or run, because its condition ran out of time before the host answered."""
    listener = Listener(hangs_up=False)
    states = {f"s{number}": state("far", timeout=0.25, **{condition: "true"}) for number in range(5)}
    texts = comments(project(tmp_path, {"far": listener.config()}, states))
    listener.close()
    assert len(texts) == 5
    assert all(comment.endswith(("far has not answered", "far is unreachable")) for comment in texts)


@pytest.mark.parametrize("ordered", [True, False])
def test_states_that_give_up_share_a_start(tmp_path: Path, *, ordered: bool) -> None:
    """An engine of containers that does not start a command is not asked again by each state."""
    engine, calls = tmp_path / "engine", tmp_path / "calls"
    engine.write_text(f'#!/bin/sh\necho "$1" >> {calls}\nexec sleep 1000\n')
    engine.chmod(0o755)
    states = {f"s{number:02}": state("far", timeout=0.25) for number in range(20)}
    shell = project(tmp_path, {}, states, state_auto_order=ordered)
    box = {"engine": str(engine), "connect_timeout_s": 1}
    shell.write("pillar/hosts.sls", json.dumps({"resources": {"container": {"hosts": {"far": box}}}}))
    texts = comments(shell)
    short = {"not run: container:far is unreachable", "not run: container:far has not answered"}
    (reason,) = [comment for comment in texts if comment not in short]
    assert reason.endswith("\ncontainer:far has not answered")
    assert calls.read_text().count("exec") <= (1 if ordered else 4)


def test_a_target_that_reads_grains_tries_a_host_once(listener: Listener, tmp_path: Path) -> None:
    """The states whose targets cannot be matched without the host's grains are not run, either."""
    states = {f"s{number}": state("T@ssh_host and G@kernel:Linux") for number in range(5)}
    texts = comments(project(tmp_path, {"far": listener.config()}, states))
    assert listener.accepted == 1
    assert texts[1:] == [NOT_RUN] * 4
    assert "ssh_host:far (127.0.0.1:" in texts[0]


def test_a_state_with_retry_tries_again(listener: Listener, tmp_path: Path) -> None:
    """Each attempt connects: a host that is about to start is awaited in this way."""
    states = {"first": state("far"), "second": state("far", retry={"attempts": 2, "interval": 0})}
    config = listener.config(connect_timeout_s=0.5)
    comments(project(tmp_path, {"far": config}, states))
    assert listener.accepted == 3


def test_a_jump_host_is_tried_once(listener: Listener, tmp_path: Path) -> None:
    """Hosts behind a jump host that cannot be reached each say so, and do not try it again."""
    hosts = {"jump": listener.config(), **{name: listener.config(jump="jump") for name in ("one", "two")}}
    states = {f"{name} {number}": state(name) for name in ("one", "two") for number in range(2)}
    texts = comments(project(tmp_path, hosts, states))
    assert listener.accepted == 1
    assert sum("is reached through ssh_host:jump" in comment for comment in texts) == 2
    assert sum(comment.startswith("not run: ssh_host:") for comment in texts) == 2


def test_the_next_run_tries_again(tmp_path: Path) -> None:
    """What is known of a host ends with the run, in a process that goes on, too."""
    listener = Listener(hangs_up=True)
    shell = project(tmp_path, {"far": listener.config()}, {"one": state("far")})

    async def scene() -> None:
        async with Project(shell.root) as opened:
            for _ in range(2):
                await opened.apply("t")

    asyncio.run(scene())
    listener.close()
    assert listener.accepted == 2


def test_what_is_remembered() -> None:
    """Outside of a run nothing is; a host that is let try again takes those on its way with it."""
    reach = Reach()
    jump = UnreachableError("gone", target="ssh_host:jump")
    far = UnreachableError("through jump", target="ssh_host:far")
    far.__cause__ = jump
    reach.lost(far)
    assert reach.fault("ssh_host:far") is None
    with reach.of_run():
        reach.lost(jump)
        reach.lost(far)
        assert reach.once("ssh_host:far", far) is far
        assert str(reach.once("ssh_host:far", far)) == NOT_RUN
        other = RemoteError("something else", target="ssh_host:other")
        assert reach.once("ssh_host:other", other) is other
        reach.again("ssh_host:far")
        assert reach.fault("ssh_host:far") is reach.fault("ssh_host:jump") is None
        reach.lost(far)
    assert reach.fault("ssh_host:far") is None


INNER = "x:\n  cmd.run:\n    - name: echo\n"


def test_a_derived_host_is_named_with_its_source(tmp_path: Path) -> None:
    """Its source is in every message: of states and calls, on it and behind it, and of a refresh."""
    listener = Listener(hangs_up=True)
    hosts = {"behind": {"host": "192.0.2.1", "jump": "gate", "connect_attempts": 1}}
    states = {"a": state("gate"), "b": state("behind")}
    shell = project(tmp_path, hosts, states)
    shell.write("states/inner.sls", INNER)
    shell.write("states/applied.sls", "c:\n  ssh_host.state_applied:\n    - name: gate\n    - mods: inner\n")
    shell.write("gate.yaml", json.dumps(listener.config()))
    source = ("--source", "starting_state:env-09")
    shell.run("resources", "register", "ssh_host:gate", "--config-file", "gate.yaml", *source)
    origin = "(ssh_host:gate was derived from starting_state:env-09)"
    assert [comment.endswith(origin) for comment in comments(shell)] == [True, True]
    applied = shell.run("apply", "applied", "--out", "json").out
    assert applied.count(origin) >= 2
    answers = shell.run("call", "T@ssh_host", "test.ping", "--out", "json").document
    assert {name: answer.endswith(origin) for name, answer in answers.items()} == {
        "gate": True,
        "behind": True,
    }
    beside = shell.run("apply", "inner", "--tgt", "T@ssh_host", "--out", "json").document
    assert all(
        returned["comment"].endswith(origin) for returns in beside.values() for returned in returns.values()
    )
    assert origin in shell.run("resources", "refresh").out
    listener.close()
