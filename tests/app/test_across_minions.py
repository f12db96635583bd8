"""States of one minion name states of another: values, requisites, failures, cycles."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.minions_together import Together

from ensue.core.model.events import RunStarted, ScopePlanned
from ensue.salt.fleet.value_messages import Asked, MinionCompiled
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from tests.app.minions_together import Outcome

TOKEN = """\
token:
  test.present:
    - new_state: {port: 8080, stdout: abc, hosts: [a, b]}
"""


def _ran(root: Path, slses: dict[str, str], **options: Any) -> Outcome:
    return asyncio.run(Together(root, slses, **options).run())


def test_a_value_keeps_its_type_and_is_handed_over_once(tmp_path: Path) -> None:
    """A whole argument keeps its type, a text gets the value's text; many states need one delivery."""
    consumer = """\
whole:
  test.present:
    - new_state: {port: "${minion[db1]:test:token:port}", hosts: "${minion[db1]:test:token:hosts}"}
text:
  test.present:
    - new_state: {url: "http://db1:${minion[db1]:test:token:port}/"}
all:
  test.present:
    - new_state: "${minion[db1]:test:token:}"
"""
    outcome = _ran(tmp_path, {"web1": consumer, "db1": TOKEN})
    returns = outcome.returns("web1")
    assert returns["whole"].new_state == {"port": 8080, "hosts": ["a", "b"]}
    assert returns["text"].new_state == {"url": "http://db1:8080/"}
    assert returns["all"].new_state == {"port": 8080, "stdout": "abc", "hosts": ["a", "b"]}
    assert list(returns) == ["whole", "text", "all"]
    assert len(outcome.given("web1")) == 1
    assert outcome.given("db1") == []


@pytest.mark.parametrize(
    ("word", "producer", "runs"),
    [
        ("require", "    - new_state: {a: 1}\n", True),
        ("require", "    - result: false\n", False),
        ("onchanges", "    - changes: {a: 1}\n", True),
        ("onchanges", "    - new_state: {a: 1}\n", False),
        ("watch", "    - changes: {a: 1}\n", True),
        ("onfail", "    - result: false\n", True),
        ("onfail", "    - new_state: {a: 1}\n", False),
    ],
)
def test_requisites_mean_states_of_other_minions(
    tmp_path: Path, word: str, producer: str, runs: bool
) -> None:
    """A requisite on a state of another minion means what it means on any state; others go on."""
    consumer = f"""\
after:
  test.present:
    - new_state: {{ran: true}}
    - {word}:
      - 'minion[db1]': {{test: token}}
by_id:
  test.present:
    - new_state: {{ran: true}}
    - {word}:
      - 'minion[db1]': token
other:
  test.nop: []
"""
    outcome = _ran(tmp_path, {"web1": consumer, "db1": f"token:\n  test.present:\n{producer}"})
    returns = outcome.returns("web1")
    assert bool(returns["after"].new_state) is runs
    assert bool(returns["by_id"].new_state) is runs
    assert returns["other"].result is True


def test_a_journal_has_the_states_of_its_minion(tmp_path: Path) -> None:
    """A state of another minion is in no event of a run, and counts nowhere in its totals."""
    consumer = f"{TOKEN}use:\n  test.nop:\n    - require:\n      - token\n      - 'minion[db1]': token\n"
    outcome = _ran(tmp_path, {"web1": consumer, "db1": TOKEN})
    events = [journal_form.decode(line) for line in outcome.lines["web1"]]
    assert next(event for event in events if isinstance(event, RunStarted)).total == 2
    edges = next(event for event in events if isinstance(event, ScopePlanned)).edges
    assert [tuple(edge) for edge in edges] == [(0, 1, "require")]
    assert not any(b"minion[db1]" in line for line in outcome.lines["web1"])


