"""What is kept of a long output: once and bounded in journal and enforced state, all of it within a run."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

LENGTH = 5000
BIG = f"""
big:
  cmd.run:
    - name: {{{{ "head -c {LENGTH} /dev/zero | tr '\\\\0' x" | yaml_dquote }}}}
    - creates: {{{{ opts.root_dir }}}}/made
"""
CONSUMER = """
seen:
  file.managed:
    - name: {{ opts.root_dir }}/seen
    - contents: ${cmd:big:stdout}
"""
TRAP = """
trap:
  step.trap:
    - require: [{cmd: big}]
    - require_in: [{file: seen}]
"""
STEP = '''
"""A state that ends its process once."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn


def trap(ctx, name):
    trap = Path(ctx.opts["root_dir"]) / "trap"
    if trap.exists():
        trap.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return StateReturn(name=name, result=True)


FUNCTIONS = {"trap": trap}
'''


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project that keeps 1,000 bytes of an output of 5,000."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: web-01\nkeep_output_bytes: 1000\n")
    shell.write("states/big.sls", BIG)
    shell.write("states/seen.sls", CONSUMER)
    shell.write("states/both.sls", "include: [big, seen]\n")
    return shell


def journal_line(project: Shell) -> dict[str, Any]:
    """Return the line of the state `big` in the newest journal."""
    path = max(project.root.rglob("runs/*.jsonl"))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return next(line for line in lines if line.get("returned", {}).get("id") == "big")


def test_a_run_sees_all_of_it_and_keeps_the_beginning(project: Shell) -> None:
    """Report and references have the whole output; journal and enforced state a part, with a warning."""
    done = project.run("apply", "both", "--out", "json")
    assert done.code == 0, done.err
    assert (project.root / "seen").read_text().count("x") == LENGTH
    assert done.out.count("x" * LENGTH) >= 1
    assert "E0721" in done.err
    assert done.err.count("'big' (stdout 3.9 KiB)") == 1
    note = "[… 3.9 KiB left out (keep_output_bytes)]"
    line = journal_line(project)
    assert line["exact"] is False
    assert line["returned"]["changes"]["stdout"] == f"{'x' * 1000}\n{note}"
    assert line["returned"]["new_state"]["stdout"] is None
    assert "stdout" in line["shared"]
    kept = project.run("show", "enforced", "--out", "json").document
    entry = next(returned for tag, returned in kept["web-01"].items() if "|-big_|" in tag)
    assert entry["new_state"]["stdout"] == f"{'x' * 1000}\n{note}"


def test_what_is_short_is_kept_whole(project: Shell) -> None:
    """Nothing is told, and the return can be taken over."""
    project.write("ensue.yaml", "id: web-01\n")
    done = project.run("apply", "both")
    assert (done.code, "E0721" in done.err) == (0, False)
    assert journal_line(project).get("exact", True)


def test_a_resumed_run_calls_the_state_again(project: Shell) -> None:
    """What is bound to it sees the whole output, although the journal of the killed run has a part."""
    project.write("states/_states/step.py", STEP)
    project.write("states/both.sls", "include: [big, seen]\n" + TRAP)
    project.write("trap", "")
    assert project.run("apply", "both").code == -signal.SIGKILL
    assert journal_line(project)["exact"] is False
    assert not (project.root / "seen").exists()
    done = project.run("runs", "resume")
    assert done.code == 0, done.err
    assert (project.root / "seen").read_text().count("x") == LENGTH


def test_a_later_run_refuses_to_read_a_part(project: Shell) -> None:
    """A producer that is in no SLS of the run is refused before anything runs; its other values are there."""
    assert project.run("apply", "big").code == 0
    done = project.run("apply", "seen")
    assert done.code not in {0, 2}
    assert "E0720" in done.err
    assert "${cmd:big:stdout}" in done.err
    assert "keep_output_bytes" in done.err
    project.write("states/seen.sls", CONSUMER.replace("stdout", "retcode"))
    assert project.run("apply", "seen").code == 0


def test_a_skipped_producer_does_not_give_a_part(project: Shell) -> None:
    """The state that is bound to it fails, and so does a delayed block that prints the output."""
    assert project.run("apply", "big").code == 0
    (project.root / "made").touch()
    done = project.run("apply", "both")
    assert done.code == 2
    assert "'stdout' of what the last apply enforced was cut" in done.out + done.err
    assert not os.path.lexists(project.root / "seen")
    block = "#!delayed_block show\nx:\n  test.nop:\n    - name: {{ prev_ret.new_state.stdout | length }}\n"
    project.write(
        "states/big.sls", f"{BIG}    - delayed_render: [{{block: show}}]\n{block}#!end_delayed_block show\n"
    )
    done = project.run("apply", "big")
    assert done.code == 2
    assert "'big' was skipped, and stdout of its new_state was cut (keep_output_bytes)" in done.out + done.err
