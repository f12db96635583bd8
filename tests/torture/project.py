"""A project with every kind of state that a resumed run has to treat correctly, whose effects are counted.

Each state appends its name to `log` and reports it in the named pipe `progress`; the state `gate` waits for
a line in the named pipe `gate`. So a test knows how far a run is, without a clock.
"""

from __future__ import annotations

import json
import os
import select
import sqlite3
import time
from collections import Counter
from contextlib import ExitStack, closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.cli.shell import Ended, Shell

from ensue.core.model.events import CommandStarted, NodeFinished, NodeStarted
from ensue.store.runs import journal_form
from ensue.store.runs.lock import project_lock
from ensue.store.runs.process_marks import process_mark
from ensue.store.runs.run_history import list_runs, read_run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


STATES = '''
"""A state that leaves a line, and ends its process where a trap is set for it, before or after that."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn


def done(ctx, name, word=""):
    root = Path(ctx.opts["root_dir"])
    own = name if ctx.srn.id == "m1" else f"{name}-{ctx.srn.id}"
    trap = root / "trap"
    trapped = trap.exists() and trap.read_text()
    if trapped == f"before {own}":
        trap.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    for file, line in (("log", f"{own}\\n"), ("progress", ".\\n")):
        descriptor = os.open(root / file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, line.encode())
        os.close(descriptor)
    if trapped == f"after {own}":
        trap.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return StateReturn(name=name, result=True, changes={"made": own}, new_state={"word": word or own})


FUNCTIONS = {"done": done}
'''

SLS = """
shell:
  cmd.run:
    - name: echo shell >> {root}/log; echo . > {root}/progress
gate:
  cmd.run:
    - name: echo gate >> {root}/log; echo . > {root}/progress; read line < {root}/gate
box:
  cmd.run:
    - name: echo box >> {root}/log; echo . > {root}/progress
    - registers:
      - minion:b3: {{root: /}}
conf:
  file.managed:
    - name: {root}/conf
    - source: salt://conf.j2
    - template: jinja
    - context: {{word: "${{step:made:word}}"}}
made:
  step.done:
    - delayed_render:
        - block: one
    - require_in: [{{file: conf}}]
heard:
  step.done:
    - onchanges: [{{step: made}}]
    - word: ${{step:made:word}}
each:
  step.done:
    - tgt: T@minion:b*
    - delayed_render:
        - block: late
secret:
  cmd.run:
    - name: echo secret >> {root}/log; echo . > {root}/progress
    - env:
        - PASSWORD: {{{{ pillar.db.password }}}}
last:
  cmd.run:
    - name: echo last >> {root}/log; echo . > {root}/progress
    - listen: [{{step: made}}]
#!delayed_block one
inner:
  step.done:
    - word: {{{{ prev_ret.changes.made }}}} {{{{ prev_ret.new_state.word }}}}
    - delayed_render:
        - block: two
        - sls: more
innermost:
  cmd.run:
    - name: echo innermost >> {root}/log; echo . > {root}/progress
#!delayed_block two
deep:
  cmd.run:
    - name: echo deep >> {root}/log; echo . > {root}/progress
deeper:
  step.done:
    - word: {{{{ prev_ret.new_state.word }}}}
#!end_delayed_block two
#!end_delayed_block one
#!delayed_block late delayed_repeat_limit=None
late:
  step.done:
    - word: {{{{ prev_ret.new_state.word }}}}
#!end_delayed_block late
"""

MORE = """
more:
  step.done:
    - word: {{ prev_ret['__id__'] }}
"""

TRAPPED = ("made", "inner", "deeper", "more", "heard", "each-b1", "each-b2", "each-b3", "late-b2", "late-b3")
"""States that can end their process; in the order in which they run."""

COMMANDS = ("shell", "gate", "box", "innermost", "deep", "secret", "last")
WHOLE = {**dict.fromkeys((*COMMANDS, *TRAPPED, "late-b1"), 1), "last": 2}
"""What `log` has after a run that nothing disturbed; `last` is called once more because it listens."""

_LONGEST_S = 300.0
_RUNS_AT_MOST = 8


