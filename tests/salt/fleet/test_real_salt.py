"""Runs over three minions of a real Salt master, all of them processes of this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

HAS_SALT = importlib.util.find_spec("salt") is not None
MINIONS = ("web1", "web2", "db1")
STATES = {
    "top.sls": "base:\n  '*': [site]\n",
    "site.sls": """\
one:
  file.managed:
    - name: {{ pillar['folder'] }}/{{ grains['id'] }}
    - contents: "{{ pillar['word'] }} {{ grains['role'] }}"
    - delayed_render:
      - block: later
#!delayed_block later
two:
  cmd.run:
    - name: echo {{ pillar['password'] }}
#!end_delayed_block
""",
    "uneven.sls": """\
{% if grains['id'] == 'web2' %}
broken:
  cmd.run:
    - name: echo boom >&2; exit 3
{% elif grains['id'] == 'db1' %}
wrong:
  nope.function: []
{% else %}
fine:
  test.nop: []
{% endif %}
""",
    # web2 waits until web1 has sent what it forges.
    "hostile.sls": """\
{% if grains['id'] == 'web1' %}
forge:
  cmd.run:
    - name: {{ pillar['forge'] }} && echo done > {{ pillar['gate'] }}
{% else %}
wait:
  cmd.run:
    - name: cat {{ pillar['gate'] }}
{% endif %}
""",
    "failing.sls": """\
first:
  test.fail_without_changes: []
second:
  test.nop: []
""",
    "elsewhere.sls": """\
before:
  file.touch:
    - name: {{ pillar['folder'] }}/elsewhere
after:
  file.managed:
    - name: {{ pillar['folder'] }}/elsewhere
    - contents: ${minion[db1]:cmd:token:stdout}
""",
    "slow.sls": """\
wait:
  cmd.run:
    - name: cat {{ pillar['gate'] }}
