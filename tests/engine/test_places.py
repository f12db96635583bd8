"""How many hosts of a run are at work at a time, and when no further host begins."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.engine.harness import Lab, Row, plan_of, run_virtually, starts
from tests.engine.test_joining import plan_on
from tests.engine.test_random_graphs import every_return

from ensue.core.model.chunk import NO_OPTIONS, Retry, StateOptions
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.plans.joining import Newcomer
from ensue.engine.services import EngineHooks, HostLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.growth import GrowthRequest, Plan
    from ensue.core.model.chunk import Chunk
    from ensue.engine.outcome import EngineOutcome


def _made(number: object) -> Srn:
    return Srn("ssh_host", f"made-by-{number}")


def _awaits(chunk: Chunk) -> Srn | None:
    uses = chunk.arguments.get("uses")
    return None if uses is None else _made(uses)


def _promises(chunk: Chunk) -> list[Srn]:
    makes = chunk.arguments.get("makes")
    return [] if makes is None else [_made(makes)]


HOOKS = EngineHooks(awaits=_awaits, promises=_promises)


@dataclass
class Host:
    """A host of a drawn run.

    `uses` are the hosts whose registrations its states need, `inner` those that what grew from it needs.
    """

    fails: bool = False
    seconds: int = 1
    uses: list[int] = field(default_factory=list)
    inner: list[int] = field(default_factory=list)
    grows: bool = False
    retries: bool = False
    chained: bool = False
    makes_last: bool = False

    def rows(self, number: int) -> list[Row]:
        """Its plan: a state that registers a resource, users of other hosts' resources, and another state."""
        options = StateOptions(retry=Retry(attempts=2, interval_s=5.0)) if self.retries else NO_OPTIONS
        if self.grows:
            options = StateOptions(delayed_render=(("block", "inner"),), retry=options.retry)
        own = Row("own", "work", self._arguments(fails=self.fails, again=self.retries), options=options)
        users = [Row(f"use-{used}", "work", self._arguments(uses=used)) for used in self.uses]
        maker = Row("make", "work", self._arguments(makes=number))
        rows = [own, *users, maker] if self.makes_last else [maker, own, *users]
        if self.chained:
            for before, after in pairwise(rows):
                after.require = [before.id]
        return rows

    def inner_rows(self) -> list[Row]:
        """What its own state causes."""
        return [Row(f"in-{used}", "work", self._arguments(uses=used)) for used in self.inner] or [
            Row("in", "work", self._arguments())
        ]

    def _arguments(self, **arguments: Any) -> dict[str, Any]:
        return {"seconds": self.seconds, **arguments}


@dataclass
class Watched:
    """A run with hosts, and what is seen of it from within its functions."""

    hosts: list[Host]
    limits: HostLimits | None
    concurrency: int = 100
    running: list[Srn] = field(default_factory=list)
    most_at_once: int = 0
    begun: list[Srn] = field(default_factory=list)
    begun_at: dict[str, float] = field(default_factory=dict)
    last_end: dict[str, float] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    started: dict[str, float] = field(default_factory=dict)
    attempts: set[str] = field(default_factory=set)

    def run(self) -> EngineOutcome:
        plans = [plan_on(f"h{number}", *host.rows(number)) for number, host in enumerate(self.hosts)]
        lab = Lab(functions={"work": self._work}, growth={"inner": self._grown}, hooks=HOOKS)
        engine = lab.engine(host_limits=self.limits, concurrency=self.concurrency)
        outcome: EngineOutcome = run_virtually(engine.run(plan_of([]), beside=plans))
        return outcome

    def _grown(self, request: GrowthRequest) -> list[Row]:
        return self.hosts[int(request.target.id[1:])].inner_rows()

    async def _work(self, ctx: Any, name: str, *, seconds: int, **arguments: Any) -> StateReturn:
        host = ctx.site.target
        if host not in self.begun:
            self.begun.append(host)
            self.begun_at[host.id] = asyncio.get_running_loop().time()
        key = f"{host.id} {ctx.site.chunk.id.rpartition(' ')[2]}"
        self.started.setdefault(key, asyncio.get_running_loop().time())
        self.running.append(host)
        self.most_at_once = max(self.most_at_once, len(set(self.running)))
        await asyncio.sleep(seconds)
        self.running.remove(host)
        self.ended[key] = self.last_end[host.id] = asyncio.get_running_loop().time()
        is_first = key not in self.attempts
        self.attempts.add(key)
        failed = arguments.get("fails") or (arguments.get("again") and is_first)
        return StateReturn(name=name, result=not failed)


