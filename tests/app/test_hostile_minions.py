"""No minion speaks for another: hostile events change no report but the sender's own."""

from __future__ import annotations

import asyncio
import base64
import json
import zlib
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.salt.fleet.minion_keys import public_pem, signer

from ensue.core.masking import Masker
from ensue.core.model.events import NodeFinished, NodeStarted, RunFinished, RunStarted
from ensue.core.model.fleet import FleetReport
from ensue.core.model.minion_state import MinionState
from ensue.core.model.returns import Return
from ensue.output.colours import PLAIN
from ensue.output.fleet import fleet_data, fleet_text
from ensue.salt.fleet.admission import Admission
from ensue.salt.fleet.bus import BusClosed
from ensue.salt.fleet.collection import Collection
from ensue.salt.fleet.exchange import Exchange
from ensue.salt.fleet.frames import Alive, Happened, MinionEnded, packed
from ensue.salt.fleet.renaming import Numbers, event_of_run
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.signing import LAST, MORE
from ensue.salt.fleet.value_messages import Asked, HeldReturn, MinionCompiled, Need, Stalled, StateName
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.fleet import MinionReport
    from ensue.salt.fleet.bus import Item

MINIONS: Final = ("web1", "web2", "db1")
HOSTILE: Final = "web1"
KEY: Final = RunKey()

Event = tuple[str, Any]
"""A tag and the data of an event."""


_OTHER: Final = MinionState(minion="web2", path="test", id="a")
_OWN: Final = MinionState(minion=HOSTILE, path="*", id="a", selector="b")
_NOBODY: Final = MinionState(minion="nobody", path="", id="")


def _line(event: Any) -> str:
    return journal_form.encode(event, Masker()).decode().rstrip("\n")


def _lines_of_a_run(minion: str) -> list[str]:
    tag = "test_|-a_|-a_|-nop"
    returned = Return(
        tag=tag, id="a", name="a", sls="s", module="test", function="nop", scope="",
        target=f"minion:{minion}", result=minion != "db1", changes={}, comment=f"of {minion}",
    )  # fmt: skip
    code = 2 if minion == "db1" else 0
    return [
        _line(RunStarted("r", test=False, total=1, started_at="2026-01-01T00:00:00+00:00", minion_id=minion)),
        _line(NodeStarted(tag, "a", "test.nop", "", f"minion:{minion}", 0)),
        _line(NodeFinished(returned)),
        _line(RunFinished("r", "failed" if code else "succeeded", code, "2026-01-01T00:00:01+00:00")),
    ]


def _fired(frame: Any, sender: str = HOSTILE) -> Event:
    return f"ensue/run/{sender}", {"id": sender, "cmd": "_minion_event", "tag": "x", "data": frame}


def _true_stream() -> list[Event]:
    events: list[Event] = []
    for minion in MINIONS:
        made = signer(minion, public=KEY.public)
        first, *rest = _lines_of_a_run(minion)
        for message in (Alive(), Happened((first,)), Alive(), Happened(tuple(rest)), MinionEnded("")):
            events += [_fired(frame, minion) for frame in made.frames(packed(message))]
    return events


TRUE: Final = _true_stream()
VALUE_MESSAGES: Final = (
    MinionCompiled(
        (StateName("t", "test", "a", "a"),), (Need(_OTHER, ("x",), (0, 7, -1)), Need(_OWN), Need(_NOBODY))
    ),
    MinionCompiled((), (Need(_OTHER),)),
    Asked((_OTHER, _OWN, _NOBODY)),
    Stalled((_OTHER, _OWN, _NOBODY)),
    HeldReturn("t", b"not sealed"),
)
BOMB: Final = LAST + zlib.compress(b'"' + b"x" * (17 << 20))
ANYTHING: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)


def _forged(minion: str, number: int, *, key: str = HOSTILE, run_id: str = "run", jid: str = "1") -> Any:
    made = signer(minion, public=KEY.public, key=key, run_id=run_id, jid=jid)
    made.count = number
    return made.frame(LAST + packed(MinionEnded("forged")))


