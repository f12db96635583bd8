"""A project folder does what its files say, through the one API that commands call."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING, Any

import pytest

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError, ConfigurationError, DiskError, LockHeldError
from ensue.core.model.events import RunEvent, RunFinished, RunStarted
from ensue.core.model.srn import Srn
from ensue.store.registry.enforced_file import EnforcedFile

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport


def write(root: Path, **files: str) -> None:
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path = path if path.suffix else path.with_suffix(".sls")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def apply(root: Path, *mods: str, options: ProjectOptions | None = None, **switches: Any) -> RunReport:
    async def run() -> RunReport:
        async with AppProject.open(root, options or ProjectOptions(minion_id="m")) as project:
            return await project.apply(mods, RunOptions(**switches), on_event=lambda _: None)

    return asyncio.run(run())


def test_an_sls_by_path_needs_no_project(tmp_path: Path) -> None:
    """A lone file in an empty folder is applied by its path."""
    (tmp_path / "hello.sls").write_text("hello: test.nop\n")
    assert [returned.result for returned in apply(tmp_path, "hello.sls").returns.values()] == [True]


def test_a_missing_top_file_fails_as_in_salt_with_a_way_out(tmp_path: Path) -> None:
    """Without a top file there is one failed state, a warning that says what to do, and exit code 2."""
    report = apply(tmp_path)
    assert (list(report.returns), report.exit_code) == (["no_|-states_|-states_|-None"], 2)
    assert [warning.code for warning in report.warnings] == ["E0604"]
    assert report.returns["no_|-states_|-states_|-None"].comment.endswith("there is no top file")
    assert "write a top.sls" in report.warnings[0].help


def test_what_a_missing_top_file_gives_is_not_shown(tmp_path: Path) -> None:
    """Without a top file and without a name there is nothing to show, which is refused."""

    async def show() -> None:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            await project.show("low", [])

    with pytest.raises(CompileError, match="there is no top file"):
        asyncio.run(show())


def test_a_top_file_that_gives_nothing_fails_as_in_salt(tmp_path: Path) -> None:
    """A machine that no target matches has one failed state, and the run's exit code is 2."""
    write(tmp_path, states__top="base:\n  nobody:\n    - a\n", states__a="a: test.nop\n")
    report = apply(tmp_path)
    assert (list(report.returns), report.exit_code) == (["no_|-states_|-states_|-None"], 2)


def test_custom_state_modules_run_with_their_dunders(tmp_path: Path) -> None:
    """A module of `_states` sees grains, pillar, options and execution functions as in Salt."""
    write(
        tmp_path,
        states__t="a:\n  mine.seen:\n    - arg: 7\n",
        states___modules__helper_py="",
        pillar__top="base:\n  '*':\n    - p\n",
        pillar__p="key: value\n",
    )
    (tmp_path / "states/_modules").mkdir(parents=True, exist_ok=True)
    (tmp_path / "states/_modules/helper.py").write_text("def twice(x):\n    return 2 * x\n")
    (tmp_path / "states/_states").mkdir()
    (tmp_path / "states/_states/mine.py").write_text(
        "def seen(name, arg):\n"
        "    new = [__grains__['id'], __pillar__['key'], __opts__['test'], __salt__['helper.twice'](arg)]\n"
        "    return {'name': name, 'result': True, 'changes': {}, 'comment': '', 'new_state': new}\n"
    )
    (returned,) = apply(tmp_path, "t").returns.values()
    assert (returned.result, returned.new_state) == (True, ["m", "value", False, 14]), returned.comment


