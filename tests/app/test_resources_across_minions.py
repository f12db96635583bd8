"""States of one minion run on resources that another minion of the run manages."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.app.minions_together import Together

from ensue.core.model.srn import Srn
from ensue.salt.fleet.resource_messages import (
    MOST_RESOURCES,
    FindResources,
    ResourceAnswer,
    ResourceAsked,
    Share,
    SharedResource,
    Withdraw,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.app.minions_together import Outcome

    from ensue.salt.fleet.resource_messages import Question

BOX = Srn("dummy", "box")
MAKER = """\
made:
  test.present:
    - new_state: {secret: s3cret-of-the-box}
    - sensitive: [secret]
    - registers:
      - dummy:box: {grains: {role: "${self:secret}"}}
"""
USER = """\
use:
  file.managed:
    - name: /etc/motd
    - contents: by {{ grains['id'] }}
    - tgt: T@dummy:*
    - require:
      - 'minion[a]': {test: made}
"""


def _run(together: Together) -> Outcome:
    return asyncio.run(together.run())


def _motd(root: Path, minion: str = "a") -> Path:
    (path,) = (root / minion).rglob("files/etc/motd")
    return path


def test_the_managing_minion_calls_the_state(tmp_path: Path) -> None:
    """The file is on the resource of `a`; `b` has the return, and neither it nor its messages the secret."""
    together = Together(tmp_path, {"a": MAKER, "b": USER})
    outcome = _run(together)
    returned = outcome.returns("b")["box use"]
    assert (returned.result, returned.target) == (True, "dummy:box")
    assert returned.changes
    assert _motd(tmp_path).read_text() == "by b\n"
    assert [(minion, call.srn) for minion, call in together.calls] == [("a", "dummy:box")]
    record = together.registry.record(BOX)
    assert record is not None
    assert (record.status, record.managing_minions) == ("active", ("a",))
    assert together.registry.get(BOX) == {"grains": {"role": "s3cret-of-the-box"}}
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert everything.count(b"s3cret-of-the-box") == (tmp_path / "a/states/site.sls").read_bytes().count(
        b"s3cret-of-the-box"
    ) + sum(path.read_bytes().count(b"s3cret-of-the-box") for path in (tmp_path / "a").rglob("templates/*"))


BOXES = """\
made:
  test.present:
    - new_state: {}
    - registers:
      - dummy:box-1: {}
      - dummy:box-2: {}
inside:
  test.present:
    - new_state: {value: hello, secret: s3cret-of-the-box}
    - sensitive: [secret]
    - tgt: T@dummy:box-*
"""
READER = """\
one:
  test.present:
    - new_state: {read: "${minion[a]:test:inside[box-1]:secret}"}
all:
  test.nop:
    - require:
      - 'minion[a]': {test: inside}
    - delayed_render:
      - block: later
changed:
  test.nop:
    - onchanges_any:
      - 'minion[a]': {test: inside}
ambiguous:
  test.present:
    - new_state: ${minion[a]:test:inside:value}
nowhere:
  test.present:
    - new_state: ${minion[a]:test:inside[box-9]:value}
#!delayed_block later
late:
  test.present:
    - new_state: ${minion[a]:test:inside[dummy:box-2]:value}
#!end_delayed_block
"""


def test_states_on_resources_have_values_for_other_minions(tmp_path: Path) -> None:
    """A minion reads what a state of another returned on one of its resources, also in a delayed block."""
    outcome = _run(Together(tmp_path, {"a": BOXES, "b": READER}))
    returns = outcome.returns("b")
    assert {name: returned.result for name, returned in returns.items()} == {
        "one": True, "all": True, "changed": True, "ambiguous": False, "nowhere": False
    }  # fmt: skip
    assert returns["one"].new_state == {"read": "s3cret-of-the-box"}
    assert outcome.maskers["b"].text("s3cret-of-the-box") != "s3cret-of-the-box"
    assert not [line for line in outcome.lines["b"] if b"s3cret-of-the-box" in line]
    (later,) = returns["all"].delayed
    assert [returned.new_state for returned in later.returns.values()] == ["hello"]
    assert (
        "run on several resources, 'box-1', 'box-2': name one (`inside[box-1]`)"
        in returns["ambiguous"].comment
    )
    assert "it was not run on 'box-9', but on dummy:box-1, dummy:box-2" in returns["nowhere"].comment


def test_conditions_hold_on_the_resource(tmp_path: Path) -> None:
    """`creates` looks for the file there; a state that is skipped counts as one here."""
    user = f"{USER}    - creates: /etc/motd\n"
    assert _run(Together(tmp_path, {"a": MAKER, "b": user})).returns("b")["box use"].changes
    skipped = _run(Together(tmp_path, {"a": MAKER, "b": user})).returns("b")["box use"]
    assert (skipped.result, skipped.skipped, skipped.comment) == (True, True, "/etc/motd exists")


def test_a_plan_changes_nothing(tmp_path: Path) -> None:
    """The managing minion is asked what would change; what is not registered is known after apply."""
    first = _run(Together(tmp_path, {"a": MAKER, "b": USER}, test=True)).returns("b")["use"]
    assert (first.result, first.unknown) == (None, True)
    _run(Together(tmp_path, {"a": MAKER}))
    outcome = _run(Together(tmp_path, {"a": MAKER, "b": USER}, test=True))
    assert outcome.returns("b")["box use"].result is None
    assert not [*tmp_path.rglob("files/etc/motd")]


def test_the_timeout_of_the_state_covers_the_way(tmp_path: Path) -> None:
    """A minion that never answers ends with the `timeout` of the state, as any call does."""
    together = Together(tmp_path, {"a": MAKER, "b": f"{USER}    - timeout: 2\n"})
    together.answer_no_calls()
    returned = _run(together).returns("b")["box use"]
    assert (returned.result, returned.comment) == (False, "Timed out after 2 seconds")


def test_mod_watch_is_called_there(tmp_path: Path) -> None:
    """A watched change restarts the service of the resource."""
    user = """\