def test_a_failed_producer_is_named(tmp_path: Path) -> None:
    """The consumer of a failed state is not called, and names the state, its minion and the reason."""
    consumer = "use:\n  test.present:\n    - new_state: ${minion[db1]:test:token:stdout}\n"
    outcome = _ran(
        tmp_path,
        {
            "web1": consumer,
            "db1": "token:\n  test.present:\n    - result: false\n    - comment: no entropy\n",
        },
    )
    use = outcome.returns("web1")["use"]
    assert (use.result, use.ran) == (False, False)
    assert use.comment == (
        "One or more requisite failed: minion[db1]:test:token\nminion[db1]:test:token: no entropy"
    )


def test_a_delayed_block_reads_a_state_of_another_minion(tmp_path: Path) -> None:
    """A block that is rendered during the run asks for its values then; its scope has no further states."""
    consumer = """\
first:
  test.present:
    - new_state: {a: 1}
    - delayed_render:
      - block: later
#!delayed_block later
inner:
  test.present:
    - new_state: {got: "${minion[db1]:test:token:port}"}
    - require:
      - 'minion[db1]': token
#!end_delayed_block
"""
    outcome = _ran(tmp_path, {"web1": consumer, "db1": TOKEN})
    (entry,) = outcome.returns("web1")["first"].delayed
    (inner,) = entry.returns.values()
    assert inner.new_state == {"got": 8080}


def test_a_secret_stays_one(tmp_path: Path) -> None:
    """Secrets are held sealed, known as secrets where they arrive, and in no event of either minion."""
    producer = """\
token:
  test.present:
    - new_state: {stdout: planted-s3cret, pin: 41, open: word}
    - sensitive: [stdout, pin]
mixed:
  test.present:
    - new_state: {line: "password=${test:token:stdout};"}
"""
    consumer = """\
use:
  test.present:
    - new_state:
        header: "Bearer ${minion[db1]:test:token:stdout}"
        pin: "${minion[db1]:test:token:pin}"
        line: "${minion[db1]:test:mixed:line}"
        open: "${minion[db1]:test:token:open}"
"""
    outcome = _ran(tmp_path, {"web1": consumer, "db1": producer})
    assert outcome.returns("web1")["use"].new_state == {
        "header": "Bearer planted-s3cret",
        "pin": 41,
        "line": "password=planted-s3cret;",
        "open": "word",
    }
    masker = outcome.maskers["web1"]
    assert masker.text("x planted-s3cret x") == "x (sensitive) x"
    events = b"".join(line for lines in outcome.lines.values() for line in lines)
    assert b"planted-s3cret" not in events
    assert b"word" in events


@pytest.mark.parametrize(
    ("reference", "comment"),
    [
        ("${minion[db1]:test:tokem:x}", "db1 has no such state in this run: did you mean token?"),
        ("${minion[db1]:cmd:token:x}", "db1 has no such state in this run"),
        ("${minion[db1]:test:twice:x}", "it means several states of db1: 'twice' (test, name 'a'), "),
        ("${minion[db2]:test:token:x}", "db2 is in a later batch (--batch)"),
        ("${minion[db3]:test:token:x}", "the target of this run does not match db3"),
    ],
)
def test_a_state_that_does_not_exist_fails_all_that_name_it(
    tmp_path: Path, reference: str, comment: str
) -> None:
    """Whatever the consumer requires, it fails with the minion and what is there instead."""
    label = reference.removeprefix("${").removesuffix(":x}")
    minion, _, state = label.partition(":")
    module, _, id_ = state.partition(":")
    consumer = f"""\
use:
  test.present:
    - new_state: {reference}
handler:
  test.present:
    - onfail:
      - '{minion}': {{{module}: {id_}}}
other:
  test.nop: []
"""
    producer = f"{TOKEN}twice:\n  test.present:\n    - names: [a, b]\n"
    outcome = _ran(tmp_path, {"web1": consumer, "db1": producer}, matched=("db2",))
    returns = outcome.returns("web1")
    assert returns["use"].result is False
    assert returns["use"].comment.startswith(f"{label}: {comment}")
    assert returns["handler"].result is False
    assert returns["other"].result is True