class TortureProject:
    """The project, and runs of it.

    Args:
        root: its folder.
        gate_open: whether `gate` lets every run pass at once.
    """

    def __init__(self, root: Path, *, gate_open: bool = True) -> None:
        self.root = root
        self.cachedir = root / ".ensue"
        self.shell = Shell(root)
        self._stack = ExitStack()
        self.shell.write("ensue.yaml", "id: m1\n")
        self.shell.write("pillar/top.sls", "base: {m1: [data]}\n")
        self.shell.write(
            "pillar/data.sls",
            "port: 80\ndb: {password: correct-horse-battery}\n"
            "resources: {minion: {b1: {root: /}, b2: {root: /}}}\n",
        )
        self.shell.write("states/_states/step.py", STATES)
        self.shell.write("states/t.sls", SLS.format(root=root))
        self.shell.write("states/more.sls", MORE)
        self.shell.write("states/conf.j2", "{{ pillar.port }} {{ grains.id }} {{ word }}\n")
        self._progress = self._pipe("progress")
        self._gate = self._pipe("gate")
        if gate_open:
            self.open_gate(_RUNS_AT_MOST)

    def _pipe(self, name: str) -> int:
        os.mkfifo(self.root / name)
        # It is open for reading and writing, so that neither side lacks the other.
        descriptor = os.open(self.root / name, os.O_RDWR)
        self._stack.callback(os.close, descriptor)
        return descriptor

    def close(self) -> None:
        """Give back the pipes."""
        self._stack.close()

    def open_gate(self, times: int = 1) -> None:
        """Let so many runs pass."""
        os.write(self._gate, b"go\n" * times)

    def wait_for(self, count: int, process: subprocess.Popen[bytes]) -> bool:
        """Wait until so many further states have left their lines; False when the process ended before."""
        ended = os.pidfd_open(process.pid)
        try:
            while count > 0:
                ready, _, _ = select.select([self._progress, ended], [], [], _LONGEST_S)
                assert ready, "the run neither goes on nor ends"
                if self._progress not in ready:
                    return False
                count -= os.read(self._progress, 2).count(b"\n")
            return True
        finally:
            os.close(ended)

    def forget_progress(self) -> None:
        """Read what states have reported so far."""
        while select.select([self._progress], [], [], 0)[0]:
            os.read(self._progress, 4096)

    def killed_at(self, trap: str, *words: str) -> None:
        """Run a command that ends by kill -9 at a state (`before made`, `after made`)."""
        (self.root / "trap").write_text(trap)
        ended = self.shell.run(*words)
        assert ended.code == -9, ended.err
        self.wait_for_commands()

    def killed_after(self, count: int, awake_s: float, number: int, *words: str) -> Ended:
        """Run a command and send it a signal when so many states have left their lines, and a moment later.

        No clock is precise enough to sleep for a part of what a state takes, so the moment is spent awake.

        Returns:
            How it ended; the run may have been quicker.
        """
        self.forget_progress()
        process = self.shell.start(*words)
        if self.wait_for(count, process):
            end_s = time.perf_counter() + awake_s
            while time.perf_counter() < end_s:
                pass
            process.send_signal(number)
        out, err = process.communicate(timeout=_LONGEST_S)
        self.wait_for_commands()
        return Ended(code=process.returncode, out=out.decode(), err=err.decode())

    def wait_for_commands(self) -> None:
        """Wait for the ends of commands that have outlived their run."""
        for command in (
            event for event in read_run(self.cachedir, "last") if isinstance(event, CommandStarted)
        ):
            if process_mark(command.pid) == command.process:
                watched = os.pidfd_open(command.pid)
                assert select.select([watched], [], [], _LONGEST_S)[0], f"{command} goes on"
                os.close(watched)

    def run_ids(self) -> list[str]:
        """Return the ids of all runs, oldest first."""
        return [list_run.run_id for list_run in reversed(list_runs(self.cachedir))]

    def log(self) -> Counter[str]:
        """Return how often each state has left its line."""
        return Counter((self.root / "log").read_text().split())

    def check(self, ended: Ended, results: Any) -> None:
        """Check all invariants once the last of several runs has succeeded.

        Args:
            ended: the last run.
            results: those of a run that nothing disturbed.
        """
        assert ended.code == 0, ended.err
        assert self.results(ended) == results
        self.check_journals()
        self.check_stores()
        starts = self._check_calls()
        log = self.log()
        assert not WHOLE.keys() ^ log.keys()
        assert not [name for name, count in WHOLE.items() if log[name] < count]
        for name, count in log.items():
            assert count <= starts[name], f"{name} left {count} lines in {starts[name]} calls"

    def results(self, ended: Ended) -> dict[str, Any]:
        """Return the part of a run's results that every undisturbed run of any such project has."""
        return outline(json.loads(ended.out.replace(str(self.root), "ROOT"))["m1"])

    def _check_calls(self) -> Counter[str]:
        """Make sure that nothing was called again that a journal has as finished; return the calls."""
        finished: dict[tuple[str, str], str] = {}
        starts: Counter[str] = Counter()
        for run_id in self.run_ids():
            for event in read_run(self.cachedir, run_id):
                if isinstance(event, NodeStarted):
                    key = (event.scope, event.tag_)
                    box = event.target.removeprefix("minion:")
                    id_ = event.id.rpartition(" ")[2].removeprefix("listener_")
                    starts[id_ if box == "m1" else f"{id_}-{box}"] += 1
                    assert key not in finished, f"{run_id} calls {key} again, which {finished[key]} finished"
                elif isinstance(event, NodeFinished) and event.returned.result is True:
                    finished[event.returned.scope, event.returned.tag] = run_id
        return starts

    def check_journals(self) -> None:
        """Make sure that no line but the last of a run that was cut short is broken, and no secret in one."""
        for path in (self.cachedir / "runs").iterdir():
            content = path.read_bytes()
            assert b"correct-horse" not in content
            lines = content.split(b"\n")
            broken = [number for number, line in enumerate(lines[:-1]) if journal_form.decode(line) is None]
            assert not broken, f"{path.name}: lines {broken}"

    def check_stores(self) -> None:
        """Make sure that the stores are whole, and that nobody holds the project's lock."""
        for path in self.cachedir.glob("*.db"):
            with closing(sqlite3.connect(path)) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        listed = self.shell.run("resources", "list", "--out", "json")
        assert set(json.loads(listed.out)) == {"minion:m1", "minion:b1", "minion:b2", "minion:b3"}
        moment = datetime.now().astimezone()
        with project_lock(self.cachedir).acquire(command="a test", now=moment):
            pass


def outline(returns: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the part of results that depends neither on time, nor on what a killed call had done already."""
    return {
        tag: {
            "result": returned["result"],
            "changes": {key for key in returned["changes"] if "_|-managed" not in tag},
            "new_state": {
                key: value
                for key, value in (returned["new_state"] or {}).items()
                if key not in {"pid", "mtime"}
            },
            "delayed": [
                (entry["scope"], entry["status"], outline(entry["returns"]))
                for entry in returned.get("delayed", [])
            ],
        }
        for tag, returned in returns.items()
    }