_NUMBERS = st.lists(st.integers(0, 6), max_size=2, unique=True)


@st.composite
def _hosts(draw: st.DrawFn) -> list[Host]:
    count = draw(st.integers(1, 7))
    hosts: list[Host] = []
    for number in range(count):
        others = [[other for other in draw(_NUMBERS) if other < count and other != number] for _ in range(2)]
        hosts.append(
            Host(
                fails=draw(st.booleans()),
                seconds=draw(st.integers(1, 9)),
                uses=others[0],
                inner=others[1],
                grows=draw(st.booleans()),
                retries=draw(st.booleans()),
                chained=draw(st.booleans()),
                makes_last=draw(st.booleans()),
            )
        )
    return hosts


def _refused(outcome: EngineOutcome) -> bool:
    return any("waits for itself" in returned.comment for returned in every_return(outcome.returns))


@settings(deadline=None, max_examples=300)
@given(_hosts(), st.integers(1, 4), st.none() | st.integers(0, 3), st.sampled_from([1, 2, 100]))
@example([Host(retries=True), Host(fails=True, retries=True), Host(), Host(seconds=5), Host()], 3, 0, 1)
def test_any_hosts_keep_within_their_places(
    hosts: list[Host], at_once: int, failures: int | None, concurrency: int
) -> None:
    """Never more hosts work than the limit, and all states run, unless too many hosts have failed."""
    watched = Watched(hosts, HostLimits(at_once=at_once, failures=failures), concurrency)
    outcome = watched.run()
    assert watched.most_at_once <= at_once
    left_out = set(outcome.hosts_not_run)
    begun = {str(Srn("dummy", f"h{number}")) for number in range(len(hosts))} - left_out
    assert {str(srn) for srn in watched.begun} <= begun
    returned = list(every_return(outcome.returns))
    for number, host in enumerate(hosts):
        target = str(Srn("dummy", f"h{number}"))
        ids = [back.id for back in returned if back.target == target and not back.scope]
        assert len(ids) == (0 if target in left_out else len(host.rows(number)))
        if target in left_out:
            assert outcome.hosts_not_run[target] == len(host.rows(number))
    failed = {back.target for back in returned if back.result is False and back.target in begun}
    assert bool(left_out) == outcome.too_many_failed
    assert outcome.exit_code == (2 if failed else 0)
    if failures is not None:
        _check_beginnings(watched, failures)
    if left_out:
        assert failures is not None
        assert len(failed) > failures
        # The last host that ended exceeded the limit: those before it had not, and others were at work.
        assert len(failed) <= failures + at_once + len(_waiting(hosts))


def _check_beginnings(watched: Watched, failures: int) -> None:
    """Check that no host began after too many had failed; hosts that wait are not counted."""
    for begun_at in watched.begun_at.values():
        failed_before = [
            number
            for number, host in enumerate(watched.hosts)
            if host.fails and not _waiting([host]) and watched.last_end.get(f"h{number}", begun_at) < begun_at
        ]
        assert len(failed_before) <= failures


def _waiting(hosts: Sequence[Host]) -> list[Host]:
    """Return the hosts that may have begun and wait for others, beyond those that have a place."""
    return [host for host in hosts if host.uses or (host.grows and host.inner)]