def test_an_instance_is_picked(tmp_path: Path) -> None:
    """`ID[name]` picks one of several instances of a state, as it does on the same minion."""
    producer = """\
twice:
  test.present:
    - names:
      - a:
        - new_state: {x: 1}
      - b:
        - new_state: {x: 2}
"""
    consumer = "use:\n  test.present:\n    - new_state: ${minion[db1]:test:twice[b]:x}\n"
    outcome = _ran(tmp_path, {"web1": consumer, "db1": producer})
    assert outcome.returns("web1")["use"].new_state == 2


def test_a_minion_whose_states_do_not_compile_fails_its_consumers(tmp_path: Path) -> None:
    """What never runs is reported as such, with the reason of that minion."""
    consumer = "use:\n  test.present:\n    - new_state: ${minion[db1]:test:token:x}\n"
    outcome = _ran(tmp_path, {"web1": consumer, "db1": "token:\n  nope.nope: []\n"})
    assert outcome.returns("web1")["use"].comment.endswith(
        "minion[db1]:test:token: db1 has run nothing: its states do not compile"
    )


def test_a_state_that_was_not_run_fails_its_consumers(tmp_path: Path) -> None:
    """`failhard` on the producer's minion leaves its later states out; their consumers are told."""
    producer = f"bad:\n  test.present:\n    - result: false\n{TOKEN}"
    consumer = "use:\n  test.present:\n    - new_state: ${minion[db1]:test:token:x}\n"
    outcome = _ran(tmp_path, {"web1": consumer, "db1": producer}, options={"failhard": True})
    assert "minion[db1]:test:token: it was not run on db1" in outcome.returns("web1")["use"].comment


def test_the_own_minion_is_no_other_minion(tmp_path: Path) -> None:
    """On the minion that a reference names, it is a reference like any other: one SLS serves all minions."""
    site = f"{TOKEN}use:\n  test.present:\n    - new_state: ${{minion[db1]:test:token:port}}\n"
    outcome = _ran(tmp_path, {"web1": site, "db1": site})
    assert outcome.returns("web1")["use"].new_state == 8080
    assert outcome.returns("db1")["use"].new_state == 8080
    assert outcome.given("db1") == []


def test_a_cycle_over_minions_is_found_before_its_states_run(tmp_path: Path) -> None:
    """Minions that would wait for each other run nothing and name the whole path; others are not delayed."""
    outcome = _ran(
        tmp_path,
        {
            "a": "one:\n  test.present:\n    - new_state: ${minion[b]:test:two:x}\n",
            "b": "two:\n  test.present:\n    - new_state: ${minion[c]:test:three:x}\n",
            "c": "three:\n  test.present:\n    - require:\n      - 'minion[a]': {test: one}\n",
            "d": "four:\n  test.present:\n    - new_state: ${minion[a]:test:one:x}\n",
        },
    )
    steps = {
        "a": "one (states/site.sls:3) on a waits for minion[b]:test:two",
        "b": "two (states/site.sls:3) on b waits for minion[c]:test:three",
        "c": "three (states/site.sls:4) on c waits for minion[a]:test:one",
    }
    for minion in "abc":
        message = outcome.problem(minion)
        assert message.startswith("E0881 ")
        assert all(step.split(" (")[0] in message for step in steps.values()), message
    assert outcome.returns("d")["four"].comment.endswith("it was not run on a: its states do not compile")


ORDERED = {
    "a": """\
one:
  test.present:
    - new_state: ${minion[b]:test:second:x}
last:
  test.present:
    - new_state: {x: 1}
""",
    "b": """\
two:
  test.present:
    - new_state: ${minion[a]:test:last:x}
second:
  test.present:
    - new_state: {x: 2}
""",
}


def test_definition_order_counts_for_cycles(tmp_path: Path) -> None:
    """States that run one after the other wait for those before them, and close a cycle with that."""
    outcome = _ran(tmp_path, ORDERED)
    assert all(isinstance(report, list) and "E0881" in report[0] for report in outcome.reports.values())


