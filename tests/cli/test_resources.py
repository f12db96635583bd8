"""`ensue resources register` and `refresh`, and a call that is interrupted, as a user sees them."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell, command, environment

if TYPE_CHECKING:
    from pathlib import Path

PILLAR = "resources: {dummy: {d1: {grains: {os: x}}, d2: {reachable: false}}}\n"

HANGING = """
import asyncio
from pathlib import Path


def connect(context):
    return object()


async def ping(connection, context):
    Path(context.config["fifo"]).write_text("called")
    await asyncio.Event().wait()
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project with two dummies, one of which does not answer."""
    return project_in(tmp_path)


def project_in(folder: Path) -> Shell:
    project = Shell(folder)
    project.write("ensue.yaml", "id: m1\n")
    project.write("pillar/top.sls", "base: {m1: [r]}\n")
    project.write("pillar/r.sls", PILLAR)
    return project


@pytest.fixture(scope="module")
def with_box(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The same with a registered resource, for tests that change nothing."""
    project = project_in(tmp_path_factory.mktemp("with-box"))
    project.run("resources", "register", "dummy:box")
    project.write("list.yaml", "- a\n")
    project.write("broken.yaml", "a: [\n")
    return project


def test_this_machine_comes_from_nowhere(with_box: Shell) -> None:
    """The table names it as itself, and there is no declaration or registration to remove."""
    rows = [line.split() for line in with_box.run("resources", "list").out.splitlines()]
    assert ["minion:m1", "active", "this", "machine", "m1"] in rows
    assert ["dummy:d1", "active", "pillar", "m1"] in rows
    forgotten = with_box.run("resources", "forget", "minion:m1")
    assert forgotten.code == 2
    assert "minion:m1 is the machine that ensue runs on, so there is nothing to forget" in forgotten.err


def piped(project: Shell, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command(), "resources", "register", *words],
        cwd=project.root,
        env=environment(),
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_resource_is_registered_by_hand(project: Shell) -> None:
    """It is a target from then on; the same again is no change, and another configuration is one."""
    done = project.run("resources", "register", "dummy:box", "grains={os: Debian}", "--ttl", "3600")
    assert (done.code, done.out, done.err) == (0, "dummy:box is registered\n", "")
    again = project.run("resources", "register", "dummy:box", "grains={os: Debian}", "--ttl", "3600")
    assert again.out == "dummy:box is already registered; no change\n"
    assert project.run("call", "G@os:Debian and T@dummy:b*", "--out", "json", "test.ping").document == {
        "box": True
    }
    other = project.run(
        "resources", "register", "dummy:box", "grains={os: Arch}", "--source", "test:made", "--out", "json"
    )
    assert other.document == {
        "type": "dummy",
        "id": "box",
        "managing_minions": ["m1"],
        "status": "active",
        "source": "test:made",
        "grains_gathered_at": None,
        "config": {"grains": {"os": "Arch"}},
    }
    assert project.run("call", "box", "--out", "json", "grains.get", "os").document == {"box": "Arch"}
    shown = project.run("resources", "show", "dummy:box", "--out", "json").document
    assert shown["grains_gathered_at"].startswith("20")


def test_defaults_of_pillar_hold_for_a_registered_resource(project: Shell) -> None:
    """What its own configuration says comes first, and a secret among the defaults is masked."""
    project.write(
        "pillar/r.sls",
        "resources:\n  dummy:\n    grains: {os: Debian, rack: 7}\n    hosts: {}\n"
        "  ssh_host:\n    password: hunter2-default\n    user: admin\n    hosts: {}\n",
    )
    project.run("resources", "register", "dummy:box", "grains={os: Arch}")
    project.run("resources", "register", "ssh_host:web", "host=192.0.2.1", "user=own")
    grains = project.run("call", "box", "--out", "json", "grains.item", "os", "rack").document
    assert grains == {"box": {"os": "Arch", "rack": 7}}
    shown = project.run("resources", "show", "ssh_host:web", "--out", "json")
    assert shown.document["config"] == {"host": "192.0.2.1", "password": "(sensitive)", "user": "own"}