config:
  test.succeed_with_changes: []
web:
  service.running:
    - name: apache
    - tgt: T@dummy:box
    - watch: [test: config]
"""
    _run(Together(tmp_path, {"a": MAKER}))
    together = Together(tmp_path, {"a": MAKER, "b": user})
    assert _run(together).returns("b")["box web"].result is True
    assert [call.function for _, call in together.calls] == ["running", "mod_watch"]


def test_another_minion_cannot_register_it_anew(tmp_path: Path) -> None:
    """With another configuration the state fails; with the same, the resource keeps its minion."""
    _run(Together(tmp_path, {"a": MAKER}))
    outcome = _run(Together(tmp_path, {"b": MAKER.replace("s3cret-of-the-box", "other")}))
    assert outcome.returns("b")["made"].result is False
    assert "E0896: dummy:box is registered by the minion a with" in outcome.returns("b")["made"].comment
    together = Together(tmp_path, {"c": MAKER})
    assert _run(together).returns("c")["made"].result is True
    record = together.registry.record(BOX)
    assert record is not None
    assert record.managing_minions == ("a",)


def test_what_is_no_longer_registered_is_withdrawn(tmp_path: Path) -> None:
    """The coordinator's entry is orphaned with that of the minion, and is no target for others."""
    _run(Together(tmp_path, {"a": MAKER}))
    together = Together(
        tmp_path, {"a": "nothing:\n  test.nop: []\n", "b": USER.partition("    - require")[0]}
    )
    _run(together)
    record = together.registry.record(BOX)
    assert record is not None
    assert (record.status, record.invalidated_because) == (
        "orphaned",
        "made (test.present in site) is no longer declared",
    )
    late = _run(Together(tmp_path, {"b": USER.partition("    - require")[0]}))
    assert "no minion or resource matches the target 'T@dummy:*'" in late.returns("b")["use"].comment


def test_own_resources_come_first(tmp_path: Path) -> None:
    """A resource that pillar declares on the minion itself is that of the minion."""
    _run(Together(tmp_path, {"a": MAKER}))
    (tmp_path / "b" / "pillar").mkdir(parents=True)
    (tmp_path / "b" / "pillar" / "top.sls").write_text("base: {'*': [own]}\n")
    (tmp_path / "b" / "pillar" / "own.sls").write_text(json.dumps({"resources": {"dummy": {"box": {}}}}))
    together = Together(tmp_path, {"b": USER.partition("    - require")[0]})
    assert _run(together).returns("b")["box use"].result is True
    assert together.calls == []
    assert _motd(tmp_path, "b").read_text() == "by b\n"


def _answers(tmp_path: Path, *asked: tuple[str, ResourceAsked]) -> list[tuple[str, ResourceAnswer]]:
    """Return what a desk answers, in order."""
    from ensue.salt.fleet.desk import ResourceDesk
    from ensue.store.registry.registry import ResourceRegistry

    registry = ResourceRegistry(tmp_path / "coordinator", minion_id="master")

    async def ask() -> list[tuple[str, ResourceAnswer]]:
        answers: list[tuple[str, ResourceAnswer]] = []
        is_answered = asyncio.Event()

        def send(minion: str, answer: object, then: Callable[[], None]) -> None:
            then()
            assert isinstance(answer, ResourceAnswer)
            answers.append((minion, answer))
            if len(answers) == len(asked):
                is_answered.set()

        async def never(*_: object) -> None:
            raise AssertionError

        async with ResourceDesk(lambda: registry, send, never, ["a", "b"]) as desk:  # type: ignore[arg-type]  # is not called
            for minion, question in asked:
                desk.asked(minion, question)
            await is_answered.wait()
        return answers

    return asyncio.run(ask())


