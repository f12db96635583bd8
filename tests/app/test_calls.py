"""Functions called on many resources: each goes its own way, and grains of former commands are used."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import socket
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write
from tests.reach.resources.dummy.test_dummy import call
from tests.support.resource_types import write_types
from tests.support.sshd import running_sshd

from ensue import derived
from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import ConfigurationError
from ensue.core.model.resource import RegistrationRequest
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

TOP = "base:\n  m: [r]\n"

# Boxes write down how often they are connected to and asked for grains, and how many are called at once.
BOX = """
from pathlib import Path

HERE = Path(__file__).parent


def note(word):
    with (HERE / "log").open("a") as log:
        log.write(word + "\\n")


class Box:
    pass


def connect(context):
    note("connect " + context.srn.id)
    return Box()


def grains(connection, context):
    note("grains " + context.srn.id)
    return {"colour": context.config.get("colour")}
"""

WORK = """
import asyncio
import json
import os
import pwd

here = 0
most = 0
all_here = asyncio.Event()


async def work(ctx, wanted=1):
    # Go on when so many are here as may be.
    global here, most
    here += 1
    most = max(most, here)
    if here == wanted:
        all_here.set()
    await all_here.wait()
    here -= 1
    return most


async def name(ctx):
    return (await ctx.grains())["colour"]
"""

HANGING = """
import asyncio
import json
import os
import pwd


def connect(context):
    return object()


async def grains(connection):
    await asyncio.Event().wait()


