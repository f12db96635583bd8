"""States of other hosts' SLS on a host run after the host's own SLS, in a plan as in an apply."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec import structs
from tests.engine.harness import Lab, Row, by_id, plan_of, run_virtually, starts
from tests.engine.test_joining import plan_on as labelled_plan

from ensue.core.model.srn import Srn
from ensue.engine.outcome import Overtaken
from ensue.engine.plans.joining import Newcomer
from ensue.engine.services import EngineHooks, HostLimits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk

ONE, TWO = Srn("dummy", "one"), Srn("dummy", "two")
SLOW = {"seconds": 5}


def plan_on(id_: str, *rows: Row) -> Plan:
    """Return the plan of a resource, whose states may have another target."""
    plan = labelled_plan(id_, *rows)
    pairs = zip(plan.chunks, rows, strict=True)
    chunks = (structs.replace(chunk, target=row.target) if row.target else chunk for chunk, row in pairs)
    return structs.replace(plan, chunks=tuple(chunks))


def test_a_state_on_another_host_waits_for_its_own_states_and_handlers() -> None:
    """The reader of the other host begins when that has ended, with its listeners."""
    first = plan_on("one", Row("slow", "sleep", SLOW), Row("made", "change", listen=["slow"]))
    second = plan_on("two", Row("read", target=ONE), Row("user", require=["read"]))
    outcome = run_virtually(Lab().engine().run(plan_of([]), beside=[first, second]))
    assert starts(outcome) == ["one slow", "one made", "two read", "two user"]


def test_without_an_order_of_states_nothing_waits() -> None:
    """With `state_auto_order: false`, requisites alone order the run."""
    first = plan_on("one", Row("slow", "sleep", SLOW), Row("made", require=["slow"]))
    second = plan_on("two", Row("read", target=ONE))
    outcome = run_virtually(Lab().engine(ordered=False).run(plan_of([]), beside=[first, second]))
    assert starts(outcome) == ["one slow", "two read", "one made"]


def test_hosts_that_wait_for_each_other_go_on_and_say_so() -> None:
    """States that do not need the other host run first; then both hosts go on, and the outcome says so."""
    first = plan_on(
        "one", Row("a", "sleep", SLOW), Row("on two", target=TWO), Row("last", require=["on two"])
    )
    second = plan_on("two", Row("b"), Row("on one", target=ONE), Row("end", "change", require=["on one"]))
    outcome = run_virtually(Lab().engine().run(plan_of([]), beside=[first, second]))
    assert starts(outcome)[:2] == ["one a", "two b"]
    assert outcome.overtaken == (Overtaken(id="one on two", target=str(TWO), later=("two end",)),)
    assert outcome.status == "succeeded"


def test_a_host_outside_of_a_cycle_keeps_its_order() -> None:
    """A third host, which reads from one of two that wait for each other, waits for its end."""
    first = plan_on("one", Row("on two", target=TWO), Row("last one", "sleep", SLOW))
    second = plan_on("two", Row("on one", target=ONE))
    third = plan_on("three", Row("read", target=ONE))
    outcome = run_virtually(Lab().engine().run(plan_of([]), beside=[first, third, second]))
    assert starts(outcome)[-1] == "three read"
    assert not by_id(outcome.returns)["three read"].warnings


def test_a_host_that_the_run_registers_is_prepared_by_the_sls_that_registers_it() -> None:
    """Its own states wait for the one that registers it, and what follows that does not wait for them."""

    def registers(chunk: Chunk) -> tuple[Srn, ...]:
        return (ONE,) if chunk.id == "make" else ()

    lab = Lab(hooks=EngineHooks(promises=registers))
    own = plan_of([Row("make"), Row("prepare", target=ONE)])
    registered = plan_on("one", Row("slow", "sleep", SLOW), Row("rest"))
    outcome = run_virtually(lab.engine().run(own, beside=[registered]))
    assert starts(outcome)[0] == "make"
    assert starts(outcome).index("prepare") < starts(outcome).index("one rest")


def test_a_host_that_answers_late_is_waited_for() -> None:
    """Its plan is not there yet when the other host wants to read from it."""

    def newcomers(admit: Callable[[Newcomer], None]) -> None:
        async def late() -> Plan:
            await asyncio.sleep(1)
            return plan_on("one", Row("made"))

        admit(Newcomer("one", late, str(ONE)))

    two = plan_on("two", Row("read", target=ONE))
    outcome = run_virtually(Lab().engine().run(plan_of([]), beside=[two], newcomers=newcomers))
    assert starts(outcome) == ["one made", "two read"]


def test_the_host_that_is_waited_for_begins_next() -> None:
    """With one host at work at a time, the reader gives its place to the host that it reads from."""
    plans = [plan_on("a", Row("read", target=ONE)), plan_on("b", Row("x")), plan_on("one", Row("made"))]
    engine = Lab().engine(host_limits=HostLimits(at_once=1))
    outcome = run_virtually(engine.run(plan_of([]), beside=plans))
    assert starts(outcome)[0] == "one made"
    assert outcome.status == "succeeded"


def test_a_run_that_stops_leaves_out_what_waits() -> None:
    """A failure with failhard ends the own states, and then nothing else of them begins."""
    first = plan_on("one", Row("bad", "fail"), Row("rest"))
    second = plan_on("two", Row("read", target=ONE))
    outcome = run_virtually(Lab().engine(failhard=True).run(plan_of([]), beside=[first, second]))
    assert starts(outcome) == ["one bad"]
    assert {each.id for each in outcome.not_run} == {"one rest", "two read"}
