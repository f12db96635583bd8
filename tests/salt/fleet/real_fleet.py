"""A real Salt master and its minions, all of them processes of this machine, for tests."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    # web2 waits until web1 has sent its forged messages.
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
    "token.sls": """\
{% if grains['id'] == 'db1' %}
made:
  cmd.run:
    - name: echo made
token:
  test.present:
    - new_state: {value: {{ salt['cmd.shell']('head -c 16 /dev/urandom | od -An -tx1 | tr -dc a-f0-9') }}x}
    - sensitive: [value]
{% else %}
use:
  file.managed:
    - name: {{ pillar['folder'] }}/{{ grains['id'] }}.token
    - contents: ${minion[db1]:cmd:made:stdout}=${minion[db1]:test:token:value}
{% endif %}
""",
    "notoken.sls": """\
{% if grains['id'] == 'db1' %}
token:
  cmd.run:
    - name: echo no entropy >&2; exit 3
{% else %}
use:
  test.nop:
    - require:
      - 'minion[db1]': {cmd: token}
other:
  test.nop: []
{% endif %}
""",
    "circle.sls": """\
before:
  file.touch:
    - name: {{ pillar['folder'] }}/circle
    - unless: test {{ grains['id'] }} = web2
{% if grains['id'] == 'db1' %}
here:
  test.present:
    - new_state: ${minion[web1]:test:there:}
{% elif grains['id'] == 'web1' %}
there:
  test.present:
    - new_state: ${minion[db1]:test:here:}
{% endif %}
""",
    "reversed.sls": """\
{% if grains['id'] == 'web2' %}
made:
  cmd.run:
    - name: echo made
{% elif grains['id'] == 'db1' %}
use:
  test.present:
    - new_state: ${minion[web2]:cmd:made:stdout}
{% else %}
other:
  test.nop: []
{% endif %}
""",
    "gated.sls": """\
{% if grains['id'] == 'db1' %}
made:
  cmd.run:
    - name: cat {{ pillar['gate'] }}
{% elif grains['id'] == 'web1' %}
use:
  test.present:
    - new_state: ${minion[db1]:cmd:made:stdout}
{% endif %}
""",
    "keep.sls": """\
tool:
  file.managed:
    - name: {{ pillar['folder'] }}/tool.sh
    - source: salt://tool.sh
    - mode: keep
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
        ports: those of the master.
        programs: the process of the master, as `m`.
    """

    base: Path
    minions: dict[str, subprocess.Popen[bytes]]
    ports: tuple[int, int]
    programs: dict[str, subprocess.Popen[bytes]]

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command of ensue in the project."""
        done = subprocess.run(
            [sys.executable, "-m", "ensue", "--root", str(self.base / "project"), *words],
            text=True,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def begun(self, *words: str) -> subprocess.Popen[str]:
        """Start a command of ensue in the project."""
        return subprocess.Popen(
            [sys.executable, "-m", "ensue", "--root", str(self.base / "project"), *words],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def told(self, run_id: str, jid: str, minion: str) -> Any:
        """Send a message of an unknown kind to the ensue that runs a job; return Salt's return."""
        program = Path(__file__).with_name("telling.py")
        command = [sys.executable, program, self.base, run_id, jid, minion]
        done = subprocess.run(command, text=True, capture_output=True, check=True)
        return json.loads(done.stdout)

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

    def forget(self, minion: str) -> None:
        """Delete the key of a minion that is gone."""
        command = [Path(sys.executable).with_name("salt-key"), "-c", self.base / "m", "-y", "-d", minion]
        subprocess.run(command, check=True, capture_output=True)

    def document(self, *words: str) -> tuple[int, Any]:
        """Run a command with `--out json`."""
        code, out, err = self.run(*words, "--out", "json")
        assert out, err
        return code, json.loads(out)


def free_ports() -> tuple[int, int]:
    """Return two ports that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        return first.getsockname()[1], second.getsockname()[1]


def configured(base: Path, name: str, ports: tuple[int, int], more: dict[str, Any]) -> Path:
    """Write the configuration of a master or minion; return its folder."""
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


def started(program: str, folder: Path, *before: str) -> subprocess.Popen[bytes]:
    """Start a program of Salt with a configuration folder; `guard` ends it if this process ends first."""
    guard = Path(__file__).with_name("guard.py")
    # Salt runs with its own packages, whatever the tests run with.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.Popen(
        [
            *(sys.executable, guard),
            *(*before, str(Path(sys.executable).with_name(program)), "-c", str(folder)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=clean,
        start_new_session=True,
    )


def restarted(program: str, folder: Path, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """Kill a program of Salt, and start it again."""
    ended(process)
    # Salt considers itself running because of these files, until its killed processes are reaped.
    for name in ("pid", "process_responsibility_pid"):
        (folder / name).unlink(missing_ok=True)
    return started(program, folder)


def ended(process: subprocess.Popen[bytes]) -> None:
    """Kill a program of Salt and its children."""
    with process:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def master_options(base: Path, ret_port: int) -> dict[str, Any]:
    """Return the options of the master."""
    return {
        "interface": "127.0.0.1",
        "ret_port": ret_port,
        "auto_accept": True,
        "worker_threads": 3,
        "file_roots": {"base": [str(base / "states")]},
        "pillar_roots": {"base": [str(base / "pillar")]},
    }


def minion_options(name: str, ports: tuple[int, int]) -> dict[str, Any]:
    """Return the options of a minion."""
    return {
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


def lay_out(base: Path) -> None:
    """Write states, pillar and the project."""
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


@contextmanager
def awaited_starts(base: Path, *minions: str) -> Generator[None]:
    """Begin once the master answers; in the end, wait until Salt has reported the start of minions."""
    program = Path(__file__).with_name("awaiting.py")
    command = [sys.executable, program, base / "m" / "master"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "\n", "the master does not answer"
            yield
            missing = set(minions)
            while missing:
                line = process.stdout.readline()
                assert line, f"these minions do not start: {missing}"
                missing.discard(line.removesuffix("\n"))
        finally:
            process.kill()


def check_answers(fleet: Fleet, target: str, count: int) -> None:
    """Check that so many minions of a target answer; one that was just connecting is asked again."""
    code, out, err = fleet.run("fleet", "status", target, "--timeout", "20", "--out", "json")
    assert (code, len(json.loads(out or "{}"))) == (0, count), (out, err)
