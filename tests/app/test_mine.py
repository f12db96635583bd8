"""What targets of a project have for each other: `mine`, `publish`, and the runner that reads the mine."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions

if TYPE_CHECKING:
    from pathlib import Path

RESOURCES = """\
resources:
  dummy:
    hosts:
      web-1: {grains: {role: web, port: 81}}
      web-2: {grains: {role: web, port: 82}}
      db-1: {grains: {role: db}}
mine_functions:
  port:
    - mine_function: grains.get
    - port
  role: [{mine_function: grains.get, key: role}]
"""


def call(root: Path, target: str, function: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            answers = project.call(target, function, args, kwargs)
            return {answer.target.id: answer.value async for answer in answers}

    return asyncio.run(run())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, pillar__top="base:\n  '*': [p]\n", pillar__p=RESOURCES)
    return tmp_path


def test_a_template_reads_what_targets_have(root: Path) -> None:
    """`mine.get` asks the targets for what their pillar defines, by glob or another kind of target."""
    write(
        root,
        states__t="{% for id, port in salt['mine.get']('web-*', 'port') | dictsort %}\n"
        "{{ id }}-{{ port }}: test.nop\n{% endfor %}\n"
        "{% for id in salt['saltutil.runner']('mine.get', tgt='role:db', fun='role', tgt_type='grain') %}\n"
        "{{ id }}: test.nop\n{% endfor %}\n",
    )
    ids = [returned.id for returned in apply(root, "t").returns.values()]
    assert ids == ["web-1-81", "web-2-82", "db-1"]


def test_several_values_stand_by_name(root: Path) -> None:
    """Several names give a mapping of names; the asking target may be left out."""
    asked = call(root, "web-1", "mine.get", "web-*", "port,role", exclude_minion=True)
    assert asked == {"web-1": {"port": {"web-2": 82}, "role": {"web-2": "web"}}}
    assert call(root, "web-1", "mine.get", ["web-1", "db-1"], ["role"], tgt_type="list") == {
        "web-1": {"role": {"web-1": "web", "db-1": "db"}}
    }


def test_what_is_sent_is_kept_encrypted(root: Path) -> None:
    """A later command has what `mine.send` kept, and the file does not show it."""
    sent = call(root, "web-*", "mine.send", "note", mine_function="test.echo", text="unlikely-words")
    assert sent == {"web-1": True, "web-2": True}
    assert call(root, "m", "mine.get", "*", "note") == {
        "m": {"web-1": "unlikely-words", "web-2": "unlikely-words"}
    }
    assert call(root, "web-1", "mine.valid") == {"web-1": {"note": []}}
    kept = [path.read_bytes() for path in (root / ".ensue/mine").iterdir()]
    assert len(kept) == 2
    assert not any(b"unlikely" in content for content in kept)
    call(root, "web-1", "mine.delete", "note")
    call(root, "web-2", "mine.flush")
    assert not list((root / ".ensue/mine").iterdir())


def test_nothing_is_ever_silently_empty(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A target that is not there and a value that nobody has are each warned of, once per command."""
    caplog.set_level(logging.WARNING)
    write(
        root,
        states__t="{% for i in (1, 2) %}{% set x = salt['mine.get']('nobody', 'port') %}{% endfor %}\n"
        "{% set x = salt['mine.get']('web-1', 'nothing') %}\na: test.nop\n",
    )
    apply(root, "t")
    messages = [record.message for record in caplog.records if "mine" in record.message]
    assert len(messages) == 2, messages
    assert "no target of this project matches" in messages[0]
    assert (
        "write `mine_functions: {nothing: [{mine_function: MODULE.FUNCTION}]}` in ensue.yaml" in messages[1]
    )


