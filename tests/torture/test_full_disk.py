"""Runs whose records have no room on a small real file system: they fail, report what ran, and are resumed.

The cachedir is a tmpfs in a mount namespace. A filler leaves a given room in it, and the length of the
project's path shifts every line of the journal.
`ENSUE_TORTURE_ROUNDS` says how many places there are; from 50 on, every page is one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Ended, Shell, command, environment
from tests.support.chance import chance_of
from tests.torture.project import WHOLE, TortureProject

from ensue.core.model.events import NodeFinished, RunFinished
from ensue.store.runs.run_history import list_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "3"))
IS_LONG = ROUNDS >= 50
TMPFS_KIB = 1024
NEEDED_KIB = 280
"""What a whole run takes, at most."""
WITH_RESERVE_KIB = 80
"""With so much room at its start, a run has the reserve."""

_CHANCE = chance_of(__name__)

ROOMS = [
    (room_kib, shift)
    for room_kib in range(0, NEEDED_KIB, 4)
    for shift in _CHANCE.sample(range(1, 60), 2 if IS_LONG else 1)
]
CASES = ROOMS if IS_LONG else _CHANCE.sample(ROOMS, 6)

pytestmark = pytest.mark.namespace

RUN = """
set -e
mkdir .ensue && mount -t tmpfs -o size={size}k tmpfs .ensue
dd if=/dev/zero of=.ensue/filler bs=1k count={filler} status=none
code=0; {command} apply t --out json > out 2> err || code=$?
rm .ensue/filler
cp -a .ensue kept
exit $code
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a run comes to that nothing disturbs."""
    project = TortureProject(tmp_path_factory.mktemp("undisturbed"))
    undisturbed = project.results(project.shell.run("apply", "t", "--out", "json"))
    project.close()
    return undisturbed


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[int], TortureProject]]:
    """Makes a project in a folder whose name has a given length."""
    made: list[TortureProject] = []

    def one(length: int) -> TortureProject:
        folder = tmp_path / ("p" * length)
        folder.mkdir()
        made.append(TortureProject(folder))
        return made[-1]

    yield one
    for project in made:
        project.close()


def ended_in_namespace(project: TortureProject, script: str) -> Ended:
    """Run a script in a mount namespace of its own, and copy back the cachedir that it has kept."""
    project.shell.write("full", script)
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "full"],
        cwd=project.root,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    project.cachedir.rmdir()
    shutil.move(project.root / "kept", project.cachedir)
    out, err = ((project.root / name).read_text() for name in ("out", "err"))
    return Ended(code=done.returncode, out=out, err=err)


def check_stopped(project: TortureProject, ended: Ended, *, has_reserve: bool) -> None:
    """Check that exit code, report and journal of a run that was stopped agree on what ran."""
    log = project.root / "log"
    if ended.code == 1:
        assert not log.exists(), "it ran something, and says that nothing ran"
        return
    assert ended.code == 2, ended.err
    assert "Traceback" not in ended.err
    assert "internal error" not in ended.err
    assert "make room" in ended.err
    if not has_reserve:
        return
    events = read_run(project.cachedir, "last")
    last = events[-1]
    assert isinstance(last, RunFinished), "the journal has no end"
    assert (last.status, last.exit_code, bool(last.stopped)) == ("failed", 2, True)
    assert list_runs(project.cachedir)[0].status == "failed"
    returns = json.loads(ended.out)["m1"]
    top = {
        event.returned.tag for event in events if isinstance(event, NodeFinished) and not event.returned.scope
    }
    assert returns.keys() == top
    finished = [event for event in events if isinstance(event, NodeFinished) and event.returned.ran]
    lines = log.read_text().split() if log.exists() else []
    assert len(lines) <= len(finished)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount and fill a file system")
@pytest.mark.parametrize(("room_kib", "shift"), CASES)
def test_a_disk_that_gets_full(
    make: Callable[[int], TortureProject], results: Any, room_kib: int, shift: int
) -> None:
    """At whatever byte it gets full, the run reports what ran, and with room again only the rest is run."""
    project = make(shift)
    script = RUN.format(size=TMPFS_KIB, filler=TMPFS_KIB - room_kib, command=" ".join(command()))
    ended = ended_in_namespace(project, script)
    if ended.code == 0:
        project.check(ended, results)
        return
    check_stopped(project, ended, has_reserve=room_kib >= WITH_RESERVE_KIB)
    words = ("apply", "t") if ended.code == 1 else ("runs", "resume")
    project.check(project.shell.run(*words, "--out", "json"), results)
    assert project.log().total() <= sum(WHOLE.values()) + 1


SMALL = """
set -e
mkdir small .ensue && mount -t tmpfs -o size={size}k tmpfs small
run() {{
    {command} "$@" --out json > out.$step 2> err.$step || code=$?
    echo ${{code:-0}} > code.$step
    code=
}}
step=1; run {first}
mount -o remount,rw,size=4m small
step=2; run {second}
"""


def steps(shell: Shell, script: str) -> list[Ended]:
    """Run a script of two commands in a mount namespace of its own."""
    shell.write("full", script)
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "full"], cwd=shell.root, env=environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")

    def content(name: str, step: int) -> str:
        return (shell.root / f"{name}.{step}").read_text()

    return [
        Ended(code=int(content("code", step)), out=content("out", step), err=content("err", step))
        for step in (1, 2)
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount and fill a file system")
def test_a_store_that_finds_no_room(tmp_path: Path) -> None:
    """The state that cannot register fails, nothing else starts, and the resumed run registers."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", f"id: m\nstore_url: sqlite:///{tmp_path}/small/store.db\n")
    shell.write(
        "states/t.sls",
        f"""
one:
  cmd.run:
    - name: echo one >> {tmp_path}/log
box:
  cmd.run:
    - name: echo box >> {tmp_path}/log
    - registers:
      - minion:b: {{root: /}}
last:
  cmd.run:
    - name: echo last >> {tmp_path}/log
""",
    )
    script = SMALL.format(size=16, command=" ".join(command()), first="apply t", second="runs resume")
    stopped, resumed = steps(shell, script)
    assert stopped.code == 2, stopped.err
    assert "error[E0111]: the run was stopped" in stopped.err
    assert "small/store.db" in stopped.err
    assert [returned["result"] for returned in stopped.document["m"].values()] == [True, False]
    assert "not run: last (cmd.run)" in stopped.err
    assert resumed.code == 0, resumed.err
    assert (tmp_path / "log").read_text().split() == ["one", "box", "box", "last"]