@settings(deadline=None, max_examples=200)
@given(_hosts(), st.integers(1, 4))
def test_places_decide_nothing_but_when(hosts: list[Host], at_once: int) -> None:
    """Without a fail limit, each state has the result that it has if all hosts begin at once.

    What uses a registration starts after the state that registers it has ended.
    """
    free, limited = Watched(hosts, None), Watched(hosts, HostLimits(at_once=at_once))
    before, after = free.run(), limited.run()
    assert not after.not_run
    if _refused(before) or _refused(after):
        return
    results = [
        {(returned.target, returned.id): returned.result for returned in every_return(outcome.returns)}
        for outcome in (before, after)
    ]
    assert results[0] == results[1]
    for number, host in enumerate(hosts):
        for used in host.uses:
            if f"h{number} use-{used}" in limited.started and f"h{used} make" in limited.ended:
                assert limited.started[f"h{number} use-{used}"] >= limited.ended[f"h{used} make"]


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(0, 3))
def test_one_host_at_a_time_is_a_loop(fail: list[bool], failures: int) -> None:
    """With one place and no waits, a run is the loop that stops when more have failed than may."""
    hosts = [Host(fails=fails) for fails in fail]
    watched = Watched(hosts, HostLimits(at_once=1, failures=failures))
    outcome = watched.run()
    expected: list[str] = []
    failed = 0
    for number, host in enumerate(hosts):
        if failed > failures:
            break
        expected.append(f"h{number}")
        failed += host.fails
    assert [srn.id for srn in watched.begun] == expected
    assert list(outcome.hosts_not_run) == [f"dummy:h{n}" for n in range(len(expected), len(hosts))]


def _limited(*plans: Plan, at_once: int = 1, failures: int | None = None, **options: Any) -> EngineOutcome:
    engine = Lab(hooks=HOOKS).engine(host_limits=HostLimits(at_once=at_once, failures=failures), **options)
    outcome: EngineOutcome = run_virtually(engine.run(plan_of([]), beside=plans))
    return outcome


def test_the_window_rolls() -> None:
    """The next host begins when one ends, and does not wait for the others that began with it."""
    plans = [plan_on(f"h{n}", Row("a", "sleep", {"seconds": s})) for n, s in enumerate([9, 1, 1, 1])]
    outcome = _limited(*plans, at_once=2)
    assert [returned.start_time for returned in outcome.returns.values()] == [
        "00:00:00",
        "00:00:00",
        "00:00:01",
        "00:00:02",
    ]


def test_a_host_that_waits_gives_its_place_to_the_host_that_it_waits_for() -> None:
    """The last host, whose registration the first one needs, begins before those between."""
    outcome = _limited(
        plan_on("h0", Row("a"), Row("use", arguments={"uses": 3})),
        plan_on("h1", Row("a")),
        plan_on("h2", Row("a")),
        plan_on("h3", Row("make", arguments={"makes": 3}), Row("b")),
    )
    assert starts(outcome) == ["h0 a", "h3 make", "h3 b", "h0 use", "h1 a", "h2 a"]
    assert outcome.status == "succeeded"


def test_hosts_that_wait_for_each_other_fail_by_name() -> None:
    """A cycle between hosts is found although only one of them may be at work."""
    outcome = _limited(
        plan_on(
            "h0", Row("use", arguments={"uses": 1}), Row("make", arguments={"makes": 0}, require=["use"])
        ),
        plan_on(
            "h1", Row("use", arguments={"uses": 0}), Row("make", arguments={"makes": 1}, require=["use"])
        ),
    )
    comments = [
        returned.comment for returned in outcome.returns.values() if "waits for itself" in returned.comment
    ]
    assert len(comments) == 1
    assert "h0 use" in comments[0]
    assert "h1 use" in comments[0]


def test_what_needs_a_host_that_was_left_out_goes_on() -> None:
    """A state that waits for a host beyond the fail limit does not wait for ever."""
    outcome = _limited(
        plan_on("h1", Row("a", "sleep"), Row("use", arguments={"uses": 2})),
        plan_on("h0", Row("a", "fail")),
        plan_on("h2", Row("long", "sleep"), Row("make", arguments={"makes": 2}, require=["long"])),
        plan_on("h3", Row("a")),
        at_once=2,
        failures=0,
    )
    assert outcome.hosts_not_run == {"dummy:h2": 2, "dummy:h3": 1}
    assert "h1 use" in starts(outcome)
    assert outcome.stopped == "1 host failed, and the fail limit is 0"


