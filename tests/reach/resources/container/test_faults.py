"""Containers that are gone, do not run, hang or answer with nonsense are errors of the contract's classes."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.reach.resources.conftest import context_for

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteError, RemoteTimeoutError, ResourceError, UnreachableError
from ensue.reach.resources import container
from ensue.reach.resources.answers import MOST_BYTES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from tests.support.containers import Engine

    from ensue.core.contracts.connection import Completed, Connection


def box(config: dict[str, Any], id_: str = "box") -> Connection:
    return container.connect(context_for(config, id_=id_, type_="container"))


def ran(connection: Connection, command: Command | None = None) -> Completed:
    return asyncio.run(connection.run(command or Command(shell_line="id -un; pwd; echo $ONE")))


@pytest.fixture
def own_box(engine: Engine) -> Iterator[str]:
    """A running container of the test's own, to be stopped and hurt."""
    name = f"own-{secrets.token_hex(4)}"
    engine.start(name)
    yield name
    engine.remove(name)


def test_user_folder_and_variables(engine: Engine) -> None:
    """Commands run as `user` in `workdir` with `env`; a command's own values win; the name may be given."""
    config = {
        "engine": engine.program,
        "container": "box",
        "user": "web",
        "workdir": "/etc",
        "env": {"ONE": "1"},
    }
    assert ran(box(config, id_="other")).stdout == b"web\n/etc\n1\n"
    command = Command(shell_line="id -un; pwd; echo $ONE", user="nobody", cwd="/bin", env={"ONE": "2"})
    assert ran(box(config), command).stdout == b"nobody\n/bin\n2\n"


def test_grains_are_those_of_the_container(engine: Engine) -> None:
    """Grains come from inside, with who the resource is."""
    context = context_for({"engine": engine.program}, id_="box", type_="container")
    grains = asyncio.run(container.grains(container.connect(context), context))
    assert (grains["id"], grains["resource_id"], grains["resource_type"]) == ("box", "box", "container")
    assert (grains["virtual"], grains["virtual_subtype"]) == ("container", "Podman")
    assert asyncio.run(container.ping(container.connect(context)))


def test_a_container_that_is_not_there(engine: Engine) -> None:
    """The error names it, and says that it is unreachable."""
    with pytest.raises(UnreachableError, match="has no such container") as caught:
        ran(box({"engine": engine.program}, id_="no-such-box"))
    assert "no-such-box" in str(caught.value)
    assert caught.value.target == "container:no-such-box"


def test_a_container_that_is_stopped(engine: Engine, own_box: str) -> None:
    """The error says which state it is in."""
    engine.call("kill", own_box)
    engine.call("wait", own_box)
    with pytest.raises(UnreachableError, match="its state is `exited`"):
        ran(box({"engine": engine.program}, id_=own_box))


def test_a_container_that_vanishes_while_a_command_runs(engine: Engine, own_box: str) -> None:
    """The command is an error at once, and says that nobody knows how far it came."""

    async def scene() -> None:
        connection = box({"engine": engine.program}, id_=own_box)
        async with asyncio.TaskGroup() as group:
            line = "mkfifo /tmp/gate; cat /tmp/gate; sleep 1000"
            running = group.create_task(_caught(connection.run(Command(shell_line=line))))
            wait = "until [ -p /tmp/gate ]; do sleep 0.05; done; echo > /tmp/gate"
            await connection.run(Command(shell_line=wait))
            await asyncio.to_thread(engine.remove, own_box)
        assert isinstance(running.result(), UnreachableError)
        assert "how far" in str(running.result())

    asyncio.run(scene())


async def _caught(work: Awaitable[object]) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await work
    return caught.value


def test_a_user_that_the_image_does_not_have(engine: Engine) -> None:
    """The user is named, and the container is not said to be broken."""
    with pytest.raises(RemoteError, match="no user `stranger`"):
        ran(box({"engine": engine.program, "user": "stranger"}))


@pytest.mark.parametrize("engine_key", ["/no/such/engine", "docker"])
def test_an_engine_that_is_not_there(
    engine_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error for a missing engine names the key that configures it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnreachableError, match="set `engine`"):
        ran(box({"engine": engine_key}))
    with pytest.raises(UnreachableError, match="neither podman nor docker"):
        ran(box({}))


def stand_in(folder: Path, line: str) -> str:
    """Return a program that answers as an engine should not."""
    path = folder / "engine"
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return str(path)


class TestEnginesThatMisbehave:
    def test_one_that_hangs(self, tmp_path: Path) -> None:
        """It costs `connect_timeout_s` and is ended."""
        program = stand_in(tmp_path, f"echo $$ > {tmp_path}/pid; exec sleep 1000")
        with pytest.raises(RemoteTimeoutError, match="connect_timeout_s"):
            ran(box({"engine": program, "connect_timeout_s": 0.5}))
        pid = (tmp_path / "pid").read_text().strip()
        assert not _runs(pid)

    @pytest.mark.parametrize(
        ("line", "kind", "words"),
        [
            ("exit 0", UnreachableError, "its state is ``"),
            ("echo nonsense >&2; exit 125", UnreachableError, "does not answer.*nonsense"),
            ("printf 'ensue-00 pid 1\\n' >&2; exit 3", UnreachableError, "does not answer"),
            ("printf '\\033[2Jevil\\377' ", UnreachableError, r"its state is `\\x1b\[2Jevil"),
            ("kill -9 $$", UnreachableError, "does not answer"),
        ],
    )
    def test_one_that_answers_with_nonsense(
        self, tmp_path: Path, line: str, kind: type[RemoteError], words: str
    ) -> None:
        """Whatever it prints, no command is taken to have run, and no control character is passed on."""
        with pytest.raises(kind, match=words) as caught:
            ran(box({"engine": stand_in(tmp_path, line)}))
        assert str(caught.value).isprintable()

    def test_one_that_writes_without_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its output has a limit."""
        monkeypatch.setattr("ensue.reach.resources.client_process.MOST_BYTES", 1 << 20)
        assert MOST_BYTES > 1 << 20
        with pytest.raises(RemoteError, match="wrote more than"):
            ran(box({"engine": stand_in(tmp_path, "exec yes")}))


def _runs(pid: str) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_what_is_wrong_with_a_configuration() -> None:
    """Each mistake is one sentence; a name can never be an option of the engine."""
    problems = container.check(
        {
            "engin": "podman",
            "container": "--privileged",
            "workdir": "tmp",
            "env": {"a b": "1", "OK": []},
            "timeout_s": 0,
            "user": 1000,
        }
    )
    assert len(problems) == 6
    assert "did you mean `engine`?" in problems[0]
    assert container.check({"engine": "lxc"}) != []
    with pytest.raises(ResourceError, match="not the name of a container"):
        box({}, id_="-it")
