"""Plans of other resources run beside the first one, and others join them while the run goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
from tests.engine.harness import Lab, Row, plan_of, run_virtually, starts

from ensue.core.model.fan_out import resource_chunk
from ensue.core.model.srn import Srn
from ensue.engine.plans.joining import Newcomer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.growth import Plan


def plan_on(id_: str, *rows: Row) -> Plan:
    """Return the plan of a resource."""
    srn = Srn("dummy", id_)
    plan = plan_of(rows, target=srn)
    return msgspec.structs.replace(
        plan, chunks=tuple(resource_chunk(chunk, srn) for chunk in plan.chunks), resource=srn
    )


def test_plans_beside_each_other_run_at_the_same_time() -> None:
    """States of one resource follow each other; those of another do not wait for them."""
    first = plan_on("one", Row("a", "sleep", {"seconds": 5}), Row("b"))
    second = plan_on("two", Row("a", "sleep", {"seconds": 1}), Row("b"))
    outcome = run_virtually(Lab().engine().run(plan_of([Row("own")]), beside=[first, second]))
    assert starts(outcome) == ["own", "one a", "two a", "two b", "one b"]
    assert outcome.status == "succeeded"


def test_a_failure_beside_fails_the_run_and_stops_nobody() -> None:
    """The other resource goes on; the run has failed."""
    failing = plan_on("one", Row("a", "fail"), Row("b", require=["a"]))
    outcome = run_virtually(Lab().engine().run(plan_of([]), beside=[failing, plan_on("two", Row("a"))]))
    assert {each.id: each.result for each in outcome.returns.values()} == {
        "one a": False,
        "one b": False,
        "two a": True,
    }
    assert outcome.status == "failed"


def test_a_newcomer_joins_a_run_that_would_have_ended() -> None:
    """The run ends when the newcomers have joined, and theirs in turn."""

    def newcomers(admit: Callable[[Newcomer], None]) -> None:
        async def second() -> Plan:
            await asyncio.sleep(1)
            return plan_on("two", Row("a"))

        async def first() -> Plan:
            admit(Newcomer("two", second))
            return plan_on("one", Row("a"))

        admit(Newcomer("one", first))

    outcome = run_virtually(Lab().engine().run(plan_of([Row("own")]), newcomers=newcomers))
    assert starts(outcome) == ["own", "one a", "two a"]


def test_a_newcomer_does_not_join_a_run_that_stops() -> None:
    """A host whose plan is not there when the run is stopped is named among what was not run."""

    def newcomers(admit: Callable[[Newcomer], None]) -> None:
        async def never() -> Plan:
            await asyncio.Event().wait()
            raise AssertionError

        admit(Newcomer("one", never))

    outcome = run_virtually(
        Lab().engine(failhard=True).run(plan_of([Row("own", "fail")]), newcomers=newcomers)
    )
    assert [(left.id, left.reason) for left in outcome.not_run] == [("one", "failhard")]
    assert outcome.status == "failed"