def test_a_custom_module_that_does_not_load_is_named(tmp_path: Path) -> None:
    """A broken plug-in of the project is a failure that names its file."""
    write(tmp_path, states__t="a: mine.seen\n")
    (tmp_path / "states/_states").mkdir()
    (tmp_path / "states/_states/mine.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(CompileError, match=r"mine\.py.*nothing_of_this_name"):
        apply(tmp_path, "t")


def test_registers_makes_a_resource_of_new_state(tmp_path: Path) -> None:
    """A state's `registers` fills the configuration from its new_state, as JSON within a longer text.

    A plan before says what would be registered, a second run changes nothing, nor does a plan after it.
    """
    write(
        tmp_path,
        states__t=(
            "vm:\n  test.present:\n    - new_state: {address: 127.0.0.9, keys: [a, b]}\n"
            "    - registers:\n"
            "      - ssh_host:db-01: {host: '${self:address}', user: 'u-${self:keys[1]}',"
            " password: hunter2}\n"
            "      - ssh_host:db-02: {host: x, user: 'keys ${self:keys}'}\n"
        ),
    )
    (planned,) = apply(tmp_path, "t", test=True).returns.values()
    assert (planned.result, planned.changes) == (
        None,
        {"registered": ["ssh_host:db-01", "ssh_host:db-02"]},
    ), planned.comment
    first, second = apply(tmp_path, "t"), apply(tmp_path, "t")
    (first_return,), (second_return,) = first.returns.values(), second.returns.values()
    (converged,) = apply(tmp_path, "t", test=True).returns.values()
    assert (converged.result, converged.changes) == (True, {})
    assert (first_return.result, first_return.changes) == (
        True,
        {"registered": ["ssh_host:db-01", "ssh_host:db-02"]},
    ), first_return.comment
    assert (second_return.result, second_return.changes) == (True, {})

    async def shown() -> tuple[Any, Any, Any]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            srn, other = Srn("ssh_host", "db-01"), Srn("ssh_host", "db-02")
            return (
                await project.resource_config(srn),
                await project.resource_config(other),
                await project.provenance(srn),
            )

    config, second_config, chain = asyncio.run(shown())
    assert second_config == {"host": "x", "user": 'keys ["a","b"]'}
    assert config == {"host": "127.0.0.9", "user": "u-b", "password": "(sensitive)"}
    assert [str(srn) for srn in chain] == ["test:vm"]


def test_registers_with_a_missing_path_registers_nothing(tmp_path: Path) -> None:
    """A reference that new_state does not have fails the state and names what was there."""
    write(
        tmp_path,
        states__t=(
            "vm:\n  test.present:\n    - new_state: {address: x}\n"
            "    - registers:\n      - ssh_host:db-01: {host: '${self:adress}'}\n"
        ),
    )
    for test in (True, False):
        (returned,) = apply(tmp_path, "t", test=test).returns.values()
        assert returned.result is False
        assert "it has address" in returned.comment


def test_events_tell_the_whole_run_and_the_journal_keeps_it(tmp_path: Path) -> None:
    """A run begins and ends with its own events, and can be read back."""
    (tmp_path / "t.sls").write_text("a: test.nop\nb: test.fail_without_changes\n")
    events: list[RunEvent] = []

    async def run() -> tuple[RunReport, list[RunEvent], list[Any]]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            report = await project.apply(["t.sls"], RunOptions(), on_event=events.append)
            return report, project.run_events(report.run_id), project.runs()

    report, kept, runs = asyncio.run(run())
    assert isinstance(events[0], RunStarted)
    assert events[0].minion_id == "m"
    assert kept[0] == events[0]
    assert isinstance(events[-1], RunFinished)
    assert [type(event) for event in kept] == [type(event) for event in events]
    assert [(run.run_id, run.failed, run.total, run.exit_code) for run in runs] == [(report.run_id, 1, 2, 2)]


def test_a_refused_tree_leaves_no_run(tmp_path: Path) -> None:
    """What does not compile was no run: there is no journal of it."""
    (tmp_path / "t.sls").write_text("a: test.nopp\n")
    with pytest.raises(CompileError):
        apply(tmp_path, "t.sls")
    assert not list((tmp_path / ".ensue").rglob("*.jsonl"))


def test_a_second_apply_meanwhile_is_refused_and_a_plan_is_not(tmp_path: Path) -> None:
    """Only one apply of a project runs at a time; a plan changes nothing and may run beside it."""
    (tmp_path / "t.sls").write_text("a: test.nop\n")

    async def run() -> int:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            with await project._lock([], RunOptions()):
                with pytest.raises(LockHeldError):
                    await project.apply(["t.sls"], RunOptions(), on_event=lambda _: None)
                report = await project.apply(["t.sls"], RunOptions(test=True), on_event=lambda _: None)
            return report.exit_code

    assert asyncio.run(run()) == 0


def test_call_answers_for_every_target_and_refuses_the_unknown(tmp_path: Path) -> None:
    """A function is called on what matches; an unknown function or a broken target is refused at once."""

    async def call(target: str, function: str, *args: Any) -> list[Any]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            return [
                (str(answer.target), answer.ok, answer.value)
                async for answer in project.call(target, function, args, {})
            ]

    assert asyncio.run(call("*", "test.ping")) == [("minion:m", True, True)]
    assert asyncio.run(call("nobody", "test.ping")) == []
    with pytest.raises(ConfigurationError, match=r"did you mean test\.ping"):
        asyncio.run(call("*", "test.pign"))
    with pytest.raises(ConfigurationError, match="column 3"):
        asyncio.run(call("a b", "test.ping"))


def test_show_gives_high_low_pillar_and_top(tmp_path: Path) -> None:
    """Each stage of compilation can be looked at, in Salt's shapes."""
    write(
        tmp_path,
        states__top="base:\n  '*':\n    - a\n",
        states__a="a:\n  test.nop:\n    - x: 1\n",
        pillar__top="base:\n  '*':\n    - p\n",
        pillar__p="key: value\n",
    )

    async def show(what: Any) -> Any:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m", pillar={"more": 1})) as project:
            return await project.show(what, [])

    high = {"a": {"test": [{"x": 1}, "nop", {"order": 10000}], "__sls__": "a", "__env__": "base"}}
    assert asyncio.run(show("high")) == high
    assert (
        asyncio.run(show("low"))[0].items() >= {"state": "test", "fun": "nop", "__id__": "a", "x": 1}.items()
    )
    assert asyncio.run(show("pillar")) == {"key": "value", "more": 1}
    assert asyncio.run(show("top")) == {"base": ["a"]}


def test_a_secret_of_pillar_is_masked_wherever_a_template_prints_it(tmp_path: Path) -> None:
    """A password in a resource's configuration appears in no return, journal or listing."""
    write(
        tmp_path,
        states__t="show:\n  test.configurable_test_state:\n    - changes: false\n    - result: true\n"
        "    - comment: 'pw {{ pillar.resources.ssh_host.hosts.w.password }}!'\n",
        pillar__top="base:\n  '*':\n    - p\n",
        pillar__p="resources:\n  ssh_host:\n    hosts:\n"
        "      w: {host: 127.0.0.1, user: u, password: hunter22}\n",
    )

    async def run() -> tuple[str, Any]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            report = await project.apply(["t"], RunOptions(), on_event=lambda _: None)
            (returned,) = report.returns.values()
            return project.masker.text(returned.comment), await project.show("pillar", [])

    comment, pillar = asyncio.run(run())
    assert comment == "pw (sensitive)!"
    assert "hunter22" not in str(pillar)
    for path in (tmp_path / ".ensue").rglob("*"):
        assert path.is_dir() or b"hunter22" not in path.read_bytes()


def test_secrets_anywhere_in_pillar_are_masked_by_their_names(tmp_path: Path) -> None:
    """A value under a secret's name is masked wherever it is printed, unless it is short."""
    write(
        tmp_path,
        states__t="show:\n  cmd.run:\n    - name: echo {{ pillar.db.api_token }} {{ pillar.password }}\n",
        pillar__top="base:\n  '*':\n    - p\n",
        pillar__p="db: {api_token: averylongtoken}\npassword: root\n",
    )
    (returned,) = apply(tmp_path, "t").returns.values()
    assert returned.result is True
    for path in (tmp_path / ".ensue").rglob("*.jsonl"):
        assert b"averylongtoken" not in path.read_bytes()
        assert b"echo (sensitive) root" in path.read_bytes()


_OWNED = """
from ensue.core.model.returns import StateReturn


async def present(ctx, name, size):
    known = ctx.enforced
    old = known.new_state if known else None
    found = {"size": 1, "colour": "red"} if ctx.test else old
    new = {"size": size, "colour": "blue", "token": "t0ken-value"}
    return StateReturn(
        name=name,
        result=None if ctx.test else True,
        comment=f"knew {old and old['size']}",
        old_state=found,
        new_state=None if ctx.test else new,
        sensitive=("token",),
    )


FUNCTIONS = {"present": present}
"""


def _own_function(root: Path) -> None:
    write(root, states__t="a:\n  deep.own.present:\n    - size: 5\n")
    folder = root / "states/_states/deep"
    folder.mkdir(parents=True)
    (folder / "own.py").write_text(_OWNED)


def test_a_function_reads_what_it_last_made_true(tmp_path: Path) -> None:
    """`ctx.enforced` is empty at first, and then what the last apply made of the same state."""
    _own_function(tmp_path)
    comments = [next(iter(apply(tmp_path, "t").returns.values())).comment for _ in range(2)]
    assert comments == ["knew None", "knew 5"]


def test_a_plan_says_what_has_drifted(tmp_path: Path) -> None:
    """What a plan finds otherwise than the last apply left it stands in its return, old value first."""
    _own_function(tmp_path)
    (before,) = apply(tmp_path, "t", test=True).returns.values()
    assert before.drift == {}
    apply(tmp_path, "t")
    (after,) = apply(tmp_path, "t", test=True).returns.values()
    assert after.drift == {"size": {"old": 5, "new": 1}, "colour": {"old": "blue", "new": "red"}}


@pytest.mark.parametrize(
    "state",
    [
        "file.managed:\n    - contents: a",
        "file.replace:\n    - pattern: b\n    - repl: a",
        "file.append:\n    - text: a",
    ],
)
def test_the_plan_of_a_file_says_what_has_drifted(tmp_path: Path, state: str) -> None:
    """A file that somebody wrote to since the last apply has drifted, whichever state looks after it."""
    path = tmp_path / "kept"
    path.write_text("a\n")
    write(tmp_path, states__t=f"{path}:\n  {state}\n")
    apply(tmp_path, "t")
    path.write_text("bb\n")
    (returned,) = apply(tmp_path, "t", test=True).returns.values()
    assert returned.result is None
    assert returned.drift["size"] == {"old": 2, "new": 3}
    assert set(returned.drift) == {"sha256", "size"}


def test_an_enforced_state_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    """When the store of enforced states is damaged the states run, and the run says so with exit code 2."""
    write(tmp_path, states__t="a:\n  test.present:\n    - new_state: {n: 1}\n")
    (tmp_path / ".ensue").mkdir()
    (tmp_path / ".ensue/enforced.db").write_bytes(b"no database\n" * 99)
    report = apply(tmp_path, "t")
    assert [returned.result for returned in report.returns.values()] == [True]
    assert (report.exit_code, [warning.code for warning in report.warnings]) == (2, ["E0105"])


def test_enforced_states_that_find_no_room_are_kept_by_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run has failed; resumed, it keeps them and calls none of its states again."""
    command = f"echo a >> {tmp_path}/log"
    write(tmp_path, states__t=f"a:\n  cmd.run:\n    - name: {command}\n")
    with monkeypatch.context() as full:
        full.setattr(EnforcedFile, "write", _no_room)
        report = apply(tmp_path, "t")
    assert (report.status, report.exit_code, report.not_run) == ("failed", 2, ())
    assert ([warning.code for warning in report.warnings], report.stopped) == (["E0105"], "no room")
    assert apply(tmp_path, resume="last").exit_code == 0
    assert (tmp_path / "log").read_text() == "a\n"
    assert (tmp_path / ".ensue/enforced.db").exists()


def _no_room(_file: EnforcedFile, _rows: object) -> None:
    raise DiskError("no room", errno.ENOSPC)
