"""A run that resumes another takes over what each scope made, whatever order the scopes have now."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Ended

STATES = '''
"""A state whose every call gives another token, and one that ends the process at its last call."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn


def token(ctx, name):
    calls = Path(ctx.opts["root_dir"]) / "calls"
    with calls.open("a") as file:
        file.write("x")
    number = len(calls.read_text())
    return StateReturn(name=name, result=True, changes={"token": number}, new_state={"v": number})


def stop(ctx, name):
    trap = Path(ctx.opts["root_dir"]) / "trap"
    if trap.exists():
        left = int(trap.read_text()) - 1
        trap.write_text(str(left))
        if not left:
            trap.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
    return StateReturn(name=name, result=True)


FUNCTIONS = {"token": token, "stop": stop}
'''

SLS = """
caller:
  test.nop:
    - names: [NAMES]
    - delayed_render: [block: b]
#!delayed_block b delayed_repeat_limit=None
token:
  step.token:
    - creates: {{ opts['root_dir'] }}/made-{{ prev_ret.name }}
touch {{ opts['root_dir'] }}/made-{{ prev_ret.name }}:
  cmd.run: []
stop:
  step.stop: []
read {{ prev_ret.name }}:
  test.show_notification:
    - text: has ${step:token:v}
#!end_delayed_block
"""


def read(ended: Ended) -> dict[str, str]:
    """Return what each reader says."""
    comments: dict[str, str] = {}
    for returned in ended.document["m"].values():
        for entry in returned.get("delayed", ()):
            comments |= {reader["__id__"]: reader["comment"] for reader in entry["returns"].values()}
    return {id_: comment for id_, comment in comments.items() if id_.startswith("read ")}


def test_each_scope_takes_over_its_own_values(tmp_path: Path) -> None:
    """After kill -9 in the second of two scopes, each has its own token in a resumed run and after it."""
    project = Shell(tmp_path)
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/step.py").write_text(STATES)
    sls = tmp_path / "states/t.sls"
    sls.write_text(SLS.replace("NAMES", "x, y"))
    (tmp_path / "trap").write_text("2")
    assert project.run("apply", "t", "--id", "m").code == -signal.SIGKILL
    sls.write_text(SLS.replace("NAMES", "y, x"))
    expected = {"read y": "has 2", "read x": "has 1"}
    (run,) = [path.stem for path in (tmp_path / ".ensue/runs").glob("*.jsonl")]
    assert read(project.run("runs", "resume", run, "--id", "m", "--out", "json")) == expected
    for verb in ("plan", "apply"):
        assert read(project.run(verb, "t", "--id", "m", "--out", "json")) == expected
    assert (tmp_path / "calls").read_text() == "xx"