def test_a_secret_comes_from_a_file_or_a_pipe(project: Shell) -> None:
    """It is shown nowhere; one on the command line is pointed out. Words outrank the file."""
    config = {"host": "192.0.2.1", "user": "u", "password": "hunter2-secret"}
    project.write("web.json", json.dumps(config))
    by_file = project.run("resources", "register", "ssh:web", "--config-file", "web.json", "--out", "json")
    assert by_file.code == 0
    assert by_file.document["config"] == {"host": "192.0.2.1", "password": "(sensitive)", "user": "u"}
    by_pipe = piped(
        project, json.dumps(config), "ssh_host:web", "user=v", "--config-file", "-", "--out", "yaml"
    )
    assert by_pipe.returncode == 0
    assert "user: v" in by_pipe.stdout
    pointed_out = project.run("resources", "register", "ssh_host:db", "password=hunter2-secret")
    assert pointed_out.code == 0
    assert "password is on a command line" in pointed_out.err
    for done in (
        by_file.out + by_file.err,
        by_pipe.stdout + by_pipe.stderr,
        pointed_out.out + pointed_out.err,
    ):
        assert "hunter2" not in done
    assert not any(b"hunter2" in path.read_bytes() for path in (project.root / ".ensue").iterdir())


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["dumy:x"], ["there is no resource type 'dumy' (did you mean dummy?)"]),
        (
            ["ssh_host:d1", "hst=x", "port=y"],
            [
                "ssh_host:d1 cannot be registered: dummy:d1 has its id",
                "ssh_host:d1: `port` must be a number from 1",
                "ssh_host:d1: unknown key `hst` (did you mean `host`?)",
            ],
        ),
        (["dummy:m1"], ["dummy:m1 cannot be registered: minion:m1 has its id"]),
        (["ssh_host:box"], ["its id belongs to dummy:box"]),
        (["dummy:a\u2028b"], ["not a resource name"]),
        (["box"], ["not a resource name: 'box'"]),
        (["dummy:x", "grains"], ["'grains' has no value"]),
        (["dummy:x", "--source", "y"], ["not a resource name: 'y'"]),
        (
            ["dummy:x", "--source", "dummy:bax"],
            ["there is no resource 'dummy:bax' (did you mean dummy:box", "dummy:x is to be derived from it"],
        ),
        (["dummy:x", "--source", "dummy:x"], ["cannot be derived from itself"]),
        (["dummy:x", "--ttl", "0"], ["0"]),
        (
            ["dummy:x", "--config-file", "nowhere"],
            ["--config-file: nowhere: ", "No such file or directory (correct the path)"],
        ),
        (["dummy:x", "--config-file", "list.yaml"], ["list.yaml", "mapping"]),
        (["dummy:x", "--config-file", "broken.yaml"], ["broken.yaml"]),
    ],
)
def test_what_makes_no_sense_is_refused(with_box: Shell, words: list[str], messages: list[str]) -> None:
    """All that is wrong is told together, and nothing is registered."""
    done = with_box.run("resources", "register", *words, "--out", "json")
    assert done.code == 1
    errors = "\n".join(done.document["errors"])
    for message in messages:
        assert message in errors
    assert "Traceback" not in done.err
    listed = with_box.run("resources", "list", "--out", "json").document
    assert sorted(listed) == ["dummy:box", "dummy:d1", "dummy:d2", "minion:m1"]


