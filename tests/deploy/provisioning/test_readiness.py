"""Waiting until a resource is ready: what is tried, how often, what is recorded, and what a plan says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.deploy.provisioning.building import definition
from tests.deploy.provisioning.stand_ins import Environment, RememberingDriver, environment

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.deploy.provisioning.readiness import CommandCheck, HttpCheck, TcpCheck
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from ensue.deploy.provisioning.active import ActiveResource

SECRET = "hunter2-of-the-outputs"


def entity(values: dict[str, Any], ready: Any, **inputs: Any) -> dict[str, Any]:
    """Return the entity of a definition that says when its resources are ready."""
    return {"driver_type": "fake", "driver_inputs": {"values": values, **inputs}, "ready": ready}


def record(shop: Environment) -> ActiveResource:
    (kept,) = [active for active in shop.store.durable.values() if active.key.type == "db"]
    return kept


TCP = {"tcp": "${outputs.host}:${outputs.port}", "interval": 5, "timeout": 20}
DB = {"host": "pg", "port": 5432}


def test_it_is_tried_until_it_holds() -> None:
    """Each attempt has what is left of the time, and there is a pause before the next one."""
    shop = environment(fake=RememberingDriver())
    shop.problems = ["does not answer", "does not answer"]
    assert shop.deploy({"db": entity(DB, TCP)})["db"].status == "created"
    assert shop.probed == [
        (TcpCheck("pg", 5432), 20.0),
        (TcpCheck("pg", 5432), 15.0),
        (TcpCheck("pg", 5432), 10.0),
    ]
    assert shop.clock.slept_s == [5, 5]
    assert not record(shop).awaits_ready


def test_what_is_not_ready_in_time_fails_and_is_not_forgotten() -> None:
    """Outputs and record stay; the next deployment tries again without a call, and then never again."""
    driver = RememberingDriver(made=Provisioned(values=DB, cookie={"n": 1}))
    shop = environment(fake=driver)
    shop.problems = ["does not answer"] * 4
    outcomes = shop.deploy({"db": entity({}, TCP)})
    failed = outcomes["db"]
    assert (failed.status, outcomes["workload"].status) == ("failed", "skipped")
    assert failed.comment == "it is made, and was not ready within 20 s: tcp pg:5432 does not answer"
    assert failed.outputs is not None
    assert len(shop.probed) == 4, "a further pause would end after the deadline"
    kept = record(shop)
    assert (kept.awaits_ready, kept.phase, kept.cookie, kept.outputs) == (True, "active", {"n": 1}, DB)
    assert (planned := shop.deploy({"db": entity({}, TCP)}, test=True)["db"]).status == "planned"
    assert (
        planned.comment == "it is made, and is not ready yet; waits until tcp pg:5432 answers (at most 20 s)"
    )
    shop.probed.clear()
    late = shop.deploy({"db": entity({}, TCP)})["db"]
    assert (late.status, late.comment) == ("unchanged", "it is ready now")
    assert driver.calls == ["create db"]
    assert not record(shop).awaits_ready
    again = shop.deploy({"db": entity({}, TCP)})["db"]
    assert (again.status, again.comment, len(shop.probed)) == ("unchanged", "", 1)


def test_the_reason_is_that_of_an_attempt_with_time() -> None:
    """The deadline cuts the last attempt short; the one before says why."""
    shop = environment(fake=RememberingDriver())
    shop.problems = ["answers 503", "has not answered within 4 s"]
    shop.attempt_s = [0, 4]
    failed = shop.deploy({"db": entity(DB, {"tcp": "a:1", "interval": 6, "timeout": 10})})["db"]
    assert failed.comment.endswith("was not ready within 10 s: tcp a:1 answers 503")


def test_an_update_is_awaited_unless_nothing_has_changed() -> None:
    """A driver that says it has changed nothing leaves what is ready ready."""
    driver = RememberingDriver()
    shop = environment(fake=driver)
    shop.deploy({"db": entity(DB, TCP)})
    driver.made = Provisioned(values=DB, changed=False)
    shop.deploy({"db": entity({**DB, "size": 1}, TCP)})
    assert len(shop.probed) == 1
    driver.made = Provisioned(values=DB)
    shop.deploy({"db": entity({**DB, "size": 2}, TCP)})
    assert len(shop.probed) == 2


def test_an_interrupted_update_is_awaited() -> None:
    """The first call may have changed something before it was interrupted, whatever the second one says."""
    driver = RememberingDriver()
    shop = environment(fake=driver)
    shop.deploy({"db": entity(DB, TCP)})
    driver.obstacle = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        shop.deploy({"db": entity({**DB, "size": 1}, TCP)})
    driver.obstacle, driver.made = None, Provisioned(values=DB, changed=False)
    shop.deploy({"db": entity({**DB, "size": 1}, TCP)})
    assert len(shop.probed) == 2


def test_a_definition_without_ready_waits_no_more() -> None:
    """What was not ready is as good as ready once its definition asks for nothing."""
    shop = environment(fake=RememberingDriver())
    shop.problems = ["does not answer"] * 4
    shop.deploy({"db": entity(DB, TCP)})
    outcome = shop.deploy({"db": entity(DB, None)})["db"]
    assert (outcome.status, outcome.comment) == ("unchanged", "")
    assert not record(shop).awaits_ready


def test_a_plan_says_what_is_waited_for() -> None:
    """Outputs that are not known are shown as they are written, and nothing is tried."""
    driver = RememberingDriver(planned=Planned(comment="would make it"))
    shop = environment(fake=driver)
    ready = {"http": "http://${outputs.host}/ok", "status": 204, "command": "check -p '${outputs.port}'"}
    planned = shop.deploy({"db": entity(DB, ready)}, test=True)["db"]
    words = "http://${outputs.host}/ok answers 204 and `check -p '${outputs.port}'` succeeds"
    assert planned.comment == f"would make it; waits until {words} (at most 300 s)"
    assert (planned.waits, shop.probed) == (words, [])


def test_all_conditions_must_hold() -> None:
    """They are tried in their order; the first one that does not hold is the reason."""
    shop = environment(fake=RememberingDriver())
    ready = {
        "command": ["check", "${outputs.port}", 7],
        "http": "https://${outputs.host}",
        "interval": 1,
        "timeout": 1,
    }
    shop.problems = ["", "exited with code 1"]
    failed = shop.deploy({"db": entity(DB, ready)})["db"]
    assert failed.comment.endswith("was not ready within 1 s: `check 5432 7` exited with code 1")
    assert [check for check, _ in shop.probed] == [
        HttpCheck("https://pg", None),
        CommandCheck(("check", "5432", "7")),
    ]


def test_an_output_is_one_word_of_a_command() -> None:
    """A text is split into words before outputs are inserted."""
    shop = environment(fake=RememberingDriver())
    evil = {"host": "a b; rm -rf / $(id) '"}
    shop.deploy({"db": entity(evil, {"command": "check --host=${outputs.host} -v"})})
    assert shop.probed[0][0] == CommandCheck(("check", "--host=a b; rm -rf / $(id) '", "-v"))


def test_a_secret_is_in_no_message() -> None:
    """What contains a secret is shown as it is written."""
    shop = environment(fake=RememberingDriver())
    ready = {"http": "http://u:${outputs.password}@h/", "interval": 1, "timeout": 1}
    shop.problems = ["answers 503"]
    failed = shop.deploy({"db": entity({}, ready, secrets={"password": SECRET})})["db"]
    assert shop.probed[0][0] == HttpCheck(f"http://u:{SECRET}@h/", None)
    assert failed.comment.startswith(
        "it is made, and was not ready within 1 s: http://u:${outputs.password}@h/"
    )


@pytest.mark.parametrize(
    ("ready", "values", "problem"),
    [
        ({"tcp": "${outputs.host}"}, {"host": "pg"}, "`ready`: tcp pg is not HOST:PORT"),
        ({"tcp": "${outputs.host}:70000"}, {"host": "pg"}, "`ready`: tcp pg:70000 is not HOST:PORT"),
        (
            {"http": "${outputs.url}"},
            {"url": "file:///etc/passwd"},
            "is no URL that begins with http:// or https://",
        ),
        ({"command": ["a", "${outputs.list}"]}, {"list": [1]}, "has a word that is not text"),
        (
            {"tcp": "${context.org.id}:1"},
            {},
            "`ready`: tcp ${context.org.id}:1 has a value that is not known",
        ),
        (
            {"tcp": "${outputs.hots}:1"},
            {"host": "pg"},
            "has no output 'hots' (did you mean host?)",
        ),
    ],
)
def test_conditions_that_outputs_spoil(ready: Any, values: Any, problem: str) -> None:
    """An output that makes no address, URL or word fails its resource, which is not forgotten."""
    shop = environment(fake=RememberingDriver())
    failed = shop.deploy({"db": entity(values, ready)})["db"]
    assert failed.status == "failed"
    assert problem in failed.comment
    assert (record(shop).awaits_ready, shop.probed) == (True, [])


def test_an_address_of_ip_version_6() -> None:
    """It is in brackets, as in a URL."""
    shop = environment(fake=RememberingDriver())
    shop.deploy({"db": entity({"host": "::1"}, {"tcp": "[${outputs.host}]:80"})})
    assert shop.probed[0][0] == TcpCheck("::1", 80)


@pytest.mark.parametrize(
    ("ready", "problem"),
    [
        ({}, "'ready' has no condition"),
        ({"tpc": "a:1"}, "has no key 'tpc'"),
        ({"tcp": ["a"]}, "'tcp' of 'ready' is a list, not a text"),
        ({"http": "ftp://x"}, "'http' of 'ready' is no URL"),
        ({"tcp": "a:1", "status": 200}, "'status' of 'ready' is no status of `http`"),
        ({"http": "http://x", "status": 20}, "'status' of 'ready' is no status of `http`"),
        ({"command": "${outputs.program} -v"}, "the program of 'command' of 'ready' has a placeholder"),
        ({"command": []}, "'command' of 'ready' has no words"),
        ({"command": "a 'b"}, "cannot be split into words: No closing quotation"),
        ({"command": ["a", {}]}, "a word of 'command' of 'ready' is a mapping, not a text"),
        ({"tcp": "a:1", "timeout": "soon"}, "'timeout' of 'ready' is not a duration"),
        ({"tcp": "a:1", "interval": 0}, "'interval' of 'ready' is not a duration"),
        ({"tcp": "${outputs}:1"}, "cannot be read"),
        ("a:1", "'ready' is a text, not a mapping"),
    ],
)
def test_a_malformed_condition_is_refused(ready: Any, problem: str) -> None:
    """The definition has an error."""
    collector = Collector()
    with pytest.raises(AssertionError):
        definition("db", collector, ready=ready)
    assert any(problem in error.summary for error in collector.errors), collector.errors
