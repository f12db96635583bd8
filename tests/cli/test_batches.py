"""`--batch` and `--fail-limit` of an apply over hosts that ensue reaches itself."""

from __future__ import annotations

import json
import os
import pwd
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from pathlib import Path

SLS = """
release:
  file.exists: [name: /release]
cfg:
  file.managed: [name: /cfg, contents: new]
"""
RECAP = """\
ok  changed  failed  unreachable  not run  host
 1        1       0            0        0  minion:web-1
 0        1       1            0        0  minion:web-2
 0        0       0            0        2  minion:web-3
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with three hosts, of which the second is not ready."""
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: laptop\n")
    shell.write("pillar/top.sls", "base: {laptop: [hosts]}\n")
    roots = {f"web-{number}": {"root": str(tmp_path / f"web-{number}")} for number in (1, 2, 3)}
    shell.write("pillar/hosts.sls", json.dumps({"resources": {"minion": {"hosts": roots}}}))
    for host in roots:
        (tmp_path / host).mkdir()
        if host != "web-2":
            (tmp_path / host / "release").touch()
    shell.write("states/t.sls", SLS)
    return shell


def test_hosts_beyond_the_fail_limit_are_reported_and_resumed(shell: Shell, tmp_path: Path) -> None:
    """The recap, JSON and the journal list them; `runs resume` goes on with them and the same limits."""
    limited = shell.run("apply", "t", "--tgt", "web-*", "--batch", "1", "--fail-limit", "0")
    assert limited.code == 2
    assert RECAP in limited.out
    assert "Stopped: 2 states not run: 1 host failed, and the fail limit is 0" in limited.out
    assert "E0868" in limited.err
    assert not (tmp_path / "web-3" / "cfg").exists()
    recap = json.loads(shell.run("runs", "show", "last", "--recap", "--out", "json").out)
    assert recap["minion:web-3"] == {"ok": 0, "changed": 0, "failed": 0, "unreachable": 0, "not_run": 2}
    document = json.loads(shell.run("runs", "show", "last", "--out", "json").out)["laptop"]
    assert document["no_|-web-3 states_|-web-3 states_|-None"] == {
        "name": "web-3 states",
        "changes": {},
        "result": None,
        "comment": "not run: 2 states",
        "status": "not run",
        "__id__": "web-3 states",
        "__target__": "minion:web-3",
    }
    again = shell.run("runs", "resume")
    assert (again.code, "web-3 release" in again.out.split("Stopped")[0]) == (2, False)
    (tmp_path / "web-2" / "release").touch()
    resumed = shell.run("runs", "resume")
    assert resumed.code == 0
    assert (tmp_path / "web-3" / "cfg").read_text() == "new\n"


def test_a_percentage_is_of_the_hosts_that_match(shell: Shell) -> None:
    """A third of three hosts is one; half of them may fail before no further host begins."""
    limited = shell.run("apply", "t", "--tgt", "web-*", "--batch", "33%", "--fail-limit", "1%")
    assert (limited.code, "Stopped" in limited.out) == (2, False)


ASKING = """
ask:
  cmd.run: [name: cat $ENSUE_ROOT/id, read_only: true, tgt: web-2]
cfg:
  file.managed: [name: /cfg, contents: "${cmd:ask:stdout}"]
  cmd.run: [name: test -e $ENSUE_ROOT/release, require: [file: cfg]]
"""


def test_a_host_that_only_waited_has_not_begun(shell: Shell, tmp_path: Path) -> None:
    """Each host reads a value of the second one, which fails: then no other host is changed."""
    shell.write("states/t.sls", ASKING)
    (tmp_path / "web-2" / "id").write_text("7")
    limited = shell.run("apply", "t", "--tgt", "web-*", "--batch", "1", "--fail-limit", "0")
    assert (limited.code, "E0868" in limited.err) == (2, True), limited.out
    written = [host.name for host in tmp_path.glob("web-*") if (host / "cfg").exists()]
    assert written == ["web-2"], limited.out
    (tmp_path / "web-2" / "release").touch()
    resumed = shell.run("runs", "resume")
    assert resumed.code == 0, resumed.out
    assert (tmp_path / "web-3" / "cfg").read_text() == "7\n"


def test_a_plan_has_all_hosts(shell: Shell) -> None:
    """A plan changes nothing, so nothing is limited; what is not valid is refused all the same."""
    limits = ("--batch", "1", "--fail-limit", "0")
    plan = shell.run("plan", "t", "--tgt", "web-*", *limits, "--out", "json")
    assert (plan.code, len(json.loads(plan.out)["laptop"])) == (2, 6)
    assert "E0104" in shell.run("plan", "t", "--tgt", "web-*", "--batch", "half").err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--batch", "1"), "--batch and --fail-limit are for runs over many hosts: they need --tgt."),
        (("--tgt", "web-*", "--fail-limit", "1"), "--fail-limit needs --batch"),
        (("--tgt", "web-*", "--timeout", "1"), "--timeout is for runs over minions"),
        (("--tgt", "web-*", "--batch", "0"), "the batch is '0'"),
        (("--tgt", "web-*", "--batch", "1", "--fail-limit", "x"), "the fail limit is 'x'"),
    ],
)
def test_limits_that_mean_nothing_are_refused(shell: Shell, options: tuple[str, ...], message: str) -> None:
    """Nothing runs, and the message says what is missing."""
    refused = shell.run("apply", "t", *options)
    assert refused.code in {1, 2}
    assert message in " ".join(refused.err.split())
    assert "Result:" not in refused.out


@pytest.mark.openssh
def test_three_hosts_of_openssh_one_at_a_time(tmp_path: Path) -> None:
    """Each host begins when the one before it has ended; after two failures, the last does not begin."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    log = tmp_path / "log"
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: laptop\n")
    shell.write("pillar/top.sls", "base: {laptop: [hosts]}\n")
    shell.write(
        "states/t.sls",
        f"begin: {{cmd.run: [name: 'echo {{{{ opts.id }}}} begins >> {log}']}}\n"
        f"end: {{cmd.run: [name: 'echo {{{{ opts.id }}}} ends >> {log}; test -e {tmp_path}/well']}}\n",
    )
    with ExitStack() as servers:
        hosts = {
            f"web-{number}": servers.enter_context(running_sshd(tmp_path / f"{number}", user=user)).config()
            for number in (1, 2, 3)
        }
        shell.write("pillar/hosts.sls", json.dumps({"resources": {"ssh_host": {"hosts": hosts}}}))
        limits = ("--batch", "1", "--fail-limit", "1")
        limited = shell.run("apply", "t", "--tgt", "T@ssh_host", *limits)
        assert limited.code == 2
        assert "web-3 begin (cmd.run)" in limited.out
        assert log.read_text().split("\n") == ["web-1 begins", "web-1 ends", "web-2 begins", "web-2 ends", ""]
        (tmp_path / "well").touch()
        assert shell.run("runs", "resume").code == 0
    assert log.read_text().endswith("web-2 ends\nweb-3 begins\nweb-3 ends\n")