def test_without_definition_order_the_same_states_run(tmp_path: Path) -> None:
    """With `state_auto_order: false` a state waits for what it names, and for nothing else."""
    outcome = _ran(tmp_path, ORDERED, options={"state_auto_order": False})
    assert outcome.returns("a")["one"].new_state == 2
    assert outcome.returns("b")["two"].new_state == 1


def test_a_cycle_that_closes_late_fails_with_its_path(tmp_path: Path) -> None:
    """Delayed blocks that wait for what comes after their callers are found when nothing goes on any more."""

    def site(other: str) -> str:
        return f"""\
caller:
  test.present:
    - delayed_render:
      - block: later
end:
  test.present:
    - new_state: {{x: 1}}
#!delayed_block later
inner:
  test.present:
    - new_state: ${{minion[{other}]:test:end:x}}
#!end_delayed_block
"""

    outcome = _ran(tmp_path, {"a": site("b"), "b": site("a")})
    for minion in "ab":
        returns = outcome.returns(minion)
        (entry,) = returns["caller"].delayed
        (inner,) = entry.returns.values()
        assert inner.comment.endswith(
            "minions wait for each other: a delayed block on a waits for minion[b]:test:end; "
            "a delayed block on b waits for minion[a]:test:end"
        )
        assert returns["end"].result is True


def test_a_plan_says_where_values_come_from(tmp_path: Path) -> None:
    """What an apply would show is unknown in a plan, by reference; what is converged is bound."""
    producer = (
        "token:\n  test.present:\n    - changes: {a: 1}\nsame:\n  test.present:\n    - new_state: {x: 3}\n"
    )
    consumer = """\
use:
  test.present:
    - new_state: ${minion[db1]:test:token:x}
block:
  test.present:
    - onchanges:
      - 'minion[db1]': {test: token}
known:
  test.present:
    - new_state: ${minion[db1]:test:same:}
"""
    outcome = _ran(tmp_path, {"web1": consumer, "db1": producer}, test=True)
    use = outcome.returns("web1")["use"]
    assert use.result is None
    assert "${minion[db1]:test:token:x} (known after apply)" in use.comment
    assert outcome.returns("web1")["known"].new_state == {"x": 3}
    by = "use (states/site.sls:2:3), block (states/site.sls:5:3)"
    assert outcome.needs["web1"] == [
        f"{by} need minion[db1]:test:token (known after apply)",
        "known (states/site.sls:9:3) needs minion[db1]:test:same",
    ]


def test_the_deadline_of_the_run_ends_a_wait(tmp_path: Path) -> None:
    """When the coordinator says nothing any more, waits end at the deadline, and the run with them."""
    slses = {"web1": "use:\n  test.present:\n    - new_state: ${minion[db1]:test:token:x}\n"}
    together = Together(tmp_path, slses, matched=("db1",), remaining_s=0.2)
    together.lose_messages()
    outcome = asyncio.run(together.run())
    assert outcome.returns("web1")["use"].comment.endswith("it had not returned at the deadline of the run")


def test_the_example_changes_nothing_the_second_time(tmp_path: Path) -> None:
    """Every minion of the example has the id that `db-01` made, and joins once."""
    text = (Path(__file__).parents[2] / "examples/fleet/states/cluster.sls").read_text()

    def folder(minion: str) -> Path:
        return tmp_path / "etc" / minion

    (tmp_path / "etc").mkdir()
    minions = ("db-01", "web-01", "web-02")
    slses = {name: text.replace("'/etc/cluster'", f"'{folder(name)}'") for name in minions}
    first = _ran(tmp_path, slses)
    ids = {(folder(minion) / "id").read_text() for minion in minions}
    assert len(ids) == 1
    again = _ran(tmp_path, slses)
    for minion in minions:
        assert all(returned.result for returned in first.returns(minion).values())
        assert not any(returned.changes for returned in again.returns(minion).values() if returned.id != "id")
        assert len((folder(minion) / "log").read_text().splitlines()) == 1


