"""Every wait for a host has a deadline: that of the state that causes it, or the default for its kind."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell
from tests.support.hostile_sshd import hostile_servers

from ensue import Project
from ensue.core.contracts import deadlines
from ensue.language.targets import directory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hostile_sshd import HostileServers

    from ensue import CallResult

pytestmark = pytest.mark.openssh

PAGE = Path(__file__).parents[2] / "docs" / "semantics.md"
KINDS = ("silent", "never_answers_login", "never_opens", "never_ends")
LONG = {"connect_timeout_s": 3000, "connect_attempts": 1, "files": "shell"}
"""Limits of the host that no test waits for."""


@pytest.fixture(scope="module")
def servers() -> Iterator[HostileServers]:
    with hostile_servers(*KINDS) as running:
        yield running


def project(root: Path, config: dict[str, Any], function: str = "", **arguments: Any) -> Shell:
    """Return a project with one host, and one state that runs on it."""
    shell = Shell(root)
    shell.write("ensue.yaml", "id: m\n")
    shell.write("pillar/top.sls", "base: {m: [hosts]}\n")
    shell.write("pillar/hosts.sls", json.dumps({"resources": {"ssh_host": {"hosts": {"far": config}}}}))
    if function:
        listed: list[dict[str, Any]] = [{name: value} for name, value in arguments.items()]
        shell.write("states/t.sls", json.dumps({"state": {function: [*listed, {"tgt": "far"}]}}))
    return shell


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("cmd.run", {"name": "echo done"}),
        ("cmd.run", {"name": "echo done", "shell": "/bin/sh", "cwd": "/"}),
        ("cmd.script", {"name": "echo", "source": "/bin/true", "cwd": "/"}),
        ("file.managed", {"name": "/nowhere/file", "contents": "x"}),
        ("test.nop", {"onlyif": "true"}),
    ],
)
def test_a_states_timeout_covers_all_that_it_causes(
    servers: HostileServers, tmp_path: Path, kind: str, function: str, arguments: dict[str, Any]
) -> None:
    """Connecting, the grains that a command needs for its shell, its folder, conditions: all end in time."""
    shell = project(tmp_path, servers.config(kind, **LONG), function, **arguments, timeout=1)
    ended = shell.run("apply", "t", "--out", "json")
    (returned,) = ended.document["m"].values()
    if function == "test.nop" and kind in {"never_ends", "never_opens"}:
        # The host has answered, and its command has not ended.
        assert (returned["result"], returned["comment"]) == (True, "onlyif condition is false")
    elif function == "test.nop":
        assert returned["result"] is False
        assert returned["comment"].endswith(" has not answered")
    else:
        assert returned["result"] is False
        assert "Timed out after 1 seconds" in json.dumps(returned)


def test_the_page_has_all_defaults() -> None:
    """Each default of the module is in the table of the page, with its number."""
    _, _, section = PAGE.read_text(encoding="utf-8").partition("\n### Deadlines\n")
    listed = re.findall(r"^\|.*\| (\d+) s \|", section.partition("\n## ")[0], re.MULTILINE)
    defaults = [value for name, value in vars(deadlines).items() if name.endswith("_S")]
    assert sorted(map(int, listed)) == sorted(defaults)


def test_grains_have_a_deadline(
    servers: HostileServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that lets us in and never ends its command fails what needs its grains."""
    monkeypatch.setattr(directory, "GRAINS_S", 0.5)
    shell = project(tmp_path, servers.config("never_ends", **LONG))

    async def scene() -> CallResult:
        async with Project(shell.root) as opened:
            (answer,) = [item async for item in opened.call("far", "grains.items")]
            return answer

    answer = asyncio.run(scene())
    assert (answer.ok, answer.value) == (False, "ssh_host:far gave no grains within 0.5 s")