async def ping(connection):
    await asyncio.Event().wait()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a type of its own, and a type that never answers."""
    write(tmp_path, pillar__top=TOP)
    types = {"box/__init__.py": BOX, "box/modules/work.py": WORK, "hanging/__init__.py": HANGING}
    return write_types(tmp_path, types)


def declare(root: Path, resources: str) -> None:
    write(root, **{"pillar/r.sls": f"resources: {resources}\n"})


def log_of(root: Path) -> list[str]:
    log = root / "states/_resources/box/log"
    lines = sorted(log.read_text().splitlines()) if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def kept_rows(root: Path) -> list[str]:
    connection = sqlite3.connect(root / ".ensue/grains.db")
    rows = [srn for (srn,) in connection.execute("SELECT srn FROM grains")]
    connection.close()
    return rows


def with_project(root: Path, work: Callable[[AppProject], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await work(project)

    return asyncio.run(run())


def test_one_that_never_answers_delays_no_other(root: Path) -> None:
    """The others' answers are there while it is still waited for, and its own is that the time is over.

    Neither gathering grains to match the target, nor the function, nor compiling its pillar waits for ever.
    """
    declare(root, "{box: {b1: {colour: red}, b2: {colour: blue}}, hanging: {h: }}")
    write(root, **{"pillar/top.sls": TOP + "  'G@colour:red': [own]\n", "pillar/own.sls": "own: 1\n"})

    async def first(project: AppProject) -> list[str]:
        answers = project.call("G@colour:red", "test.ping", [], {})
        return [(await anext(answers)).target.id]

    assert with_project(root, first) == ["b1"]

    async def limited(project: AppProject) -> dict[str, tuple[bool, Any]]:
        answers = project.call("T@box or T@hanging", "test.ping", [], {}, timeout_s=0.5)
        return {answer.target.id: (answer.ok, answer.value) async for answer in answers}

    assert with_project(root, limited) == {
        "b1": (True, True),
        "b2": (True, True),
        "h": (False, "no answer within 0.5 s (--timeout)"),
    }


def test_a_host_that_accepts_and_never_speaks(root: Path) -> None:
    """A real socket that nobody serves takes its own time-out, and no more."""
    with socket.create_server(("127.0.0.9", 0)) as deaf:
        port = deaf.getsockname()[1]
        config = (
            f"{{host: 127.0.0.9, port: {port}, user: u, password: none-of-it, host_key: 'SHA256:{43 * 'a'}'}}"
        )
        declare(root, f"{{box: {{b: }}, ssh_host: {{deaf: {config}}}}}")

        async def ask(project: AppProject) -> dict[str, tuple[bool, Any]]:
            answers = project.call("T@box or G@os:x", "test.ping", [], {}, timeout_s=1)
            return {answer.target.id: (answer.ok, answer.value) async for answer in answers}

        by_host = with_project(root, ask)
    assert by_host == {"b": (True, True), "deaf": (False, "no answer within 1 s (--timeout)")}


def test_a_call_to_many_of_which_some_are_not_there(root: Path) -> None:
    """Each resource that cannot be reached is an answer of its own, also where its grains would decide."""
    hosts = ", ".join(
        f"d{number}: {{grains: {{os: x}}, reachable: {'false' if number < 5 else 'true'}}}"
        for number in range(200)
    )
    declare(root, f"{{dummy: {{{hosts}}}}}")
    answers = call(root, "G@os:x", "test.ping")
    assert [ok for ok, _ in answers.values()].count(True) == 195
    assert sorted(id_ for id_, (ok, _) in answers.items() if not ok) == [f"d{number}" for number in range(5)]
    assert all("cannot be reached" in value for ok, value in answers.values() if not ok)


def test_a_derived_one_that_is_not_there_names_its_sources(tmp_path: Path) -> None:
    """In a call, in a command on it, and wherever else it is not reached: that is where to look."""
    config = "{host: 127.0.0.1, port: 1, user: u, password: p, connect_attempts: 1}"
    vm = f"vm:\n  test.present:\n    - new_state: a\n    - registers:\n      - ssh_host:gone: {config}\n"
    write(tmp_path, states__t=f"{vm}use:\n  cmd.run:\n    - name: echo\n    - tgt: T@ssh_host\n")
    derived = "(ssh_host:gone was derived from test:vm)"

    report = apply(tmp_path, "t")

    assert [returned.result for returned in report.returns.values()] == [True, False]
    assert list(report.returns.values())[1].comment.endswith(derived)
    (_, message) = call(tmp_path, "gone", "test.ping")["gone"]
    assert str(message).endswith(derived)


def test_one_whose_type_is_not_installed_fails_alone(root: Path) -> None:
    """A program registered it; this project has no such type, and the others answer as ever."""
    declare(root, "{box: {b1: {colour: red}}}")
    derived.register({"root": str(root), "id": "m"}, "absent_type", "a1", {"port": 1})

    answers = call(root, "*", "test.ping")

    assert {name: ok for name, (ok, _) in answers.items()} == {"m": True, "b1": True, "a1": False}
    assert "there is no resource type 'absent_type'" in answers["a1"][1]


def test_a_pillar_that_does_not_compile_fails_its_target_alone(root: Path) -> None:
    """The other targets are called."""
    declare(root, "{box: {b1: , b2: }}")
    write(root, **{"pillar/top.sls": TOP + "  b2: [broken]\n", "pillar/broken.sls": "{{ 1 / 0 }}\n"})
    answers = call(root, "T@box", "test.ping")
    assert answers["b1"] == (True, True)
    assert answers["b2"][0] is False
    assert "pillar/broken.sls:1" in answers["b2"][1]


def test_a_function_that_only_some_types_have(root: Path) -> None:
    """The others say so, each for itself."""
    declare(root, "{box: {b: }, dummy: {d: }}")
    answers = call(root, "b or d", "work.work")
    assert answers["b"] == (True, 1)
    assert answers["d"][0] is False
    assert answers["d"][1].startswith("work.work is not available for dummy")
    assert call(root, "d", "cmd.run", "ls") == {"d": (False, "cmd.run is not available for dummy")}


@pytest.mark.parametrize(("batch", "most"), [("3", 3), ("25%", 5), ("1%", 1), ("100%", 20), ("999", 20)])
@pytest.mark.parametrize("target", ["T@box", "G@colour:red"])
def test_so_many_at_once(root: Path, batch: str, most: int, target: str) -> None:
    """A batch is a sliding window: never more are called at once, and all of them are in the end."""
    declare(root, "{box: {" + ", ".join(f"b{number}: {{colour: red}}" for number in range(20)) + "}}")

    async def ask(project: AppProject) -> list[int]:
        return [answer.value async for answer in project.call(target, "work.work", [most], {}, batch=batch)]

    at_once = with_project(root, ask)
    assert len(at_once) == 20
    assert max(at_once) == most


@pytest.mark.parametrize("batch", ["0", "-1", "x", "0%", "%", "1.5"])
def test_a_batch_that_makes_no_sense(root: Path, batch: str) -> None:
    """It is refused before anything is called."""
    declare(root, "{box: {b: }}")

    async def ask(project: AppProject) -> None:
        async for _ in project.call("b", "test.ping", [], {}, batch=batch):
            pass

    with pytest.raises(ConfigurationError) as refused:
        with_project(root, ask)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["E0104"]


def test_the_second_call_by_grains_connects_to_nothing(root: Path) -> None:
    """What does not match is not connected to, and grains are read from the cache, one for all commands."""
    declare(root, "{box: {b1: {colour: red}, b2: {colour: blue}}}")
    assert call(root, "G@colour:green", "test.ping") == {}
    assert log_of(root) == ["connect b1", "connect b2", "grains b1", "grains b2"]
    assert call(root, "G@colour:green", "test.ping") == {}
    assert log_of(root) == []
    assert call(root, "G@colour:red", "work.name") == {"b1": (True, "red")}
    assert "grains b1" not in log_of(root)
    apply_sls = "a:\n  test.nop:\n    - tgt: G@colour:blue\n"
    write(root, states__t=apply_sls)
    for test in (True, False):
        assert [returned.id for returned in apply(root, "t", test=test).returns.values()] == ["b2 a"]
    assert "connect b1" not in log_of(root)


def test_grains_of_another_configuration_are_gathered_anew(root: Path) -> None:
    """Pillar that declares the resource otherwise makes it another one; so does another expiration of 0."""
    declare(root, "{box: {b1: {colour: red}}}")
    assert call(root, "b1", "work.name") == {"b1": (True, "red")}
    declare(root, "{box: {b1: {colour: blue}}}")
    assert call(root, "b1", "work.name") == {"b1": (True, "blue")}
    assert call(root, "b1", "work.name") == {"b1": (True, "blue")}
    assert [line for line in log_of(root) if line.startswith("grains")] == ["grains b1"] * 2
    write(root, **{"ensue.yaml": "grains_cache_expiration: 0\n"})
    assert call(root, "b1", "work.name") == {"b1": (True, "blue")}
    assert "grains b1" in log_of(root)


def test_a_resource_that_was_forgotten_leaves_its_name_alone(root: Path) -> None:
    """Registered anew after `forget`, or active again after it was invalidated, it has no former grains."""
    declare(root, "{box: }")
    source, box = Srn("starting_state", "env"), Srn("box", "b1")
    request = RegistrationRequest(srn=box, config={"colour": "red"}, source=source)

    async def register(project: AppProject) -> None:
        await project.register(request)

    async def forget(project: AppProject) -> bool:
        return await project.forget(box)

    async def invalidate(project: AppProject) -> list[Srn]:
        return await project.invalidate(source)

    with_project(root, register)
    for undo in (forget, invalidate):
        assert call(root, "b1", "work.name") == {"b1": (True, "red")}
        assert call(root, "b1", "work.name") == {"b1": (True, "red")}
        assert [line for line in log_of(root) if line.startswith("grains")] == ["grains b1"]
        assert with_project(root, undo)
        if undo is forget:
            assert kept_rows(root) == []
        assert call(root, "b1", "work.name") == {}
        with_project(root, register)
    assert call(root, "b1", "work.name") == {"b1": (True, "red")}
    assert "grains b1" in log_of(root)


def test_grains_that_are_given_hold_in_the_next_command(root: Path, tmp_path: Path) -> None:
    """`grains.set` on a resource and a refresh drop what was kept of it; an unknown change does not."""
    box = tmp_path / "box"
    box.mkdir()
    declare(root, f"{{minion: {{b1: {{root: {box}}}}}}}")
    assert call(root, "G@role:web", "test.ping") == {}
    assert call(root, "b1", "grains.get", "role") == {"b1": (True, "")}
    assert call(root, "b1", "grains.set", "role", "web")["b1"][0]
    assert [*call(root, "G@role:web", "test.ping")] == ["b1"]
    (box / "etc/salt/grains").write_text("role: db\n")
    assert [*call(root, "G@role:web", "test.ping")] == ["b1"]

    async def refresh(project: AppProject) -> Any:
        return await project.refresh()

    assert with_project(root, refresh).refreshed == ["minion:b1"]
    assert call(root, "G@role:web", "test.ping") == {}


def test_changing_the_key_keeps_no_grains_of_the_old_one(root: Path) -> None:
    """They are gathered anew."""
    declare(root, "{box: {b1: {colour: red}}}")
    call(root, "b1", "work.name")
    log_of(root)

    async def rotate(project: AppProject) -> int:
        return await project.rotate_keys()

    with_project(root, rotate)
    assert call(root, "b1", "work.name") == {"b1": (True, "red")}
    assert "grains b1" in log_of(root)


def test_a_state_that_gives_grains_drops_those_that_were_kept(root: Path, tmp_path: Path) -> None:
    """The next command sees them; a plan gathers and drops nothing."""
    box = tmp_path / "box"
    box.mkdir()
    declare(root, f"{{minion: {{b1: {{root: {box}}}}}}}")
    write(
        root, states__t="a:\n  grains.present:\n    - name: role\n    - value: web\n    - tgt: T@minion:b1\n"
    )
    assert call(root, "G@role:web", "test.ping") == {}
    apply(root, "t", test=True)
    assert call(root, "G@role:web", "test.ping") == {}
    assert [returned.result for returned in apply(root, "t").returns.values()] == [True]
    assert [*call(root, "G@role:web", "test.ping")] == ["b1"]


def test_pillar_that_reads_grains_waits_in_no_thread(root: Path) -> None:
    """More resources that never answer than there are threads delay nobody whose pillar needs its grains."""
    hanging = ", ".join(f"h{number}: " for number in range(300))
    declare(root, f"{{hanging: {{{hanging}}}, box: {{b1: {{colour: red}}}}}}")
    write(root, pillar__top=TOP + "  '[bh]*': [own]\n", pillar__own="colour: {{ grains.colour }}\n")

    async def first(project: AppProject) -> tuple[str, Any]:
        answers = project.call("T@hanging or T@box", "pillar.get", ["colour"], {})
        answer = await anext(answers)
        await answers.aclose()
        return answer.target.id, answer.value

    assert with_project(root, first) == ("b1", "red")


@pytest.mark.openssh
def test_grains_of_a_host_outlive_its_connection(root: Path, tmp_path: Path) -> None:
    """What was gathered over SSH is read by the next command while the host is away."""
    with running_sshd(tmp_path / "sshd", user=pwd.getpwuid(os.geteuid()).pw_name) as server:
        hosts = json.dumps({"ssh_host": {"hosts": {"web": server.config()}}})
        declare(root, hosts)
        ok, kernel = call(root, "G@kernel:* and T@ssh_host", "grains.get", "kernel")["web"]
        assert (ok, kernel) == (True, "Linux")
    assert call(root, "G@kernel:* and T@ssh_host", "grains.get", "kernel") == {"web": (True, "Linux")}
    assert call(root, "G@kernel:Linux and T@ssh_host", "test.ping")["web"][0] is False
    assert b"Linux" not in (root / ".ensue/grains.db").read_bytes()