def test_an_id_alone_is_a_name(project: Shell) -> None:
    """Of a resource to forget, and of a source, which may be a state; ids are unique over all types."""
    project.run("resources", "register", "dummy:box")
    project.run("resources", "register", "dummy:lid", "--source", "dummy:box")
    project.run("resources", "register", "dummy:label", "--source", "test:printer")
    assert project.run("resources", "invalidate", "box", "--out", "json").document == ["dummy:lid"]
    assert project.run("resources", "invalidate", "printer", "--out", "json").document == ["dummy:label"]
    wrong = project.run("resources", "forget", "lid", "d1", "bax")
    assert (wrong.code, wrong.out) == (2, "")
    assert "d1 was not registered" in wrong.err
    assert "there is no such resource: bax" in wrong.err
    assert project.run("resources", "forget", "lid", "label").out == "dummy:lid\ndummy:label\n"
    declared = project.run("resources", "forget", "d1")
    assert "it comes from pillar" in declared.err
    for word in ("forget", "invalidate"):
        misspelt = project.run("resources", word, "bax")
        assert misspelt.code == 1
        assert "there is no such resource: bax (did you mean box?)" in misspelt.err
    assert project.run("resources", "forget", "dummy:bax").code == 2


def test_an_id_of_several_sources_is_refused(project: Shell) -> None:
    """Sources are no resources, so two may have one id; the message names both."""
    project.run("resources", "register", "dummy:one", "--source", "test:made")
    project.run("resources", "register", "dummy:two", "--source", "state:made")
    refused = project.run("resources", "invalidate", "made")
    assert refused.code == 2
    assert "made may be state:made or test:made: write one of them" in refused.err
    assert project.run("resources", "invalidate", "test:made").out == "dummy:one\n"


def test_a_refresh_prints_what_it_found(project: Shell) -> None:
    """A table of what is new, gone and without an answer; one document with `--out json`."""
    done = project.run("resources", "refresh")
    assert done.code == 2
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[1][:2] == ["dummy:d1", "new"]
    assert lines[2][:3] == ["dummy:d2", "no", "answer"]
    assert done.out.splitlines()[-1] == "1 refreshed, 2 new, 0 gone, 1 without an answer"
    project.write("pillar/r.sls", "resources: {dummy: {d3: }}\n")
    assert project.run("resources", "refresh", "--out", "json").document == {
        "added": ["dummy:d3"],
        "gone": ["dummy:d1", "dummy:d2"],
        "refreshed": ["dummy:d3"],
        "failed": {},
    }
    nothing = project.run("resources", "refresh", "T@dummy:d9", "--out", "json")
    assert nothing.code == 2
    assert nothing.document == {"added": [], "gone": [], "refreshed": [], "failed": {}}
    assert project.run("resources", "refresh", "T@dumy").code == 1
    assert "no resource matched 'd33' (did you mean d3?)" in project.run("resources", "refresh", "d33").err
    assert "it matches only this machine" in project.run("resources", "refresh", "m1").err


@pytest.mark.parametrize("out", ["nested", "json"])
def test_an_interrupted_call_prints_what_has_come(project: Shell, out: str) -> None:
    """Answers that were there by then are printed; the exit code is 130."""
    import os

    fifo = project.root / "called"
    os.mkfifo(fifo)
    project.write("states/_resources/hanging/__init__.py", HANGING)
    project.write("pillar/r.sls", f"resources: {{hanging: {{h: {{fifo: {fifo}}}}}, dummy: {{d1: }}}}\n")
    running = project.start("call", "T@dummy or T@hanging", "test.ping", "--batch", "1", "--out", out)
    assert fifo.read_text() == "called"
    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=300)
    assert running.returncode == 130
    assert b"some targets did not answer" in stderr
    answers: Any = json.loads(stdout) if out == "json" else stdout.decode()
    assert answers == ({"d1": True} if out == "json" else "d1:\n    True\n")