def test_a_target_that_does_not_answer_has_what_was_kept(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """When a function fails, what an earlier command kept counts, and a warning says why it failed."""
    call(root, "web-1", "mine.update")
    broken = RESOURCES.replace("mine_function: grains.get\n    - port", "mine_function: cmd.run\n    - port")
    write(root, pillar__p=broken)
    caplog.set_level(logging.WARNING)
    assert call(root, "m", "mine.get", "web-1", "port") == {"m": {"web-1": 81}}
    assert "cmd.run is not available for dummy" in caplog.text


def test_pillar_reads_what_was_kept(root: Path) -> None:
    """While pillar is compiled nobody is asked, and what earlier commands kept is there."""
    call(root, "m", "mine.send", "note", mine_function="test.echo", text="before")
    write(root, pillar__p=RESOURCES + "seen: {{ salt['mine.get']('m', 'note') | tojson }}\n")
    assert call(root, "m", "pillar.get", "seen") == {"m": {"m": "before"}}


def test_a_definition_that_makes_no_sense_is_told(root: Path) -> None:
    """A definition is a list or a mapping of arguments; anything else is refused by name."""
    write(root, pillar__p="mine_functions: {port: 7}\n")
    assert "mine_functions:port must be a list or a mapping" in call(root, "m", "mine.update")["m"]


def test_publish_calls_functions_on_other_targets(root: Path) -> None:
    """Arguments are a list or text, `name=value` is one by name; a failure is that target's value."""
    assert call(root, "m", "publish.publish", "role:web", "grains.get", "port", tgt_type="grain") == {
        "m": {"web-1": 81, "web-2": 82}
    }
    assert call(root, "m", "publish.full_data", "web-1", "test.echo", ["text=a b"]) == {
        "m": {"web-1": {"ret": "a b"}}
    }
    answer = call(root, "m", "publish.publish", "db-1", "cmd.run", "uptime")["m"]
    assert "not available for dummy" in answer["db-1"]
    assert call(root, "m", "saltutil.cmd", "web-1", "grains.get", ["role"]) == {"m": {"web-1": "web"}}


def test_saltutil_cmd_says_what_has_no_effect(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A returner, a timeout and options of Salt's client are warned of by name; a subset is refused."""
    caplog.set_level(logging.WARNING)
    words = ("web-1", "grains.get", ["role"])
    call(root, "m", "saltutil.cmd", *words, batch="", full_return=False)
    assert not caplog.records
    call(root, "m", "saltutil.cmd", *words, ret="redis", timeout=5, batch="10%")
    assert "not sent to 'redis'" in caplog.text
    assert "no use for batch, timeout" in caplog.text
    caplog.clear()
    answer = call(root, "m", "saltutil.cmd_iter", *words, ret="redis")
    assert answer == {"m": [{"web-1": {"ret": "web"}}]}
    assert "not sent to 'redis'" in caplog.text
    refused = call(root, "m", "saltutil.cmd", "*", "grains.get", ["role"], subset=1)["m"]
    assert "random subset" in refused


def test_publish_takes_the_arguments_of_salt_by_position(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A returner and a timeout may follow the kind of target; a returner is warned of."""
    caplog.set_level(logging.WARNING)
    call(root, "m", "publish.publish", "web-1", "grains.get", "port", "glob", "", 10)
    assert "returners" not in caplog.text
    for function, answer in (("publish", 81), ("full_data", {"ret": 81})):
        caplog.clear()
        answers = call(root, "m", f"publish.{function}", "web-1", "grains.get", "port", "glob", "redis", 10)
        assert answers == {"m": {"web-1": answer}}
        assert "ensue has no returners; the results of grains.get are not sent to 'redis'" in caplog.text


def test_a_state_applies_more_states(root: Path) -> None:
    """`module.run` of `state.sls` and `state.single` runs states as growth, whose failure is its own."""
    write(
        root,
        states__t="more:\n  module.run:\n    - state.sls: [{mods: other}]\n"
        "one:\n  module.run:\n    - state.single: [{fun: test.succeed_with_changes, name: x}]\n"
        "bad:\n  module.run:\n    - state.single: [{fun: test.fail_without_changes, name: y}]\n",
        states__other="in other: test.nop\n",
    )
    report = apply(root, "t")
    results = {returned.id: returned.result for returned in report.returns.values()}
    assert (results["more"], results["one"], results["bad"]) == (True, True, False), report.returns
    answer = call(root, "m", "state.sls", "other")["m"]
    assert "ensue apply" in answer


def test_a_value_is_requested_once_per_command(root: Path) -> None:
    """A template that reads it twice reads the same value, although its function would return another one."""
    chance = "mine_functions:\n  chance: [{mine_function: random.rand_int, start: 1, end: 1000000000}]\n"
    values = "{{ salt['mine.get']('web-1', 'chance')['web-1'] }}"
    write(
        root,
        pillar__p=RESOURCES.partition("mine_functions:")[0] + chance,
        states__t=f"{values} and {values}: test.nop\n",
    )
    (returned,) = apply(root, "t").returns.values()
    first, _, second = returned.id.partition(" and ")
    assert first == second != ""


def test_what_one_command_sends_and_deletes_is_gone_for_it_too(root: Path) -> None:
    """What a project holds fresh of a target goes with what its file keeps; the others keep theirs."""

    async def run() -> list[Any]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:

            async def asked(target: str, function: str, *args: Any, **kwargs: Any) -> Any:
                return [answer.value async for answer in project.call(target, function, args, kwargs)]

            await asked("web-*", "mine.send", "note", mine_function="test.echo", text="words")
            before = await asked("m", "mine.get", "*", "note")
            await asked("web-1", "mine.delete", "note")
            return [*before, *await asked("m", "mine.get", "*", "note")]

    assert asyncio.run(run()) == [{"web-1": "words", "web-2": "words"}, {"web-2": "words"}]
