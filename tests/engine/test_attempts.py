"""Retries, time limits, and all that a function may return or raise."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.engine.harness import CHANGES, Lab, Row, by_id, plan_of, run_virtually
from tests.engine.test_growth import apply_b

from ensue.core.errors import InternalError, RemoteTimeoutError, StateFailedError, UnknownResourceError
from ensue.core.model.chunk import Retry, StateOptions
from ensue.core.model.events import ScopeClosed
from ensue.core.model.returns import SkippedReturn, StateReturn, UnknownReturn, UnreachableReturn
from ensue.core.model.srn import Srn
from ensue.engine.engine import Engine
from ensue.engine.promise import Promise
from ensue.engine.services import EngineHooks, EngineOptions


def counting(*results: bool) -> Any:
    """A function that returns these results one after the other."""
    left = list(results)

    def say(_ctx: Any, name: str) -> StateReturn:
        result = left.pop(0)
        return StateReturn(name=name, result=result, comment=f"{len(left)} left")

    return say


def retried(function: Any, test: bool = False, **retry: Any) -> Any:
    options = StateOptions(retry=Retry(**retry))
    return Lab(functions={"f": function}).returns([Row("a", "f", options=options)], test=test)["a"]


def test_attempts_until_true() -> None:
    """Salt's comment lists every attempt but the last; the waiting counts towards the duration."""
    back = retried(counting(False, False, True, True), attempts=4, interval_s=30.0)
    assert back.result is True
    assert back.comment.splitlines() == [
        'Attempt 1: Returned a result of "False", with the following comment: "3 left"',
        'Attempt 2: Returned a result of "False", with the following comment: "2 left"',
        "1 left",
    ]
    assert (back.duration_ms, back.start_time) == (60_000, "00:00:00")


def test_attempts_run_out() -> None:
    """The result is that of the last attempt."""
    back = retried(counting(False, False), attempts=2, interval_s=1.0)
    assert (back.result, back.comment.splitlines()[-1]) == (False, "0 left")


def test_until_false() -> None:
    """`until: false` tries again while the result is True."""
    assert retried(counting(True, False), attempts=3, until=False).result is False


def test_splay_adds_to_the_interval() -> None:
    """Up to `splay` random seconds come on top, from the injected random."""
    back = retried(counting(False, True), attempts=2, interval_s=10.0, splay_s=5.0)
    assert 10_000 < back.duration_ms <= 15_000


def test_the_random_seconds_are_those_of_the_injected_random() -> None:
    """The same seed waits as long again."""
    terms: dict[str, Any] = {"attempts": 2, "interval_s": 10.0, "splay_s": 5.0}
    first, second = (retried(counting(False, True), **terms).duration_ms for _ in range(2))
    assert first == second


def test_plan_says_how_it_would_be_retried() -> None:
    """In a plan a state is tried once, and its comment says how often an apply would try it."""
    back = retried(counting(True), test=True, attempts=3)
    assert back.comment == (
        "0 left  The state would be retried every 30 seconds (with a splay of up to 0 seconds) "
        "a maximum of 3 times or until a result of True is returned"
    )


def test_others_run_while_a_state_waits_for_its_next_attempt() -> None:
    """A waiting state gives its slot back."""
    options = StateOptions(retry=Retry(attempts=2, interval_s=100.0))
    rows = [Row("a", "fail", options=options), Row("b", "sleep"), Row("c", "sleep")]
    returns = Lab().returns(rows, ordered=False, concurrency=1)
    assert [returns[id_].start_time for id_ in "abc"] == ["00:00:00", "00:00:00", "00:00:01"]


def test_time_limit() -> None:
    """A function that takes longer is ended; the comment names the limit."""
    options = StateOptions(timeout_s=2.5)
    back = Lab().returns([Row("a", "sleep", {"seconds": 60}, options=options)])["a"]
    assert (back.result, back.comment, back.duration_ms) == (False, "Timed out after 2.5 seconds", 2500)


def test_own_time_limit_of_a_function() -> None:
    """A function's own timeout keeps its own message, also when the state has a limit."""

    async def slow(*_: Any) -> StateReturn:
        raise RemoteTimeoutError("`uptime` did not answer within 1 s", timeout_s=1)

    back = Lab(functions={"slow": slow}).returns([Row("a", "slow", options=StateOptions(timeout_s=9))])["a"]
    assert back.comment == "`uptime` did not answer within 1 s"


