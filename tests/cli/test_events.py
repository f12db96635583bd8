"""`--events`: the events of a run for programs, one JSON object per line."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from tests.cli.shell import Shell, command, environment

if TYPE_CHECKING:
    from pathlib import Path

SLS = """\
first:
  cmd.run:
    - name: echo planted-secret
secret:
  test.present:
    - new_state: {password: planted-secret}
    - sensitive: [password]
    - registers:
      - dummy:box-1: {}
    - delayed_render:
      - block: later
#!delayed_block later
late:
  test.nop:
    - tgt: T@dummy:*
#!end_delayed_block
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project whose run grows, registers, fans out and has a secret."""
    shell = Shell(tmp_path)
    shell.write("states/a.sls", SLS)
    return shell


def _checked(shell: Shell, text: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in text.splitlines()]
    schema = shell.run("schema", "events").document
    for line in lines:
        jsonschema.validate(line, schema)
    return lines


def test_events_are_lines_of_json(shell: Shell) -> None:
    """Each event is a line that fits the published schema; the results on stdout stay as they are."""
    done = shell.run("apply", "a", "--events", "events.jsonl", "--out", "json")
    assert (done.code, len(done.document)) == (0, 1), done.err
    text = (shell.root / "events.jsonl").read_text()
    lines = _checked(shell, text)
    kinds = [line["event"] for line in lines]
    assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")
    assert {"state_started", "scope_opened", "resource_registered", "state_fanned_out"} <= {*kinds}, kinds
    finished = {line["__id__"]: line for line in lines if line["event"] == "state_finished"}
    assert set(finished) == {"first", "secret", "box-1 late"}
    assert finished["secret"]["new_state"] == {"password": "(sensitive)"}
    assert "planted-secret" not in text
    assert lines[-1]["counts"]["changed"] >= 1


def test_events_of_a_part_name_what_is_left_out(shell: Shell) -> None:
    """States outside the chosen part have lines, too."""
    done = shell.run("plan", "a", "--only", "first", "--events", "-")
    excluded = [line["id"] for line in _checked(shell, done.out) if line["event"] == "state_excluded"]
    assert excluded == ["secret"]


def test_a_dash_is_stdout(shell: Shell) -> None:
    """With `-` stdout has the lines and nothing else."""
    done = shell.run("apply", "a", "--events", "-")
    assert done.code == 0
    assert _checked(shell, done.out)[-1]["event"] == "run_finished"


def test_lines_are_there_while_the_run_goes_on(shell: Shell) -> None:
    """A reader has the line of a state that has ended while another still runs."""
    os.mkfifo(shell.root / "gate")
    wait = f"wait:\n  cmd.run:\n    - name: cat gate\n    - cwd: {shell.root}\n"
    shell.write("states/b.sls", f"quick:\n  test.nop: []\n{wait}")
    running = shell.start("apply", "b", "--events", "-")
    assert running.stdout is not None
    while json.loads(running.stdout.readline())["event"] != "state_finished":
        pass
    with (shell.root / "gate").open("w"):
        pass
    out, _ = running.communicate()
    assert json.loads(out.splitlines()[-1])["event"] == "run_finished"


def test_a_resumed_run_has_events(shell: Shell) -> None:
    """`runs resume` writes the events of what it still does."""
    os.mkfifo(shell.root / "gate")
    text = f"quick:\n  test.nop: []\nwait:\n  cmd.run:\n    - name: cat {shell.root}/gate\n"
    shell.write("states/b.sls", text)
    running = shell.start("apply", "b", "--events", "-")
    assert running.stdout is not None
    while json.loads(running.stdout.readline())["event"] != "state_finished":
        pass
    running.kill()
    running.communicate()
    shell.write("states/b.sls", "quick:\n  test.nop: []\n")
    # The command of the killed run still waits for the gate.
    done = shell.run("runs", "resume", "--despite-running", "--events", "-")
    lines = _checked(shell, done.out)
    assert (lines[0]["event"], bool(lines[0]["resumes"]), lines[-1]["exit_code"]) == ("run_started", True, 0)


def test_a_file_that_cannot_be_written_is_refused(shell: Shell) -> None:
    """Nothing runs when the file cannot be opened; when it is full, the run goes on and exits with 2."""
    refused = shell.run("apply", "a", "--events", "absent/events.jsonl")
    assert refused.code not in {0, 2}
    assert "No such file or directory" in refused.err
    assert not [*(shell.root / ".ensue").rglob("*.jsonl")]
    full = shell.run("apply", "a", "--events", "/dev/full")
    assert "the events could not be written: No space left on device" in full.err
    assert full.code == 2


def test_text_that_is_not_unicode_does_not_end_the_run(shell: Shell) -> None:
    """A return with half of a character is an event like any other."""
    shell.write(
        "states/_states/odd.py",
        "def made(name):\n"
        "    changes = {'file': '\\udcff'}\n"
        "    return {'name': name, 'result': True, 'changes': changes, 'comment': 'is \\udcff'}\n",
    )
    shell.write("states/odd.sls", "half:\n  odd.made: []\nnext:\n  test.nop: []\n")
    done = shell.run("apply", "odd", "--events", "events.jsonl")
    assert done.code == 0, done.err
    lines = _checked(shell, (shell.root / "events.jsonl").read_text())
    finished = [line for line in lines if line["event"] == "state_finished"]
    assert [line["comment"] for line in finished] == ["is \\udcff", "Success!"]
    assert finished[0]["changes"] == {"file": "\\udcff"}


def test_a_closed_stdout_is_refused(shell: Shell) -> None:
    """With `-` and no stdout nothing runs."""
    line = ["sh", "-c", 'exec "$@" >&-', "sh", *command(), "apply", "a", "--events", "-"]
    done = subprocess.run(
        line, cwd=shell.root, env=environment(), stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode not in {0, 2}
    assert "Invalid value for --events: stdout is closed" in done.stderr