def test_what_ends_a_run_keeps_its_class(tmp_path: Path) -> None:
    """An error of the run passes through the desk as it is, so that the coordinator knows what has failed."""
    from ensue.core.errors import StoreError
    from ensue.salt.fleet.desk import ResourceDesk
    from ensue.store.registry.registry import ResourceRegistry

    registry = ResourceRegistry(tmp_path / "coordinator", minion_id="master")

    async def fail() -> None:
        async with ResourceDesk(lambda: registry, _unused, _unused, ["a"]):
            raise StoreError("the disk is full")

    with pytest.raises(StoreError, match="the disk is full"):
        asyncio.run(fail())


def _unused(*_: object) -> Any:
    raise AssertionError


def test_a_minion_changes_only_its_own_resources(tmp_path: Path) -> None:
    """One that withdraws a resource of another changes nothing, and minions are no resources."""
    box = SharedResource(srn="dummy:box", config={})
    answers = _answers(
        tmp_path,
        ("a", ResourceAsked("1", Share((box,)))),
        ("b", ResourceAsked("2", Withdraw(("dummy:box",), "forgotten"))),
        ("b", ResourceAsked("3", FindResources())),
        ("b", ResourceAsked("4", Share((SharedResource(srn="minion:a", config={}),)))),
        ("a", ResourceAsked("5", Withdraw(("dummy:box",), "invalidated", "it is gone"))),
        ("b", ResourceAsked("6", FindResources())),
        ("b", ResourceAsked("7", Share((SharedResource(srn="dummy:a", config={}),)))),
    )
    by_id = {answer.id: answer for _, answer in answers}
    assert by_id["3"].resources == {"a": ("dummy:box",)}
    assert (by_id["4"].is_conflict, "minion:a cannot be registered" in by_id["4"].problem) == (True, True)
    assert by_id["6"].resources == {}
    assert by_id["7"].problem.startswith("E0702: dummy:a cannot be registered: a minion of this run has")


_IDS = st.sampled_from(["one", "two"])
_CONFIGS = st.sampled_from([{}, {"grains": {"role": "x"}}])
_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        st.one_of(
            st.tuples(st.just("share"), _IDS, _CONFIGS),
            st.tuples(st.sampled_from(["invalidated", "orphaned", "forgotten"]), _IDS, st.none()),
            st.tuples(st.just("find"), st.none(), st.none()),
        ),
    ),
    min_size=1,
    max_size=12,
)


def _question(step: tuple[str, str, Any]) -> Question:
    what, id_, config = step
    if what == "share":
        return Share((SharedResource(srn=f"dummy:{id_}", config=config),))
    return FindResources() if what == "find" else Withdraw((f"dummy:{id_}",), what)  # type: ignore[arg-type]  # one of the words


def _expected(owners: dict[str, tuple[str, Any]], minion: str, step: tuple[str, str, Any]) -> Any:
    """Do a step in a small model: the minion and the configuration of each id that can be targeted."""
    what, id_, config = step
    if what == "find":
        others = sorted({owner for owner, _ in owners.values()} - {minion})
        return {
            other: tuple(sorted(f"dummy:{id_}" for id_ in owners if owners[id_][0] == other))
            for other in others
        }
    owner, known = owners.get(id_, (minion, config))
    if what == "share":
        owners[id_] = (owner, known if owner != minion else config)
        return owner == minion or known == config
    if owner == minion:
        owners.pop(id_, None)
    return True


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_drawn_questions_agree_with_a_model(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, tuple[str, str, Any]]]
) -> None:
    """Whatever minions say, a resource is that of its minion until this one gives it up."""
    owners: dict[str, tuple[str, Any]] = {}
    asked = [
        (minion, ResourceAsked(str(number), _question(step))) for number, (minion, step) in enumerate(steps)
    ]
    answers = {answer.id: answer for _, answer in _answers(tmp_path_factory.mktemp("d"), *asked)}
    for number, (minion, step) in enumerate(steps):
        expected, answer = _expected(owners, minion, step), answers[str(number)]
        if step[0] == "find":
            assert {owner: tuple(sorted(names)) for owner, names in answer.resources.items()} == expected
        else:
            assert (not answer.problem) == expected, (step, answer)


def test_questions_are_bounded(tmp_path: Path) -> None:
    """A malformed name is refused by its question, and too many resources are not shown."""
    many = tuple(SharedResource(srn=f"dummy:{number}", config={}) for number in range(MOST_RESOURCES))
    answers = _answers(
        tmp_path,
        ("a", ResourceAsked("1", Share((SharedResource(srn="dummy", config={}),)))),
        ("a", ResourceAsked("2", Share(many))),
        ("a", ResourceAsked("3", Share((SharedResource(srn="dummy:more", config={}),)))),
        ("b", ResourceAsked("4", FindResources())),
    )
    by_id = {answer.id: answer for _, answer in answers}
    assert "not a resource name: 'dummy'" in by_id["1"].problem
    assert "other minions manage 10001 resources" in by_id["4"].problem
