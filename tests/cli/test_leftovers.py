"""What a run that is killed leaves in temporary files, the next apply removes; and nothing else."""

from __future__ import annotations

import json
import os
import pwd
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Shell

# The command says which file it was given through a named pipe, and ends when the test writes to another.
CHECKED = """
{target}/f:
  file.managed:
    - contents: new
    - check_cmd: "sh {root}/check"
    - tmp_dir: {target}
"""
ON_HOST = """
far:
  ssh_host.state_applied:
    - mods: [t]
"""
SCRIPTED = """
s:
  cmd.script:
    - source: salt://check
"""
CHECK = 'echo "${{1:-$0}}" > {root}/began; cat {root}/end > /dev/null\n'
TRAP = """
import os, signal
from ensue.core.model.returns import StateReturn
def at_the_replacing(ctx, name):
    def kill(*_): os.kill(os.getpid(), signal.SIGKILL)
    os.replace = kill
    return StateReturn(name=name, result=True)
FUNCTIONS = {"at_the_replacing": at_the_replacing}
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A folder with files of the user's own, two of them named as ensue names its own."""
    folder = tmp_path / "target"
    folder.mkdir()
    (folder / ".ensue-mine").write_text("mine")
    (folder / ".ensue-0123456789abcdef").write_text("mine")
    return folder


def kill_at_check(shell: Shell, *words: str) -> str:
    """Kill a run while the command of its state holds a temporary file; return that file's path."""
    for name in ("began", "end"):
        os.mkfifo(shell.root / name)
    shell.write("check", CHECK.format(root=shell.root))
    shell.write("states/check", "#!/bin/sh\n" + CHECK.format(root=shell.root))
    with shell.start(*words) as process:
        path = (shell.root / "began").read_text().strip()
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        # The command outlives ensue: it ends now.
        (shell.root / "end").write_text("")
    assert os.path.exists(path)  # noqa: PTH110 (a string)
    for name in ("began", "end"):
        (shell.root / name).unlink()
    shell.write("check", "")
    shell.write("states/check", "#!/bin/sh\n")
    return path


def own(target: Path) -> list[str]:
    return sorted(path.name for path in target.iterdir())


def notes(shell: Shell) -> list[str]:
    folder = shell.root / ".ensue/leftovers"
    return [path.name for path in folder.iterdir()] if folder.exists() else []


def test_a_file_that_was_being_checked_is_removed(shell: Shell, target: Path) -> None:
    """A plan leaves it, for it changes nothing; an apply removes it, and no file of the user's."""
    shell.write("states/t.sls", CHECKED.format(target=target, root=shell.root))
    left = kill_at_check(shell, "apply", "t")
    assert os.path.dirname(left) == str(target)  # noqa: PTH120 (a string)
    assert shell.run("plan", "good").code == 0
    assert os.path.exists(left)  # noqa: PTH110 (a string)
    assert shell.run("apply", "good").code == 0
    assert own(target) == [".ensue-0123456789abcdef", ".ensue-mine"]
    assert notes(shell) == []
    assert shell.run("apply", "t").code == 0
    assert own(target) == [".ensue-0123456789abcdef", ".ensue-mine", "f"]
    assert notes(shell) == []


def test_a_script_that_was_running_is_removed(shell: Shell) -> None:
    """The script of a killed `cmd.script` lies in /tmp, and is gone after the next apply."""
    shell.write("states/t.sls", SCRIPTED)
    left = kill_at_check(shell, "apply", "t")
    assert left.startswith("/tmp/.ensue-script-")
    assert shell.run("apply", "good").code == 0
    assert not os.path.exists(left)  # noqa: PTH110 (a string)


def test_a_half_replaced_file_is_removed(shell: Shell, target: Path) -> None:
    """A run that is killed between writing and replacing leaves the old file, and the new one for one run."""
    (target / "f").write_text("old")
    shell.write("states/_states/trap.py", TRAP)
    trap = "trap:\n  trap.at_the_replacing: []\n"
    shell.write("states/t.sls", f"{trap}{target}/f:\n  file.managed:\n    - contents: new\n")
    assert shell.run("apply", "t").code == -signal.SIGKILL
    assert ((target / "f").read_text(), len(own(target))) == ("old", 4)
    assert len(notes(shell)) == 1
    assert shell.run("apply", "good").code == 0
    assert own(target) == [".ensue-0123456789abcdef", ".ensue-mine", "f"]
    assert ((target / "f").read_text(), notes(shell)) == ("old", [])


def test_what_a_run_that_lives_has_is_left_alone(shell: Shell, target: Path) -> None:
    """A call beside an apply keeps its temporary files."""
    for name in ("began", "end"):
        os.mkfifo(shell.root / name)
    shell.write("states/check", "#!/bin/sh\n" + CHECK.format(root=shell.root))
    with shell.start("call", "web-01", "cmd.script", "salt://check") as process:
        path = (shell.root / "began").read_text().strip()
        assert shell.run("apply", "good").code == 0
        assert os.path.exists(path)  # noqa: PTH110 (a string)
        (shell.root / "end").write_text("")
        process.communicate()
    assert not os.path.exists(path)  # noqa: PTH110 (a string)
    assert notes(shell) == []
    assert own(target) == [".ensue-0123456789abcdef", ".ensue-mine"]


@pytest.mark.openssh
@pytest.mark.parametrize("files", ["sftp", "shell"])
def test_a_host_is_tidied_when_its_files_are_next_worked_on(
    shell: Shell, target: Path, tmp_path: Path, files: str
) -> None:
    """An apply that does not touch the host keeps the note; the next one that does removes the file."""
    with running_sshd(tmp_path / "sshd", user=pwd.getpwuid(os.geteuid()).pw_name) as server:
        declared = {"ssh_host": {"far": server.config(files=files)}}
        shell.write("pillar/data.sls", f"resources: {json.dumps(declared)}\n")
        shell.write("states/t.sls", CHECKED.format(target=target, root=shell.root))
        shell.write("states/far.sls", ON_HOST)
        left = kill_at_check(shell, "apply", "far")
        assert shell.run("apply", "good").code == 0
        assert os.path.exists(left)  # noqa: PTH110 (a string)
        assert len(notes(shell)) == 1
        assert shell.run("apply", "far").code == 0
        assert own(target) == [".ensue-0123456789abcdef", ".ensue-mine", "f"]
        assert notes(shell) == []


def test_half_written_files_of_the_store_are_removed(shell: Shell) -> None:
    """What a killed process left beside the key or the store goes, that of one which lives stays."""
    assert shell.run("apply", "good").code == 0
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    folder = shell.root / ".ensue"
    dead = [folder / f".{name}.{gone.pid}.01234567" for name in ("key", "store.db", "enforced.db", "copy")]
    living, own_file = folder / f".store.db.{os.getpid()}.01234567", folder / ".notes.txt.bak"
    for path in (*dead, folder / f".store.db.{gone.pid}.01234567-wal", living, own_file):
        path.write_text("half")
    assert shell.run("apply", "good").code == 0
    hidden = [path for path in folder.iterdir() if path.name.startswith(".")]
    assert sorted(hidden) == sorted([living, own_file])
