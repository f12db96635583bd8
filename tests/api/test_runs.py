"""Runs and calls from Python: their results, their errors, and that no secret is in either."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

import ensue

if TYPE_CHECKING:
    from pathlib import Path

SLS = {
    "plain": "one:\n  test.succeed_with_changes: []\ntwo:\n  test.fail_without_changes: []\n",
    "late": (
        "one:\n  test.present:\n    - new_state: {a: x}\n    - delayed_render:\n      - block: more\n"
        "#!delayed_block more\n"
        "two:\n  test.present:\n    - new_state: {b: {{ prev_ret.new_state.a }}}\n"
        "#!end_delayed_block\n"
    ),
    "secret": "one:\n  test.present:\n    - comment: it is {{ pillar['password'] }}\n",
    "wrong": "one:\n  test.present:\n    - commnt: it is {{ pillar['password'] }}\n",
    "slow": "one:\n  test.nop: []\ntwo:\n  cmd.run:\n    - name: exec sleep 600\nthree:\n  test.nop: []\n",
}
PASSWORD = "correct-horse-battery"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "states").mkdir()
    for name, text in SLS.items():
        (tmp_path / f"states/{name}.sls").write_text(text)
    return tmp_path


def test_an_apply_returns_its_states(root: Path) -> None:
    """A failed state is part of the result; its siblings are there in the order in which they started."""
    seen: list[str] = []
    result = ensue.apply("plain", root=root, minion_id="m", on_state=lambda state: seen.append(state.id))
    assert (result.ok, result.status, result.test) == (False, "failed", False)
    assert [state.id for state in result.states] == seen == ["one", "two"]
    assert [state.id for state in result.changed] == ["one"]
    assert [(state.function, state.target, state.sls) for state in result.failed] == [
        ("test.fail_without_changes", "minion:m", "plain")
    ]
    assert result.of("one")[0].result is True


def test_a_plan_changes_nothing(root: Path) -> None:
    """What an apply would change has the result None, and counts as changed."""
    result = ensue.plan("plain", root=root)
    assert [state.result for state in result.states] == [None, False]
    assert [state.id for state in result.changed] == ["one"]


def test_states_of_delayed_blocks_are_among_the_others(root: Path) -> None:
    """A state of a block has the block's path as its scope."""
    states = ensue.apply("late", root=root).states
    assert [(state.id, state.scope, state.new_state) for state in states] == [
        ("one", "", {"a": "x"}),
        ("two", "one/more", {"b": "x"}),
    ]


def test_secrets_are_masked(root: Path) -> None:
    """A secret of pillar is in no result, in no reported state, and in no exception."""
    reported: list[str] = []
    pillar = {"password": PASSWORD}
    result = ensue.apply(
        "secret", root=root, pillar=pillar, on_state=lambda state: reported.append(repr(state))
    )
    assert "it is (sensitive)" in result.states[0].comment
    with pytest.raises(ensue.CompileError) as caught:
        ensue.apply("wrong", root=root, pillar=pillar)
    assert "commnt" in str(caught.value)
    assert PASSWORD not in "".join(
        (repr(result), *reported, str(caught.value), repr(caught.value.diagnostics))
    )


def test_what_is_wrong_with_a_project(root: Path) -> None:
    """All diagnostics are in one exception, with codes and places."""
    with pytest.raises(ensue.CompileError) as caught:
        ensue.plan("nowhere", root=root)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E0301"]
    (root / "ensue.yaml").write_text("concurrency: many\nlog_level: loud\n")
    with pytest.raises(ensue.ConfigurationError) as refused:
        ensue.plan("plain", root=root)
    assert len(refused.value.diagnostics) > 1


