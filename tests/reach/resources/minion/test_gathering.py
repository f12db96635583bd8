"""Grains of this machine agree with what its own tools say, and cost next to nothing."""

from __future__ import annotations

import asyncio
import os
import platform
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.masking import Masker
from ensue.core.model.srn import Srn
from ensue.reach.resources import minion
from ensue.reach.resources.minion.gathering import minion_grains
from ensue.reach.resources.posix_grains import facts_script, grains_from, parse_facts


def context(**config: Any) -> ResourceContext:
    return ResourceContext(
        srn=Srn("minion", "m1"),
        config=config,
        opts={},
        cache_dir=Path("/nonexistent"),
        masker=Masker(),
        connect_to=lambda _: pytest.fail("no jump"),
    )


def test_the_plain_ones() -> None:
    """Names and numbers are those that Python and uname know."""
    grains = minion_grains("m1")
    system = os.uname()
    assert grains["id"] == "m1"
    assert (grains["kernel"], grains["kernelrelease"], grains["cpuarch"]) == (
        system.sysname,
        system.release,
        system.machine,
    )
    assert grains["localhost"] == socket.gethostname()
    assert str(grains["fqdn"]).startswith(str(grains["host"]))
    assert grains["num_cpus"] == os.cpu_count()
    assert (grains["uid"], grains["gid"]) == (os.geteuid(), os.getegid())
    assert isinstance(grains["mem_total"], int)
    assert grains["mem_total"] > 0
    assert isinstance(grains["ipv4"], list)
    assert "127.0.0.1" in grains["ipv4"]
    release = platform.freedesktop_os_release()
    assert grains["osfullname"] == release["NAME"]
    assert grains["osrelease"] == release["VERSION_ID"]


def test_the_version_of_salt() -> None:
    """A formula that asks for Salt's version before it uses a feature finds one."""
    grains = minion_grains("m1")
    assert grains["saltversion"] == "3008.5"
    assert grains["saltversioninfo"] == [3008, 5]


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash", "busybox"])
def test_the_script_finds_the_same(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a shell gathers over a connection gives the same grains as what is read from inside.

    A login always sets SHELL; bash makes up its own where nothing did.
    """
    monkeypatch.setenv("SHELL", "/bin/zsh")
    argv = ["busybox", "sh"] if shell == "busybox" else [shell]
    if (
        shell == "busybox"
        and subprocess.run(["sh", "-c", "command -v busybox"], check=False, capture_output=True).returncode
    ):
        pytest.skip("needs busybox: apt-get install busybox")
    done = subprocess.run([*argv, "-c", facts_script({})], capture_output=True, check=True)
    assert done.stderr == b""
    theirs = grains_from(parse_facts(done.stdout.decode()), id_="m1")
    ours = minion_grains("m1")
    for key in ("pythonversion", "pythonexecutable", "pythonpath", "pid", "cwd"):
        theirs.pop(key, None)
        ours.pop(key)
    if subprocess.run(["sh", "-c", "command -v ip"], check=False, capture_output=True).returncode:
        for key in [key for key in ours if key.startswith("ip")]:
            theirs.pop(key, None)
            ours.pop(key)
    assert theirs == ours


def test_without_a_login_the_shell_is_the_systems_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the environment has no SHELL the grain is /bin/sh."""
    monkeypatch.delenv("SHELL", raising=False)
    assert minion_grains("m1")["shell"] == "/bin/sh"


def test_they_are_quick() -> None:
    """Gathering takes less than 10 ms of this thread: nothing is started and nobody is asked."""
    minion_grains("m1")
    durations: list[float] = []
    for _ in range(9):
        started_s = time.thread_time()
        minion_grains("m1")
        durations.append(time.thread_time() - started_s)
    assert min(durations) < 0.010


def test_the_type() -> None:
    """The type's functions fit together: check, connect, ping, grains."""
    assert minion.check({}) == []
    assert minion.check({"rot": "/x"}) == ["unknown key `rot` (did you mean `root`?)"]
    assert minion.check({"root": "x"}) == ["`root` must be an absolute path, not 'x'"]
    assert minion.check({"root": 3}) == ["`root` must be text, not a number"]
    assert asyncio.run(minion.ping(minion.connect(context()))) is True
    grains = asyncio.run(minion.grains(minion.connect(context()), context()))
    assert grains["id"] == "m1"


def test_a_root_with_a_system_in_it(tmp_path: Path) -> None:
    """An image below the root says itself which system it is; a root that is no folder does not answer."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text('NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.1\n')
    target = minion.connect(context(root=str(tmp_path)))
    grains = asyncio.run(minion.grains(target, context()))
    assert (grains["os"], grains["os_family"], grains["osrelease_info"]) == ("Alpine", "Alpine", [3, 20, 1])
    assert asyncio.run(minion.ping(target)) is True
    assert asyncio.run(minion.ping(minion.connect(context(root=str(tmp_path / "absent"))))) is False


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("role: web\nos: Mine\nday: 2026-01-02\n", {"role": "web", "os": "Mine", "day": "2026-01-02"}),
        ("id: other\n", {"id": "m1"}),
        ("a: [\n", {}),
        ("- a\n", {}),
        ("", {}),
    ],
)
def test_grains_that_a_machine_is_given(text: str, given: dict[str, object], tmp_path: Path) -> None:
    """The file of own grains outranks what is found, but for the id; one that is no YAML is passed over.

    Read from inside and by the script it gives the same.
    """
    (tmp_path / "etc/salt").mkdir(parents=True)
    (tmp_path / "etc/salt/grains").write_text(text)
    grains = minion_grains("m1", root=str(tmp_path))
    assert {key: grains[key] for key in given} == given
    script = facts_script({})
    done = subprocess.run(
        ["/bin/sh", "-c", script], capture_output=True, check=True, env={"ENSUE_ROOT": str(tmp_path)}
    )
    theirs = grains_from(parse_facts(done.stdout.decode()), id_="m1")
    assert {key: theirs[key] for key in given} == given


def test_a_project_may_keep_them_elsewhere(tmp_path: Path) -> None:
    """The option `grains_file` names another file, blanks and quotes in its path included."""
    path = tmp_path / "it's own"
    path.write_text("role: web\n")
    assert minion_grains("m1", own_grains_file=str(path))["role"] == "web"
    script = facts_script({"grains_file": str(path)})
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=True, env={})
    assert grains_from(parse_facts(done.stdout.decode()), id_="m1")["role"] == "web"