def test_forgetting_a_machine_leaves_it_there(project: Shell) -> None:
    """The record of an environment is removed, and what removes the environment itself is named."""
    project.write(
        "states/_providers/cloud.py",
        "from ensue.core.contracts.provider import Environment\n"
        "async def observe(request): return Environment(status='succeeded')\n"
        "deploy = destroy = observe\n"
        "async def connection_info(request): return {'host': '192.0.2.1'}\n",
    )
    options = "    - provider: cloud\n    - register_resources: true\n"
    project.write("states/vm.sls", f"vm-01:\n  starting_state.deployed:\n{options}")
    assert project.run("apply", "vm").code == 0
    ended = project.run("resources", "forget", "ssh_host:jumphost-vm-01")
    assert (ended.code, ended.out) == (0, "ssh_host:jumphost-vm-01\n")
    assert "the environment vm-01 still exists: a state `starting_state.absent`" in ended.err


def test_what_stays_on_a_machine_that_goes_is_said(tmp_path: Path) -> None:
    """As its registration ends in a plan and an apply, and as its record is forgotten."""
    project = project_in(tmp_path)
    on_box = "{tgt: T@dummy:box}, {require: [test: box]}"
    project.write(
        "states/vm.sls",
        "box:\n  test.present:\n    - new_state: {}\n    - registers: [{'dummy:box': {}}]\n"
        f"/srv/a: {{file.managed: [{{contents: a}}, {{makedirs: true}}, {on_box}]}}\n"
        f"/srv/b: {{file.managed: [{{contents: b}}, {{makedirs: true}}, {on_box}]}}\n"
        f"/srv/c: {{file.absent: [{on_box}]}}\n"
        f"look: {{test.nop: [{on_box}]}}\n",
    )
    applied = project.run("apply", "vm")
    assert applied.code == 0, applied.out
    project.write("states/vm.sls", "other: test.nop\n")
    what = "2 things that states made on it stay (`ensue show enforced --tgt dummy:box` lists them; to remove"
    for word in ("plan", "apply"):
        assert what in " ".join(project.run(word, "vm").err.split())
    ended = project.run("resources", "forget", "dummy:box")
    assert (ended.code, ended.out) == (0, "dummy:box\n")
    assert f"ensue: dummy:box: {what}" in " ".join(ended.err.split())
    assert "/srv/a" in project.run("show", "enforced", "--tgt", "dummy:box").out


def test_a_type_may_have_only_defaults(tmp_path: Path) -> None:
    """With `hosts: {}` nothing is warned of; without `hosts` the message says what to write."""
    project = project_in(tmp_path)
    project.write("pillar/top.sls", "base: {'*': [d]}\n")
    project.write("pillar/d.sls", "resources:\n  dummy:\n    reachable: true\n    hosts: {}\n")
    ended = project.run("resources", "list")
    assert (ended.code, ended.err) == (0, "")
    project.write("pillar/top.sls", "base: {'other': [d]}\n")
    assert "no machine manages the `resources` of pillar/d.sls" in project.run("resources", "list").err
    project.write("pillar/top.sls", "base: {'*': [d]}\n")
    project.write("pillar/d.sls", "resources:\n  dummy:\n    reachable: true\n")
    ended = project.run("resources", "list")
    assert ended.code == 1
    assert "every key of dummy is an id, so write `hosts: {}` beside defaults" in ended.err


def test_a_plan_says_that_a_resource_gets_another_source(tmp_path: Path) -> None:
    """A changed command that registers the same configuration does so anew, in plan and apply."""
    project = project_in(tmp_path)
    sls = (
        "m:\n  cmd.run:\n    - name: echo %s\n    - read_only: true\n"
        "    - registers: [{'dummy:d9': {grains: {os: x}}}]\n"
    )
    project.write("states/s.sls", sls % "first")
    assert project.run("apply", "s").code == 0
    project.write("states/s.sls", sls % "second")
    for verb, counts in (
        ("plan", "1 to change, 0 unchanged"),
        ("apply", "1 changed, 0 unchanged"),
        ("plan", "0 to change, 1 unchanged"),
        ("apply", "0 changed, 1 unchanged"),
    ):
        assert counts in project.run(verb, "s").out