def test_calls(root: Path) -> None:
    """Each target answers; a function that fails is an answer, one that does not exist an exception."""
    (answer,) = ensue.call("*", "cmd.run", "echo ready", root=root)
    assert (answer.ok, answer.value) == (True, "ready")
    (answer,) = ensue.call("*", "file.read", "/nowhere/at/all", root=root)
    assert not answer.ok
    with pytest.raises(ensue.ConfigurationError):
        ensue.call("*", "cmd.rnu", "echo", root=root)


def test_with_an_event_loop(root: Path) -> None:
    """`Project` runs one thing after the other; the plain functions refuse where a loop is running."""

    async def main() -> None:
        async with ensue.Project(root, minion_id="m") as project:
            assert (await project.plan("late")).ok
            assert (await project.apply("late")).ok
            assert [answer.value async for answer in project.call("*", "test.ping")] == [True]
        with pytest.raises(RuntimeError, match=r"ensue\.Project"):
            ensue.apply("late", root=root)

    asyncio.run(main())


async def _begun(project: ensue.Project) -> asyncio.Task[ensue.RunResult]:
    """Return the task of an apply whose first state has ended and whose second one never does."""
    first_ended = asyncio.Event()
    running = asyncio.ensure_future(project.apply("slow", on_state=lambda _: first_ended.set()))
    await first_ended.wait()
    return running


async def _ended(running: asyncio.Task[ensue.RunResult]) -> ensue.RunResult:
    """Cancel twice: the first lets what is running end, the second ends it."""
    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    return await running


def test_cancelling_ends_a_run(root: Path) -> None:
    """The result of a run whose task was cancelled says what was not run."""

    async def main() -> ensue.RunResult:
        async with ensue.Project(root) as project:
            return await _ended(await _begun(project))

    result = asyncio.run(main())
    assert (result.status, result.ok) == ("interrupted", False)
    assert result.of("one")[0].result is True
    assert any(entry.startswith("three") for entry in result.not_run)


def test_two_applies_exclude_each_other(root: Path) -> None:
    """A second apply of a project is refused while one is running."""

    async def main() -> None:
        async with ensue.Project(root) as first, ensue.Project(root) as second:
            running = await _begun(first)
            with pytest.raises(ensue.LockHeldError):
                await second.apply("late")
            await _ended(running)

    asyncio.run(main())


def three_hosts(root: Path) -> None:
    """Give a project three hosts, of which the second is not ready."""
    hosts = {f"web-{number}": {"root": str(root / f"web-{number}")} for number in (1, 2, 3)}
    (root / "pillar").mkdir()
    (root / "pillar/top.sls").write_text("base: {m: [hosts]}\n")
    (root / "pillar/hosts.sls").write_text(json.dumps({"resources": {"minion": {"hosts": hosts}}}))
    (root / "states/hosts.sls").write_text("release:\n  file.exists: [name: /release]\n")
    for host in hosts:
        (root / host).mkdir()
        if host != "web-2":
            (root / host / "release").touch()


def test_no_further_host_begins_beyond_the_fail_limit(root: Path) -> None:
    """Hosts that were not begun are listed, and a warning says why."""
    three_hosts(root)
    result = ensue.apply("hosts", root=root, minion_id="m", target="web-*", batch="1", fail_limit="0")
    assert [(state.target, state.result) for state in result.states] == [
        ("minion:web-1", True),
        ("minion:web-2", False),
    ]
    assert len(result.not_run) == 1
    assert [warning.code for warning in result.warnings] == ["E0868"]


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ({"batch": "1"}, "are for runs over many hosts"),
        ({"fail_limit": "1"}, "are for runs over many hosts"),
        ({"target": "web-*", "fail_limit": "1"}, "no effect without a batch"),
        ({"target": "web-*", "batch": "half"}, "the batch is 'half'"),
    ],
)
def test_a_limit_without_effect_is_refused(limits: dict[str, str], why: str, root: Path) -> None:
    """As on the command line, nothing is run."""
    with pytest.raises(ensue.ConfigurationError, match=why):
        ensue.apply("plain", root=root, minion_id="m", **limits)  # type: ignore[arg-type]