@st.composite
def _unsigned(draw: st.DrawFn) -> Event:
    """Draw an event that no minion of the job signed: it may change nothing at all."""
    victim, number = draw(st.sampled_from(MINIONS)), draw(st.integers(0, 8))
    tag = draw(
        st.sampled_from(
            [
                "ensue/run/web2",
                "ensue/run/end",
                "ensue/run//end",
                "ensue/run/",
                "salt/job/1/ret/web2",
                "salt/auth",
            ]
        )
    )
    kind = draw(
        st.sampled_from(["other", "wrong key", "wrong job", "cut", "huge", "typed", "bare", "return", "any"])
    )
    match kind:
        case "other":
            data: Any = _forged("web2", number)
        case "wrong key":
            data = _forged(victim, number, key="nobody")
        case "wrong job":
            data = _forged(
                victim, number, key=victim, **draw(st.sampled_from([{"jid": "2"}, {"run_id": "old"}]))
            )
        case "cut":
            data = dict(draw(st.sampled_from(TRUE))[1]["data"])
            field = draw(st.sampled_from(["sealed", "signature"]))
            data[field] = data[field][: draw(st.integers(0, 80))]
        case "huge":
            data = {**_forged("web2", number), "sealed": "A" * draw(st.sampled_from([300_000, 1 << 20]))}
        case "typed":
            data = dict(draw(st.sampled_from(TRUE))[1]["data"])
            data[draw(st.sampled_from(sorted(data)))] = draw(ANYTHING)
        case "bare":
            # A list of events passes the data of each as it is, without the sender.
            return tag, draw(st.sampled_from(TRUE))[1]["data"]
        case "return":
            payload = {"id": victim, "jid": "1", "return": draw(ANYTHING), "success": True}
            return "salt/job/1/ret/web2", payload
        case _:
            return tag, draw(ANYTHING)
    return draw(st.sampled_from([(tag, {"id": victim, "data": data}), (tag, data), _fired(data)]))


@st.composite
def _own(draw: st.DrawFn) -> Event:
    """Draw an event that the hostile minion signs for its own job: it may harm that minion's report alone."""
    made = signer(HOSTILE, public=KEY.public)
    made.count = draw(st.integers(0, 9) | st.sampled_from([99_999, 100_000, 1 << 62]))
    line = draw(
        st.sampled_from(_lines_of_a_run("web2"))
        | st.builds(json.dumps, ANYTHING.filter(_is_json))
        | st.builds(
            lambda name, value: json.dumps({**json.loads(_lines_of_a_run("web2")[2]), name: value}),
            st.sampled_from(["type", "returned", "exact"]),
            ANYTHING.filter(_is_json),
        )
    )
    content = draw(
        st.sampled_from(
            [
                b"", b"?", LAST, MORE + b"x", LAST + b"x",
                BOMB,
                LAST + zlib.compress(b'{"type":"Answered","ok":true,"value":' + b"[" * 5000),
                LAST + packed(Happened((line,))),
                LAST + packed(MinionEnded("mine")),
                *(LAST + packed(message) for message in VALUE_MESSAGES),
            ]
        )
    )  # fmt: skip
    frame = made.frame(content)
    if draw(st.booleans()):
        return _fired(frame)
    # Not sealed at all, but signed.
    from tests.salt.fleet.minion_keys import private_key

    from ensue.salt.fleet.signing import frame_name, signature_form, signed_text

    sealed = draw(st.binary(max_size=64))
    name = frame_name("run", "1", HOSTILE, frame["number"])
    signature = private_key(HOSTILE).sign(signed_text(name, sealed), *signature_form())
    texts = {"sealed": base64.b64encode(sealed).decode(), "signature": base64.b64encode(signature).decode()}
    return _fired({**frame, **texts})


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError):
        return False
    return True


