"""An apply that registers a host, configures it over SSH and renders delayed blocks, killed at random points.

After every kill the store can be read, the next apply converges, and no file of the project holds a secret in
the clear; nor does the command line of any process while the apply runs. `ENSUE_TORTURE_ROUNDS` says how many
rounds there are.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import random
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell
from tests.support.chance import chance_of
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.support.sshd import Sshd

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "3"))
_CHANCE = chance_of(__name__)

SEEDS = _CHANCE.sample(range(10**6), ROUNDS)
LONGEST_AWAKE_S = 3.0
SECRETS = [f"pl4nted-{number:02d}-{os.urandom(8).hex()}" for number in range(20)]

PILLAR = """
app:
{lines}
"""

OUTER = """
vm:
  test.present:
    - new_state:
        config: {{{{ pillar.config | tojson }}}}
        token: {{{{ pillar.app.password_00 }}}}
    - sensitive: [config, token]
    - registers:
      - ssh_host:box: "${{self:config}}"
      - ssh_host:spare: {{host: 127.0.0.1, password: "{{{{ pillar.app.password_01 }}}}"}}
    - delayed_render: [block: after]

configure:
  ssh_host.state_applied:
    - name: box
    - mods: inner
    - require: [test: vm]

on box:
  cmd.run:
    - name: test -n "$TOKEN"
    - env: {{TOKEN: "{{{{ pillar.app.password_02 }}}}"}}
    - tgt: T@ssh_host:box

#!delayed_block after
late:
  file.managed:
    - name: {folder}/late
    - contents: {{{{ prev_ret.new_state.token }}}}
    - mode: '0600'
#!end_delayed_block
"""

INNER = """
{% for number in range(3, 20) %}
{{ pillar.folder }}/app-{{ number }}:
  file.managed:
    - contents: {{ pillar.app['password_%02d' % number] }}
    - mode: '0600'
{% endfor %}
"""


@pytest.fixture
def server(tmp_path: Path) -> Generator[Sshd]:
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path / "sshd", user=user) as running:
        yield running


def project(root: Path, target: Path, server: Sshd) -> Shell:
    """Write a project in which everything that is secret is in pillar, a folder of its own."""
    shell = Shell(root)
    lines = "\n".join(f"  password_{number:02d}: {secret}" for number, secret in enumerate(SECRETS))
    declared = f"folder: {target}\nconfig: {json.dumps(server.config(password=SECRETS[0]))}\n"
    shell.write("ensue.yaml", "id: m\n")
    shell.write("pillar/top.sls", "base:\n  '*': [app]\n")
    shell.write("pillar/app.sls", PILLAR.format(lines=lines) + declared)
    shell.write("states/outer.sls", OUTER.format(folder=target))
    shell.write("states/inner.sls", INNER)
    return shell


def leaks(root: Path, server: Sshd) -> list[str]:
    """Return the files below the project's own folder that hold a secret."""
    needles = [secret.encode() for secret in SECRETS] + [server.private_key.splitlines()[2].encode()]
    paths: list[str] = []
    for path in (root / ".ensue").rglob("*"):
        with contextlib.suppress(OSError):
            content = path.read_bytes() if path.is_file() else b""
            paths += [str(path) for needle in needles if needle in content]
    return paths


def command_lines() -> list[str]:
    """Return the command lines of all processes that hold a secret."""
    paths: list[str] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            content = path.read_bytes()
            paths += [str(path) for secret in SECRETS if secret.encode() in content]
    return paths


@pytest.mark.openssh
@pytest.mark.parametrize("seed", SEEDS)
def test_killed_at_a_random_point(tmp_path: Path, server: Sshd, seed: int) -> None:
    """No registration is partial or lost, and the next apply completes what the killed one began."""
    chance = random.Random(seed)  # noqa: S311  # chance, not secrecy
    target = tmp_path / "target"
    target.mkdir()
    root = tmp_path / "project"
    shell = project(root, target, server)

    process = shell.start("apply", "outer")
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(chance.uniform(0.1, LONGEST_AWAKE_S))
    assert command_lines() == []
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    out, err = process.communicate()

    assert leaks(root, server) == []
    assert not [secret for secret in SECRETS if secret.encode() in out + err]
    listed = shell.run("resources", "list", "--out", "json")
    assert listed.code == 0, listed.err
    completed = shell.run("apply", "outer")
    assert completed.code == 0, completed.out + completed.err
    again = shell.run("apply", "outer", "--out", "json")
    assert again.code == 0
    changed = [
        tag for tag, returned in again.document["m"].items() if returned["changes"] and "cmd_|-" not in tag
    ]
    assert changed == []
    assert len(list(target.iterdir())) == 18
    assert [path.name for path in target.iterdir() if path.name.startswith(".")] == []
    assert leaks(root, server) == []
    assert json.loads(shell.run("resources", "list", "--out", "json").out).keys() == {
        "minion:m", "ssh_host:box", "ssh_host:spare",
    }  # fmt: skip
