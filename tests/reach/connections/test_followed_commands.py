"""Commands of states that a person follows: which are, and what is reported of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.contracts.connection import Command
from ensue.core.model.srn import Srn
from ensue.reach.connections.followed_commands import following
from ensue.testing import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.following import FollowedState


class Followed:
    """What was reported, in order."""

    def __init__(self) -> None:
        self.states: list[str] = []
        self.reported: list[bytes | str] = []

    def __call__(self, state: FollowedState) -> Followed:
        self.states.append(f"{state.id} {state.function} {state.target}")
        return self

    def begin(self) -> Followed:
        return self

    def output(self, data: bytes) -> None:
        if data:
            self.reported.append(data)

    def errors(self, data: bytes) -> None:
        if data:
            self.reported.append(data)

    def end(self) -> None:
        self.reported.append("end")


def test_a_command_is_followed_if_a_person_wants_to_read_it() -> None:
    """Commands with which a state looks at its target are not reported."""
    fake = FakeConnection(Srn("fake", "box"))
    fake.on_run("*", stdout=b"out", stderr=b"err")
    followed = Followed()
    connection = following(fake, followed.begin)

    asyncio.run(connection.run(Command(argv=["query"])))
    done = asyncio.run(connection.run(Command(argv=["work"], is_followed=True)))

    assert (done.stdout, done.stderr) == (b"out", b"err")
    assert followed.reported == [b"out", b"err", "end"]


def test_the_end_is_reported_of_a_command_that_cannot_be_run() -> None:
    """What follows it knows that nothing more comes."""

    def fail(_: Command) -> None:
        raise TimeoutError

    fake = FakeConnection(Srn("fake", "box"))
    fake.on_run("*", fail)  # type: ignore[arg-type] # it never returns
    followed = Followed()
    try:
        asyncio.run(following(fake, followed.begin).run(Command(argv=["work"], is_followed=True)))
    except TimeoutError:
        followed.reported.append("timeout")
    assert followed.reported == ["end", "timeout"]


def test_conditions_hidden_output_and_files_are_not_followed(tmp_path: Path) -> None:
    """The command of `cmd.run` is; its `unless` is not, nor one with `hide_output`."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "a.sls").write_text(
        """
shown:
  cmd.run:
    - name: echo shown
    - unless: echo condition; false
    - check_cmd: [echo check]
hidden:
  cmd.run:
    - name: echo hidden
    - hide_output: true
file:
  file.managed:
    - name: {folder}/file
    - contents: x
    - check_cmd: echo
""".replace("{folder}", str(tmp_path))
    )
    followed = Followed()

    async def run() -> int:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            report = await project.apply(["a"], RunOptions(follow=followed), on_event=lambda _: None)
            return report.exit_code

    assert asyncio.run(run()) == 0
    assert [state.split()[:2] for state in followed.states] == [["shown", "cmd.run"]]
    assert followed.reported == [b"shown\n", "end"]


def test_output_of_a_function_in_a_thread_reaches_the_loop_of_the_run(tmp_path: Path) -> None:
    """A custom state of the project that calls `cmd.run` from its own thread is followed as well."""
    (tmp_path / "states" / "_states").mkdir(parents=True)
    (tmp_path / "states" / "_states" / "mine.py").write_text(
        "def made(name):\n"
        "    stdout = __salt__['cmd.run']('echo from a thread')\n"
        "    return {'name': name, 'result': True, 'changes': {}, 'comment': stdout}\n"
    )
    (tmp_path / "states" / "a.sls").write_text("x: mine.made\n")
    followed = Followed()

    async def run() -> int:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            report = await project.apply(["a"], RunOptions(follow=followed), on_event=lambda _: None)
            return report.exit_code

    assert asyncio.run(run()) == 0
    assert followed.reported == [b"from a thread\n", "end"]
