"""Runs that are interrupted in every way, and resumed: nothing that a journal has as finished is done again.

`ENSUE_TORTURE_ROUNDS` says how many random rounds there are; `make torture` does 500.
"""

from __future__ import annotations

import fcntl
import os
import random
import signal
import termios
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.chance import chance_of
from tests.torture.project import TRAPPED, WHOLE, TortureProject

from ensue.core.model.events import RunFinished
from ensue.store.runs.run_history import list_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "3"))
IS_LONG = ROUNDS >= 50
KILLED = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
"""Signals of random rounds; half of them leave nobody a chance."""

_CHANCE = chance_of(__name__)

SEEDS = _CHANCE.sample(range(10**6), ROUNDS)
_LONGEST_AWAKE_S = 0.05


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a run comes to that nothing disturbs."""
    project = TortureProject(tmp_path_factory.mktemp("undisturbed"))
    ended = project.shell.run("apply", "t", "--out", "json")
    undisturbed = project.results(ended)
    project.check(ended, undisturbed)
    assert project.log() == WHOLE
    project.close()
    return undisturbed


@pytest.fixture
def make(tmp_path: Path) -> Generator[Callable[..., TortureProject]]:
    """Makes projects, each in a folder of its own."""
    made: list[TortureProject] = []

    def one(**options: bool) -> TortureProject:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(TortureProject(folder, **options))
        return made[-1]

    yield one
    for project in made:
        project.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kills(make: Callable[..., TortureProject], results: Any, seed: int) -> None:
    """A run and up to three resumes of it are interrupted at random points, by any signal."""
    chance = random.Random(seed)  # noqa: S311  # chance, not secrecy
    project = make()
    words: tuple[str, ...] = ("apply", "t")
    for _ in range(chance.randint(1, 4)):
        at, awake_s = chance.randint(1, sum(WHOLE.values())), chance.random() * _LONGEST_AWAKE_S
        number, earlier = chance.choice(KILLED), project.run_ids()
        ended = project.killed_after(at, awake_s, number, *words)
        if list_runs(project.cachedir)[0].status == "succeeded":  # It was quicker.
            break
        # A command that outlived its run may write its line while Python starts and handles no signal yet.
        has_begun = project.run_ids() != earlier
        assert ended.code in {-signal.SIGKILL, 130 if has_begun else -number}, ended.err
        words = ("runs", "resume")
    else:
        project.check(project.shell.run("runs", "resume", "--out", "json"), results)
        return
    project.check(project.shell.run("runs", "show", "last", "--out", "json"), results)


@pytest.mark.parametrize("step", TRAPPED if IS_LONG else _CHANCE.sample(TRAPPED, 2))
@pytest.mark.parametrize("when", ["before", "after"] if IS_LONG else _CHANCE.sample(["before", "after"], 1))
def test_the_resume_of_a_resume_is_killed(
    make: Callable[..., TortureProject], results: Any, when: str, step: str
) -> None:
    """Killed before or after the effect of any state, only that state is called twice."""
    project = make()
    place = TRAPPED.index(step)
    earlier = TRAPPED[: place + 1]
    project.killed_at(f"after {earlier[0]}", "apply", "t")
    project.killed_at(f"before {earlier[place // 2]}", "runs", "resume")
    project.killed_at(f"{when} {step}", "runs", "resume")
    project.check(project.shell.run("runs", "resume", "--out", "json"), results)
    twice = {earlier[0]} | ({step} if when == "after" else set())
    expected = dict(WHOLE)
    for name in twice:
        expected[name] += 1
    if when == "after" and step == earlier[0]:
        expected[step] += 1
    assert project.log() == expected


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal(make: Callable[..., TortureProject], results: Any, number: int) -> None:
    """A run that is asked to end ends in order, and is resumed; every effect is there once."""
    project = make(gate_open=False)
    process = project.shell.start("apply", "t")
    assert project.wait_for(2, process)
    process.send_signal(number)
    assert process.stderr is not None
    process.stderr.readline()
    project.open_gate(2)
    process.communicate()
    _check_interrupted(project, process.returncode, results)


def _check_interrupted(project: TortureProject, code: int, results: Any) -> None:
    assert code == 130
    events = read_run(project.cachedir, "last")
    assert isinstance(events[-1], RunFinished)
    assert events[-1].status == "interrupted"
    project.check(project.shell.run("runs", "resume", "--out", "json"), results)
    assert project.log() == WHOLE


def test_a_closed_terminal(make: Callable[..., TortureProject], results: Any) -> None:
    """A run whose terminal is closed is interrupted, and resumed; every effect is there once."""
    project = make(gate_open=False)
    master, slave = os.openpty()

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = project.shell.start(
        "apply",
        "t",
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    os.close(slave)
    assert project.wait_for(2, process)
    # The display has started once it hides the cursor.
    shown = b""
    while b"\x1b[?25l" not in shown:
        shown += os.read(master, 65536)
    os.close(master)
    project.open_gate(2)
    _check_interrupted(project, process.wait(), results)