DRIVER = '''
"""Writes down each thing that it makes, once its name is kept."""

from ensue.plugin import Planned, Provisioned


async def create(request):
    await request.services.keep({"name": request.guresid})
    with open(request.root / "made", "a") as log:
        log.write(f"{request.guresid}\\n")
    return Provisioned(values={"name": request.guresid, "text": "x" * 6000})


async def update(request):
    return Provisioned(values={"name": request.guresid, "text": "x" * 6000}, changed=False)


async def delete(request):
    pass


async def plan(request):
    return Planned()
'''

DEFINITIONS = """\
kind: Definition
metadata: {id: thing}
entity: {type: thing, driver_type: thing, criteria: [{}]}
---
kind: Definition
metadata: {id: any-workload}
entity: {type: workload, driver_type: echo, criteria: [{}]}
"""
THINGS = 40


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount and fill a file system")
@pytest.mark.parametrize("size_kib", _CHANCE.sample(range(120, 400), 20 if IS_LONG else 1))
def test_a_deployment_that_finds_no_room(tmp_path: Path, size_kib: int) -> None:
    """It stops, reports what was provisioned, and the next deployment makes only the rest.

    Where not even an empty store fits, nothing is provisioned.
    """
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", f"id: m\nstore_url: sqlite:///{tmp_path}/small/store.db\n")
    shell.write("states/_drivers/thing.py", DRIVER)
    shell.write("definitions/all.yaml", DEFINITIONS)
    things = "".join(f"  w{n}: {{externals: {{thing: {{type: thing}}}}}}\n" for n in range(THINGS))
    shell.write("set.yaml", f"modules:\n{things}")
    deploy = "deploy set.yaml --app shop --env dev --env-type development --concurrency 2"
    script = SMALL.format(size=size_kib, command=" ".join(command()), first=deploy, second=deploy)
    stopped, again = steps(shell, script)
    assert "the disk" in stopped.err
    if stopped.code == 1:
        assert "nothing was changed" in stopped.err
        assert size_kib < 165
    else:
        assert stopped.code == 2, stopped.err
        nodes = stopped.document["nodes"]
        assert 0 < sum(node["status"] == "created" for node in nodes) < 2 * THINGS
    assert again.code == 0, again.err
    made = (tmp_path / "made").read_text().split()
    assert len(set(made)) == THINGS
    assert len(made) <= THINGS + 2, "only what was being made when the disk got full is looked for again"