""",
}


@dataclass(frozen=True, slots=True)
class Fleet:
    """A master, its minions and a project.

    Args:
        base: everything is below it.
        minions: the process of each minion.
    """

    base: Path
    minions: dict[str, subprocess.Popen[bytes]]

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command of ensue in the project."""
        done = subprocess.run(
            [sys.executable, "-m", "ensue", "--root", str(self.base / "project"), *words],
            text=True,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    @contextmanager
    def options(self, **more: Any) -> Generator[None]:
        """Run with further options in `ensue.yaml`."""
        path = self.base / "project" / "ensue.yaml"
        before = path.read_text()
        path.write_text(json.dumps({**json.loads(before), **more}))
        try:
            yield
        finally:
            path.write_text(before)

    def document(self, *words: str) -> tuple[int, Any]:
        """Run a command with `--out json`."""
        code, out, err = self.run(*words, "--out", "json")
        assert out, err
        return code, json.loads(out)


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _configured(base: Path, name: str, ports: tuple[int, int], more: dict[str, Any]) -> Path:
    folder = base / name
    folder.mkdir()
    own = {
        "root_dir": str(folder),
        "pki_dir": str(folder / "pki"),
        "cachedir": str(folder / "cache"),
        "sock_dir": str(folder / "s"),
        "log_file": str(folder / "log"),
        "pidfile": str(folder / "pid"),
        "publish_port": ports[0],
    }
    kind = "master" if name == "m" else "minion"
    (folder / kind).write_text(json.dumps(own | more))
    return folder


def _started(program: str, folder: Path) -> subprocess.Popen[bytes]:
    # Salt runs with its own packages, whatever the tests run with.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.Popen(
        [str(Path(sys.executable).with_name(program)), "-c", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=clean,
        start_new_session=True,
    )


def _ended(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _master_options(base: Path, ret_port: int) -> dict[str, Any]:
    return {
        "interface": "127.0.0.1",
        "ret_port": ret_port,
        "auto_accept": True,
        "worker_threads": 3,
        "file_roots": {"base": [str(base / "states")]},
        "pillar_roots": {"base": [str(base / "pillar")]},
    }


def _lay_out(base: Path) -> None:
    for folder in ("states", "pillar", "project", "out"):
        (base / folder).mkdir()
    for name, text in STATES.items():
        (base / "states" / name).write_text(text)
    (base / "pillar" / "top.sls").write_text("base:\n  '*': [all]\n")
    os.mkfifo(base / "gate")
    forging = Path(__file__).with_name("forging.py")
    pillar = {
        "folder": str(base / "out"),
        "word": "hello",
        "password": "planted-in-pillar",
        "gate": str(base / "gate"),
        "forge": f"{sys.executable} {forging} {base / 'web1'} web2",
    }
    (base / "pillar" / "all.sls").write_text(json.dumps(pillar))
    fleet = {"fleet": {"engine": "salt", "config": str(base / "m" / "master")}}
    (base / "project" / "ensue.yaml").write_text(json.dumps(fleet))


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Generator[Fleet]:
    """Start a master and its minions; wait until all minions answer."""
    base = tmp_path_factory.mktemp("f")
    ports = _free_ports()
    _lay_out(base)
    master = _started("salt-master", _configured(base, "m", ports, _master_options(base, ports[1])))
    minions: dict[str, subprocess.Popen[bytes]] = {}
    for name in MINIONS:
        more = {
            "id": name,
            "master": "127.0.0.1",
            "master_port": ports[1],
            "grains": {"role": name.rstrip("0123456789")},
            "enable_fqdns_grains": False,
            "acceptance_wait_time": 1,
            "random_reauth_delay": 1,
            "recon_default": 200,
            "recon_randomize": False,
        }
        minions[name] = _started("salt-minion", _configured(base, name, ports, more))
    started = Fleet(base, minions)
    try:
        _wait_for_answers(started)
        yield started
    finally:
        for process in (*minions.values(), master):
            _ended(process)


def _wait_for_answers(fleet: Fleet) -> None:
    latest = time.monotonic() + 120
    while time.monotonic() < latest:
        # Each attempt takes as long as minions may be silent, so nothing has to pause between them.
        code, out, _ = fleet.run("fleet", "status", "--timeout", "3", "--out", "json")
        if code == 0 and len(json.loads(out)) == len(MINIONS):
            return
    pytest.fail("the minions do not answer")


if HAS_SALT:

    def test_the_highstate_of_each_minion_is_one_run(fleet: Fleet) -> None:
        """Each minion runs its own states with its own grains and pillar; a second run changes nothing."""
        for name in ("web1", "web2"):
            (fleet.base / "out" / name).unlink(missing_ok=True)
        code, first = fleet.document("apply", "--tgt", "G@role:web")
        assert code == 0
        assert sorted(first) == ["web1", "web2"]
        for name, returns in first.items():
            assert (fleet.base / "out" / name).read_text().strip() == "hello web"
            (one,) = returns.values()
            assert one["changes"]
            (block,) = one["delayed"]
            (two,) = block["returns"].values()
            assert two["changes"]["stdout"] == "(sensitive)"
        _, again = fleet.document("apply", "--tgt", "G@role:web")
        assert not any(one["changes"] for returns in again.values() for one in returns.values())
        code, out, _ = fleet.run("runs", "show", "last")
        assert code == 0
        assert "web1 one" in out
        assert "web2 two" in out
        found = [
            path
            for folder in ("m/cache/jobs", "project", "web1/cache/ensue")
            for path in (fleet.base / folder).rglob("*")
            if path.is_file() and b"planted-in-pillar" in path.read_bytes()
        ]
        assert found == []

    def test_a_plan_changes_nothing(fleet: Fleet) -> None:
        """A plan of a minion says what would change, and changes nothing."""
        target = fleet.base / "out" / "db1"
        target.unlink(missing_ok=True)
        code, out, err = fleet.run("plan", "--tgt", "db1", "--detailed-exitcode")
        assert code == 2, err
        assert "states: 1 to change, 0 unchanged" in out
        assert not target.exists()

    def test_minions_fail_each_for_itself(fleet: Fleet) -> None:
        """A failed state and an SLS that does not compile are reported by minion; the others go on."""
        code, out, err = fleet.run("apply", "--tgt", "*", "uneven")
        assert code == 2
        assert "web2:\n    broken (cmd.run), base/uneven.sls:3: exited 3: boom" in out
        assert "base/uneven.sls:7: there is no state function nope.function" in out
        assert "1 of 3 minions succeeded" in out
        assert "ensue: web2: 1 failed" in err

    def test_a_fail_limit_ends_the_batches(fleet: Fleet) -> None:
        """Once more minions than allowed have failed, no further minion is asked."""
        code, out, _ = fleet.run("apply", "--tgt", "*", "uneven", "--batch", "1", "--fail-limit", "0")
        assert code == 2
        assert "Not asked: web1, web2" in out

    def test_a_call_answers_by_minion(fleet: Fleet) -> None:
        """An execution function is called on each minion, and each answer is printed."""
        assert fleet.document("call", "web*", "cmd.run", "echo hi") == (0, {"web1": "hi", "web2": "hi"})
        code, said = fleet.document("call", "web1", "cmd.nope")
        assert code == 2
        assert "no execution function 'cmd.nope'" in said["web1"]

    def test_no_minion_matches(fleet: Fleet) -> None:
        """A target without minions is named, with exit code 2."""
        code, out, err = fleet.run("apply", "--tgt", "nobody*")
        assert (code, out) == (2, "")
        assert "E0845" in err
        assert fleet.document("call", "nobody*", "test.ping") == (2, {})

    def test_what_a_fleet_refuses(fleet: Fleet) -> None:
        """Pillar of the command line, limits without a target, and resuming are refused by name."""
        code, _, err = fleet.run("apply", "--tgt", "web1", "--pillar", "a=b")
        assert (code, "E0848" in err) == (1, True)
        for words in (
            ["apply", "--tgt", "web1", "--batch", "0"],
            ["call", "web1", "--batch", "x", "test.ping"],
        ):
            code, _, err = fleet.run(*words)
            assert (code, "E0104" in err) == (1, True)
        code, _, err = fleet.run("apply", "--tgt", "web1", "--follow")
        assert (code, "--follow" in err) == (1, True)
        code, _, err = fleet.run("apply", "--batch", "1")
        assert (code, "--tgt" in err) == (1, True)
        assert fleet.run("apply", "--tgt", "web1")[0] == 0
        code, _, err = fleet.run("runs", "resume", "last")
        assert (code, "minions of salt" in err) == (1, True)

    def test_a_silent_minion_delays_no_other(fleet: Fleet) -> None:
        """A stopped minion is reported as silent, with exit code 2; the others have done their part."""
        process = fleet.minions["web2"]
        os.killpg(process.pid, signal.SIGSTOP)
        try:
            code, said = fleet.document("call", "web*", "test.ping", "--timeout", "12")
        finally:
            os.killpg(process.pid, signal.SIGCONT)
        assert code == 2
        assert said["web1"] is True
        assert said["web2"] == "it does not answer (for 12 s; --timeout)"

    def test_a_minion_cannot_speak_for_another(fleet: Fleet) -> None:
        """Forged frames, ends, returns and lists of events change no result, and their sender is named."""
        code, out, err = fleet.run("apply", "--tgt", "web*", "hostile", "--out", "json")
        assert code == 0, err
        returns = json.loads(out)
        assert [one["new_state"]["stdout"] for one in returns["web2"].values()] == ["done"]
        assert [one["result"] for one in returns["web1"].values()] == [True]
        refused = [line for line in err.splitlines() if "E0875" in line]
        assert any("minion web1 sent 4 frames that are not its own" in line for line in refused), err
        assert any("minion web2 sent 8 frames that are not its own" in line for line in refused), err

    def test_a_run_has_a_deadline(fleet: Fleet) -> None:
        """A minion that works on at the deadline of a run is reported so, whatever signs of life it gives."""
        config = str(fleet.base / "m" / "master")
        with fleet.options(fleet={"engine": "salt", "config": config, "deadline_s": 8}):
            code, out, _ = fleet.run("apply", "--tgt", "web1", "slow", "--timeout", "4")
        (fleet.base / "gate").write_text("late")
        assert code == 2
        assert "it had not ended at the deadline of the run" in out

    def test_options_of_the_project_reach_minions(fleet: Fleet) -> None:
        """`failhard` of ensue.yaml holds on minions, and an option that cannot reach them is refused."""
        with fleet.options(failhard=True):
            _, out, _ = fleet.run("apply", "--tgt", "web1", "failing")
        assert "1 not run" in out
        assert "1 not run" not in fleet.run("apply", "--tgt", "web1", "failing")[1]
        with fleet.options(nodegroups={"a": "web*"}):
            code, _, err = fleet.run("apply", "--tgt", "web1", "failing")
        assert (code, "E0876" in err) == (1, True)

    def test_a_list_without_its_sign_is_refused(fleet: Fleet) -> None:
        """`web1,web2` matches nothing in Salt: the message has the form that is meant."""
        code, _, err = fleet.run("apply", "--tgt", "web1,web2")
        assert code == 1
        assert "write L@web1,web2" in err
        assert fleet.document("call", "L@web1,web2", "test.ping") == (0, {"web1": True, "web2": True})

    def test_a_reference_to_another_minion_runs_nothing(fleet: Fleet) -> None:
        """A reference across minions is refused, and no state of that SLS runs."""
        code, out, _ = fleet.run("apply", "--tgt", "web*", "elsewhere")
        assert code == 2
        assert "reads from another minion" in out
        assert not (fleet.base / "out" / "elsewhere").exists()