class _Bus:
    """What was admitted of a list of events; then it is closed."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = [*items, BusClosed()]

    async def next(self) -> Item:
        """Return the next item."""
        return self._items.pop(0)


def _collected(events: Sequence[Event]) -> tuple[dict[str, MinionReport], list[tuple[str, Any]], Admission]:
    admission = Admission("run")
    admission.expect("1", {name: public_pem(name) for name in MINIONS})
    items = [item for tag, data in events if (item := admission.admit(tag, data)) is not None]
    heard: list[tuple[str, Any]] = []
    numbers = Numbers()

    async def collect() -> dict[str, MinionReport]:
        def on_event(minion: str, event: Any) -> None:
            if (renamed := event_of_run(event, minion, numbers)) is not None:
                journal_form.encode(renamed, Masker())
            heard.append((minion, event))

        exchange = Exchange(MINIONS, lambda _minion, _message: None, lambda _minion, _tag, sealed: sealed)
        exchange.expect(MINIONS)
        latest = asyncio.get_running_loop().time() + 60
        collection = Collection(
            KEY, MINIONS, 60, latest, on_event, exchange=exchange, ask_again=lambda *_: None
        )
        return {report.id: report async for report in collection.reports(_Bus(items))}  # type: ignore[arg-type]  # has its one method

    return asyncio.run(collect()), heard, admission


def _alone(outcome: tuple[dict[str, MinionReport], list[tuple[str, Any]], Admission], minion: str) -> Any:
    return outcome[0][minion], [event for name, event in outcome[1] if name == minion]


EXPECTED: Final = _collected(TRUE)


def test_the_true_stream_is_the_run() -> None:
    """Each minion has the end that it reported."""
    assert {name: report.ok for name, report in EXPECTED[0].items()} == {
        "web1": True,
        "web2": True,
        "db1": False,
    }
    assert {name: report.problem for name, report in EXPECTED[0].items()} == dict.fromkeys(MINIONS, "")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.permutations(TRUE), st.lists(_unsigned(), max_size=8), st.data())
def test_unsigned_events_change_nothing(true: list[Event], hostile: list[Event], data: st.DataObject) -> None:
    """True frames in any order, some of them twice, and events that nobody signed: the result is true."""
    stream = [*true, *true[:3]]
    for event in hostile:
        stream.insert(data.draw(st.integers(0, len(stream))), event)
    outcome = _collected(stream)
    for minion in MINIONS:
        assert _alone(outcome, minion) == _alone(EXPECTED, minion)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.permutations(TRUE), st.lists(_unsigned() | _own(), min_size=1, max_size=6), st.data())
def test_a_hostile_minion_harms_itself_alone(
    true: list[Event], hostile: list[Event], data: st.DataObject
) -> None:
    """Whatever a minion signs for its own job, others have their result, and its own can be printed."""
    stream = list(true)
    for event in hostile:
        stream.insert(data.draw(st.integers(0, len(stream))), event)
    outcome = _collected(stream)
    for minion in set(MINIONS) - {HOSTILE}:
        assert _alone(outcome, minion) == _alone(EXPECTED, minion)
    report = FleetReport(
        run_id="run", test=False, status="failed", exit_code=2, minions=tuple(outcome[0].values())
    )
    assert fleet_text(report, Masker(), PLAIN)
    assert fleet_data(report, Masker()).keys() == set(MINIONS)


@pytest.mark.parametrize("count", [1, 3])
def test_refused_frames_are_counted_by_their_sender(count: int) -> None:
    """Each refused frame counts for the minion that Salt names as its sender, or for nobody that is known."""
    forged = [_fired(_forged("web2", number)) for number in range(count)]
    refused = _collected([*forged, *TRUE, ("ensue/run/x", {"id": "stranger"}), ("ensue/run/x", [])])[
        2
    ].refused
    assert refused == {HOSTILE: count, "": 2}


def test_a_minion_cannot_report_states_of_another() -> None:
    """A signed event about another minion fails the one that signed it."""
    made = signer(HOSTILE, public=KEY.public)
    frames = made.frames(packed(Happened(tuple(_lines_of_a_run("web2")))))
    outcome = _collected([*(_fired(frame) for frame in frames), *TRUE])
    assert outcome[0][HOSTILE].problem == "what it reported cannot be read: an event is about minion:web2"
    assert _alone(outcome, "web2") == _alone(EXPECTED, "web2")