def test_a_run_that_has_ended_begins_nothing(tmp_path: Path) -> None:
    """A minion that waits to begin when the coordinator is interrupted runs nothing."""
    consumer = "use:\n  test.present:\n    - new_state: ${minion[db1]:test:token:x}\n"
    together = Together(tmp_path, {"web1": consumer}, matched=("db1",))
    together.end_at(MinionCompiled)
    outcome = asyncio.run(together.run())
    problem = outcome.problem("web1")
    assert problem.startswith("E0882 ")
    assert "nothing was run here, because the run has ended: it was interrupted" in problem


def test_a_run_that_has_ended_ends_later_waits(tmp_path: Path) -> None:
    """What is asked for during or after an interrupt of the coordinator fails at once; the rest goes on."""
    consumer = """\
first:
  test.present:
    - delayed_render:
      - block: later
second:
  test.nop: []
#!delayed_block later
inner:
  test.present:
    - new_state: ${minion[web2]:test:slow:x}
last:
  test.present:
    - new_state: ${minion[web2]:test:other:x}
#!end_delayed_block
"""
    together = Together(tmp_path, {"web1": consumer, "web2": consumer.replace("web2", "web1")})
    together.end_at(Asked)
    outcome = asyncio.run(together.run())
    returns = outcome.returns("web1")
    (entry,) = returns["first"].delayed
    assert all(returned.result is False for returned in entry.returns.values())
    assert returns["second"].result is True


def test_failhard_ends_a_wait(tmp_path: Path) -> None:
    """A failed state with `failhard` on the consumer's minion ends its waits: nothing more starts."""
    consumer = """\
bad:
  test.present:
    - result: false
use:
  test.present:
    - new_state: ${minion[db1]:test:token:x}
"""
    producer = f"wait:\n  test.present:\n    - new_state: ${{minion[web1]:test:use:x}}\n{TOKEN}"
    outcome = _ran(
        tmp_path,
        {"web1": consumer, "db1": producer},
        options={"failhard": True, "state_auto_order": False},
    )
    assert list(outcome.returns("web1")) == ["bad"]
    assert "it was not run on web1" in outcome.returns("db1")["wait"].comment


@pytest.mark.parametrize(
    ("requisite", "message"),
    [
        ("prereq: [{'minion[db1]': {test: token}}]", "`prereq` of 'use' cannot name that on minion[db1]"),
        ("listen: [{'minion[db1]': token}]", "`listen` of 'use' cannot name that on minion[db1]"),
        ("require_in: [{'minion[db1]': token}]", "`require_in` of 'use' cannot name that on minion[db1]"),
        ("require: [{'minion[db1]': {sls: site}}]", "a requisite names one state of another minion"),
        ("require: [{'minion[db1]': {test: 'tok*'}}]", "a requisite names one state of another minion"),
        ("require: [{'minion[db1]': [token]}]", "a requisite names one state of another minion"),
    ],
)
def test_requisites_that_cannot_go_over_minions_are_refused(
    tmp_path: Path, requisite: str, message: str
) -> None:
    """What would change the other minion's run, or names no single state, is refused before anything runs."""
    outcome = _ran(tmp_path, {"web1": f"use:\n  test.nop:\n    - {requisite}\n", "db1": TOKEN})
    problem = outcome.problem("web1")
    assert problem.startswith("E0880 ")
    assert message in problem
    assert outcome.returns("db1")["token"].result is True


def test_a_command_that_is_a_condition_reads_no_other_minion(tmp_path: Path) -> None:
    """State options are read before arguments are bound, so a reference in one is refused."""
    consumer = "use:\n  test.nop:\n    - unless: test ${minion[db1]:test:token:x}\n"
    problem = _ran(tmp_path, {"web1": consumer, "db1": TOKEN}).problem("web1")
    assert problem.startswith("E0806 ")