def raised(error: BaseException, *, waits: bool) -> Any:
    async def later(*_: Any) -> StateReturn:
        await asyncio.sleep(0)
        raise error

    def now(*_: Any) -> StateReturn:
        raise error

    return Lab(functions={"f": later if waits else now}).returns([Row("a", "f")])["a"]


@pytest.mark.parametrize("waits", [False, True])
def test_errors_of_ours_are_comments(waits: bool) -> None:
    """An EnsueError is a result False with its text as comment, and the place of the declaration."""
    back = raised(StateFailedError("the source is nowhere"), waits=waits)
    assert (back.result, back.comment, back.place) == (False, "the source is nowhere", "states/t.sls:1")


@pytest.mark.parametrize("waits", [False, True])
def test_other_exceptions_name_type_and_place(waits: bool) -> None:
    """Any other exception is a fault of the function: type, message, file and line, never a traceback."""
    back = raised(ZeroDivisionError("division by zero"), waits=waits)
    assert back.result is False
    start = "An exception occurred in this state: ZeroDivisionError: division by zero ("
    assert back.comment.startswith(start)
    assert "test_attempts.py:" in back.comment
    assert "\n" not in back.comment


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (None, "NoneType instead of a state return"),
        ("ok", "str instead of a state return"),
        ({"result": True}, "a mapping without name, changes, comment"),
        ({"name": "a", "result": "yes", "changes": {}, "comment": ""}, "the result 'yes'"),
        ({"name": "a", "result": True, "changes": [], "comment": ""}, "changes that are no mapping (list)"),
        ({"name": "a", "result": True, "changes": {}, "comment": 7}, "a comment that is no text (int)"),
    ],
)
def test_bad_shapes_are_refused_by_name(raw: Any, fault: str) -> None:
    """A return of the wrong shape is a failed state that names the function."""
    back = Lab(functions={"odd": lambda *_: raw}).returns([Row("a", "odd")])["a"]
    assert back.result is False
    assert back.comment.startswith(f"The state function test.odd returned {fault}")


def test_mappings_of_salts_shape_are_taken() -> None:
    """A project's own function may return what Salt's functions return; a list of comments is joined."""
    raw = {"name": "n", "result": True, "changes": CHANGES, "comment": ["one", "two"], "pchanges": {}}
    back = Lab(functions={"f": lambda *_: raw}).returns([Row("a", "f")])["a"]
    assert (back.name, back.result, back.changes, back.comment) == ("n", True, CHANGES, "one\ntwo")


def test_function_that_a_target_does_not_offer() -> None:
    """It is a failed state with the reason, not an error of the run."""
    back = Lab().returns([Row("a", "nothing")])["a"]
    assert (back.result, back.comment) == (False, "test.nothing is not available for minion")


def test_sensitive_values_reach_the_masker_first() -> None:
    """What a return calls sensitive is known as a secret before the return is reported."""
    lab = Lab()

    def secretive(_ctx: Any, name: str) -> StateReturn:
        state = {"db": [{"password": "hunter22", "port": 5432}], "token": "abcd1234"}
        return StateReturn(name=name, result=True, new_state=state, sensitive=("db:0:password", "token"))

    lab.functions["secretive"] = secretive
    seen: list[str] = []

    class Sink(list[Any]):
        def append(self, _event: Any) -> None:
            seen.append(lab.masker.text("hunter22 abcd1234"))

    lab.events = Sink()
    lab.run([Row("a", "secretive")])
    assert seen[-1] == "(sensitive) (sensitive)"


@pytest.mark.parametrize(("test", "expected"), [(True, None), (False, False)])
def test_target_that_is_not_there_yet(test: bool, expected: bool | None) -> None:
    """In a plan a resource that the plan itself registers is known after apply; in an apply it is a fault."""
    host = Srn("ssh_host", "new")
    lab = Lab(hooks=EngineHooks(promises=lambda chunk: [host] if chunk.id == "maker" else []))
    services = lab.services()

    def functions(srn: Srn) -> Any:
        if srn == host:
            raise UnknownResourceError("nothing is registered under ssh_host:new")
        return services.functions(srn)

    engine = Engine(msgspec.structs.replace(services, functions=functions), EngineOptions(test=test))
    outcome = run_virtually(engine.run(plan_of([Row("maker", "change"), Row("user", target=host)])))
    back = by_id(outcome.returns)["user"]
    assert back.result is expected
    comment = "waits for 'maker', which may register ssh_host:new (known after apply)"
    assert back.comment == (comment if test else "nothing is registered under ssh_host:new")