def test_a_host_begins_with_its_first_state() -> None:
    """Beyond the fail limit, a host that has a place and of which no state was called is left out."""
    outcome = _limited(
        plan_on("h0", Row("a", "fail")),
        plan_on("h1", Row("use", arguments={"uses": 2})),
        plan_on("h2", Row("make", arguments={"makes": 2})),
        at_once=2,
        failures=0,
    )
    assert outcome.hosts_not_run == {"dummy:h1": 1, "dummy:h2": 1}
    assert starts(outcome) == ["h0 a"]


def test_a_failure_that_was_handled_does_not_count() -> None:
    """A host fails as a run fails: not by a state whose failure an `onfail` state has handled."""
    handled = plan_on("h0", Row("a", "fail"), Row("b", onfail=["a"], options=StateOptions(onfail_stop=False)))
    assert _limited(handled, plan_on("h1", Row("a")), failures=0).exit_code == 0


def test_failhard_leaves_out_hosts_that_have_not_begun() -> None:
    """The run stops as without limits, and says which hosts did not begin."""
    outcome = _limited(plan_on("h0", Row("a", "fail")), plan_on("h1", Row("a")), failhard=True)
    assert [(left_out.id, left_out.reason) for left_out in outcome.not_run] == [("h1 a", "failhard")]
    assert outcome.hosts_not_run == {"dummy:h1": 1}
    assert not outcome.stopped


def test_an_interrupted_run_names_the_hosts_that_have_not_begun() -> None:
    """What runs ends; the other states of its host and the other hosts are not run."""

    async def run() -> EngineOutcome:
        engine = Lab().engine(host_limits=HostLimits(at_once=1))
        plans = [plan_on("h0", Row("a", "sleep"), Row("b")), plan_on("h1", Row("a"))]
        task = asyncio.create_task(engine.run(plan_of([]), beside=plans))
        await asyncio.sleep(0.5)
        task.cancel()
        return await task

    outcome = run_virtually(run())
    assert (outcome.status, starts(outcome)) == ("interrupted", ["h0 a"])
    assert [left_out.id for left_out in outcome.not_run] == ["h0 b", "h1 a"]
    assert outcome.hosts_not_run == {"dummy:h1": 1}


def _late(name: str, seconds: float) -> Newcomer:
    async def plan() -> Plan:
        await asyncio.sleep(seconds)
        return plan_on(name, Row("a", "sleep"))

    return Newcomer(name, plan, f"dummy:{name}")


def _with_late(first: Row, *late: Newcomer, failures: int | None = None) -> EngineOutcome:
    def newcomers(admit: Callable[[Newcomer], None]) -> None:
        for newcomer in late:
            admit(newcomer)

    engine = Lab().engine(host_limits=HostLimits(at_once=1, failures=failures))
    outcome: EngineOutcome = run_virtually(
        engine.run(plan_of([]), beside=[plan_on("h0", first)], newcomers=newcomers)
    )
    return outcome


def test_a_host_that_joins_takes_a_place() -> None:
    """Plans that are ready later begin one after the other, too."""
    outcome = _with_late(Row("a", "sleep", {"seconds": 5}), _late("h1", 1), _late("h2", 2))
    assert [returned.start_time for returned in outcome.returns.values()] == [
        "00:00:00",
        "00:00:05",
        "00:00:06",
    ]


def test_a_host_does_not_join_beyond_the_fail_limit() -> None:
    """A host whose plan is not ready when too many have failed is not run."""
    outcome = _with_late(Row("a", "fail"), _late("h1", 9), failures=0)
    assert outcome.hosts_not_run == {"dummy:h1": 1}
    assert outcome.too_many_failed
