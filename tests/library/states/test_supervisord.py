"""State module `supervisord` with a real supervisor, whose programs are `cat`."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.library.states import supervisord
from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.long

needs_supervisor = pytest.mark.skipif(
    shutil.which("supervisord") is None, reason="needs supervisor: apt-get install supervisor"
)
CONFIGURATION = """\
[unix_http_server]
file={folder}/socket
[supervisord]
nodaemon=true
logfile={folder}/log
pidfile={folder}/pid
childlogdir={folder}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://{folder}/socket
[program:web]
command=cat
autostart=false
startsecs=0
[group:pair]
programs=a,b
[program:a]
command=cat
startsecs=0
[program:b]
command=cat
autostart=false
startsecs=0
"""
ANOTHER = """\
[program:later]
command=cat
startsecs=0
"""


@contextmanager
def supervising(folder: Path) -> Iterator[Path]:
    """Run a supervisor until the end; yield its configuration."""
    path = folder / "supervisord.conf"
    path.write_text(CONFIGURATION.format(folder=folder), encoding="utf-8")
    command = ["supervisord", "--configuration", path]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env=env) as process:
        assert process.stdout is not None
        # It says this once its socket is there.
        assert any("started with pid" in line for line in process.stdout)
        try:
            yield path
        finally:
            process.terminate()
            process.stdout.read()


@needs_supervisor
def test_programs_run_and_end(tmp_path: Path) -> None:
    """A program, a group of which one runs already, and a program that is new in the configuration."""
    here = MinionConnection(HERE)
    with supervising(tmp_path) as path:
        given = {"conf_file": str(path)}
        planned, done = thrice("supervisord.running", here, "web", **given)
        assert (planned.result, planned.comment) == (None, "Service web will be started")
        assert (done.changes, done.comment) == ({"web": "Starting service: web"}, "Starting service: web")
        planned, done = thrice("supervisord.running", here, "pair:*", **given)
        assert planned.comment == "The following services will be started: pair:b"
        assert done.changes == {"pair:": "Starting group: pair:"}
        restarted = state("supervisord.mod_watch", context(here), "web", **given)
        assert restarted.changes == {"web": "Restarting service: web"}
        stopped = state("supervisord.mod_watch", context(here), "pair:b", sfun="dead", **given)
        assert stopped.changes == {"pair:b": "Stopping service: pair:b"}
        assert supervisord.MOD_WATCH is supervisord.mod_watch
        path.write_text(path.read_text(encoding="utf-8") + ANOTHER, encoding="utf-8")
        planned, done = thrice("supervisord.running", here, "later", **given)
        assert planned.comment == "Service later will be added and started"
        assert done.changes == {"later": "Adding service: later"}
        assert execute("supervisord.status_bool", context(here), "later", "RUNNING", **given) is True
        assert execute("supervisord.options", context(here), "web", **given)["autostart"] is False
        planned, done = thrice("supervisord.dead", here, "pair:", **given)
        assert done.changes == {"pair:": "Stopping service: pair:"}
        unknown = state("supervisord.running", context(here), "nothing", **given)
        assert (unknown.result, "ERROR" in unknown.comment) == (False, True)
        unknown = state("supervisord.dead", context(here), "nothing", **given)
        assert unknown.comment == "Service nothing doesn't exist"


@needs_supervisor
def test_a_supervisor_that_does_not_answer_is_no_supervisor_without_programs(tmp_path: Path) -> None:
    """The state fails and says what supervisorctl says."""
    path = tmp_path / "supervisord.conf"
    path.write_text(CONFIGURATION.format(folder=tmp_path), encoding="utf-8")
    failed = state("supervisord.dead", context(MinionConnection(HERE)), "web", conf_file=str(path))
    assert (failed.result, "supervisorctl status: " in failed.comment) == (False, True)