@pytest.mark.parametrize(
    ("maker", "test", "expected"), [("change", True, None), ("nop", True, False), ("change", False, False)]
)
def test_target_that_will_be_registered_anew(maker: str, test: bool, expected: bool | None) -> None:
    """In a plan, a host out of reach is no fault when an earlier state would change what it comes from."""
    host = Srn("ssh_host", "stopped")
    seen: list[bool] = []

    def unreachable(ctx: Any, _name: str) -> StateReturn:
        seen.append(ctx.site.is_superseded(host))
        raise RemoteTimeoutError("nothing listens there", target=str(host), timeout_s=1)

    lab = Lab(
        functions={"apply": apply_b, "unreachable": unreachable},
        growth={"b": [Row("inner", "unreachable", target=host)]},
        hooks=EngineHooks(promises=lambda chunk: [host] if chunk.id == "maker" else []),
    )
    rows = [Row("maker", maker), Row("user", "unreachable", target=host), Row("caller", "apply")]
    back = by_id(lab.run(rows, test=test).returns)
    inner = by_id(back["caller"].applied[0].returns)["inner"]
    assert [back["user"].result, inner.result] == [expected, expected]
    assert "nothing listens there" in back["user"].comment
    assert seen == [expected is None] * 2


def test_what_a_failed_attempt_applied_counts_no_longer() -> None:
    """Each attempt applies anew: of its scopes only those of the last one count."""
    rows = [Row("a", "apply", options=StateOptions(retry=Retry(attempts=3, interval_s=1.0)))]
    lab = Lab(functions={"apply": apply_b}, growth={"b": [Row("x", "fail")]})
    back = lab.returns(rows)["a"]
    assert [scope.status for scope in back.applied] == ["retried", "retried", "done"]
    closed = [event.returned.status for event in lab.events if isinstance(event, ScopeClosed)]
    assert closed.count("retried") == 2


def test_promises_are_kept_once() -> None:
    """A value that is set twice, or read before it is set, is an internal error."""
    promise: Promise[int] = Promise()
    with pytest.raises(InternalError, match="read before"):
        assert promise.value
    promise.resolve(1)
    with pytest.raises(InternalError, match="twice"):
        promise.resolve(2)


@pytest.mark.parametrize(
    ("kind", "field"),
    [(UnknownReturn, "unknown"), (UnreachableReturn, "unreachable"), (SkippedReturn, "skipped")],
)
def test_the_kind_of_a_return_is_in_its_record(kind: type[StateReturn], field: str) -> None:
    """A return says whether it is unknown, unreachable or skipped, and is none of the others."""

    def special(_ctx: Any, name: str) -> StateReturn:
        return kind(name=name, result=True)

    back = Lab(functions={"special": special}).returns([Row("a", "special"), Row("b")])
    fields = ("unknown", "unreachable", "skipped")
    assert [getattr(back["a"], each) for each in fields] == [each == field for each in fields]
    assert not any(getattr(back["b"], each) for each in fields)


def test_a_plan_foresees_what_a_change_would_register() -> None:
    """Only a state that would change something is asked, by its chunk."""
    hooks = EngineHooks(foreseen=lambda chunk, _: {"registers": [chunk.id]})
    back = Lab(hooks=hooks).returns([Row("a", "change"), Row("b")], test=True)
    assert {id_: returned.foreseen for id_, returned in back.items()} == {
        "a": {"registers": ["a"]},
        "b": None,
    }


def test_mod_watch_knows_which_watched_states_changed() -> None:
    """Those that did not change are not among them."""
    watches: list[tuple[str, ...]] = []

    def note(ctx: Any, name: str, **_: Any) -> StateReturn:
        watches.append(ctx.site.changed_watches)
        return StateReturn(name=name, result=True)

    Lab(watches={"test": note}).returns([Row("a", "change"), Row("b"), Row("c", watch=["a", "b"])])
    assert watches == [("test: a",)]
