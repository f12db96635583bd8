"""What a hostile minion sends fails its own part of the run, and harms neither the coordinator nor others."""

from __future__ import annotations

import asyncio
import json
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from tests.salt.fleet.minion_keys import public_pem, signer

from ensue.core.masking import Masker
from ensue.core.model.data_bounds import MOST_LEVELS
from ensue.core.model.events import FannedOut, NodeFinished, RunStarted
from ensue.core.model.fleet import FleetReport
from ensue.core.model.minion_state import MinionState
from ensue.core.model.returns import Return
from ensue.output.colours import COLOURED
from ensue.output.event_lines import EventLines
from ensue.output.fleet import answers_text, failed_line, fleet_data, fleet_text, status_rows
from ensue.output.tables import table_text
from ensue.salt.fleet.admission import Admission
from ensue.salt.fleet.collection import Collection
from ensue.salt.fleet.exchange import Exchange
from ensue.salt.fleet.frames import Alive, Answered, Described, Happened, MinionEnded, Refused, Warned, packed
from ensue.salt.fleet.kept_reports import KeptReports
from ensue.salt.fleet.renaming import Numbers, event_of_run
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.value_messages import MinionCompiled, Need
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport
    from ensue.salt.fleet.admission import BusEvent

KEY = RunKey()
_SIGNS = ("\x1b]", "\x07", "\x1b[2J", "\u202e")
FORGED = "\x1b]0;forged\x07\x1b[2J\u202e"
"""Sets the title of a terminal, clears it, and turns the direction of text."""


class _Frames:
    """A bus that has frames, and nothing after them."""

    has_more = False

    def __init__(self, admission: Admission, frames: Iterable[dict[str, Any]]) -> None:
        self._admission = admission
        self._frames = iter(frames)

    async def next(self) -> BusEvent:
        """Return what is admitted next."""
        while True:
            event = self._admission.admit("ensue/run/x", {"id": "odd", "data": next(self._frames)})
            if event is not None:
                return event


class Attack:
    """A run of `good` and `bad`, of which `bad` sends anything before its end.

    Attributes:
        sent: the messages to minions.
        admission: what was refused.
    """

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.admission = Admission("run")
        self.admission.expect("1", {name: public_pem(name) for name in ("bad", "good")})
        self._masker = Masker()
        self._numbers = Numbers()
        self._lines = EventLines(lambda _: None, self._masker)

    def reports(
        self, messages: Sequence[bytes], extra: Sequence[dict[str, Any]] = ()
    ) -> dict[str, MinionReport]:
        """Return the reports of both minions; everything about them can be shown."""
        kept = asyncio.run(self._collected([*extra, *self._frames(messages)]))
        report = FleetReport(
            run_id="run", test=False, status="failed", exit_code=2, minions=kept.by_id, duration_s=1.0
        )
        rows = table_text(("a", "b", "c", "d"), status_rows(report, self._masker))
        for text in (
            fleet_text(report, self._masker, COLOURED),
            answers_text(report, self._masker, COLOURED),
            *(failed_line(minion, self._masker) for minion in report.minions),
            rows,
        ):
            assert not [sign for sign in _SIGNS if sign in text]
        json.dumps(fleet_data(report, self._masker))
        return {minion.id: minion for minion in report.minions}

    def _frames(self, messages: Sequence[bytes]) -> Iterator[dict[str, Any]]:
        bad, good = (signer(name, public=KEY.public) for name in ("bad", "good"))
        ended = packed(MinionEnded(""))
        for message in (*messages, ended):
            yield from bad.frames(message)
        for message in (packed(Alive()), packed(MinionCompiled(())), ended):
            yield from good.frames(message)

    async def _collected(self, frames: Iterable[dict[str, Any]]) -> KeptReports:
        loop = asyncio.get_running_loop()
        names = ("bad", "good")
        exchange = Exchange(names, lambda minion, message: self.sent.append((minion, message)), _sealed)
        exchange.expect(names)
        collection = Collection(
            KEY, names, 1e9, loop.time() + 1e9, self._happened, exchange=exchange, ask_again=lambda *_: None
        )
        kept = KeptReports()
        bus: Any = _Frames(self.admission, frames)
        async for report in collection.reports(bus):
            kept.add(report)
        return kept

    def _happened(self, minion: str, event: RunEvent) -> None:
        if (renamed := event_of_run(event, minion, self._numbers)) is not None:
            journal_form.encode(renamed, self._masker)
            self._lines.of_minion(minion, renamed)


def _sealed(*_: object) -> bytes:
    msg = "nothing is held"
    raise ValueError(msg)


def _lists(levels: int) -> str:
    return "[" * levels + "]" * levels


def _text(json_text: str) -> bytes:
    return zlib.compress(json_text.encode(), 1)


def _event(event: RunEvent) -> str:
    return journal_form.encode(event, Masker()).decode().strip()


def _begun() -> str:
    when = "2026-01-01T00:00:00.000000+00:00"
    return _event(RunStarted(run_id="r", test=False, total=1, started_at=when, mods=(), minion_id="bad"))


def _finished(new_state: str, **fields: Any) -> str:
    returned = Return(
        tag="test_|-a_|-a_|-nop", id="a", name="a", sls="x", module="test", function="nop", scope="",
        target="minion:bad", result=True, changes={}, comment="", new_state="@",
    )  # fmt: skip
    for name, value in fields.items():
        setattr(returned, name, value)
    return _event(NodeFinished(returned)).replace('"@"', new_state)


def _events(*lines: str) -> bytes:
    return packed(Happened(lines))


def _needs(count: int) -> MinionCompiled:
    return MinionCompiled((), tuple(Need(MinionState(minion="x", path="p", id=str(n))) for n in range(count)))


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(_text('{"type":"Answered","ok":true,"value":' + _lists(100_000) + "}"), id="answer"),
        pytest.param(_text('{"type":"Answered","ok":true,"value":' + _lists(500) + "}"), id="deep-answer"),
        pytest.param(_text('{"type":"Described","status":{"a":' + _lists(500) + "}}"), id="deep-status"),
        pytest.param(_events(_begun(), _finished(_lists(100_000))), id="event"),
        pytest.param(_events(_begun(), _finished(_lists(500))), id="deep-event"),
        pytest.param(_events(_begun(), _finished("1e999")), id="number"),
        pytest.param(_events(_begun(), _finished("1", target="minion:good")), id="of-another"),
        pytest.param(_events("no event"), id="no-event"),
        pytest.param(zlib.compress(bytes(32 << 20), 9), id="bomb"),
        pytest.param(b"no message", id="no-message"),
        pytest.param(_text('{"type":"Happened","lines":["\\ud800"]}'), id="half-a-character"),
    ],
)
def test_what_cannot_be_read_fails_its_minion_alone(message: bytes) -> None:
    """Data that is too deep, too much, malformed or about another minion ends the part of its sender."""
    reports = Attack().reports([message])
    assert reports["bad"].problem.startswith("what it reported cannot be read: ")
    assert (reports["good"].ok, reports["good"].problem) == (True, "")


def test_data_may_be_as_deep_as_anywhere() -> None:
    """Values with the largest depth that ensue accepts are reported, recorded and shown."""
    deep = _lists(MOST_LEVELS)
    answer = _text('{"type":"Answered","ok":true,"value":' + deep + "}")
    reports = Attack().reports([_events(_begun(), _finished(deep)), answer])
    assert reports["bad"].problem == ""


def test_names_and_texts_do_not_reach_the_terminal() -> None:
    """No text of a minion is shown as a control sequence."""
    messages = [
        _events(_begun(), _finished("1", id=FORGED, name=FORGED, comment=FORGED, result=False)),
        _events(_event(FannedOut(scope="", tag_=FORGED, target="minion:bad", tags=(FORGED,)))),
        packed(Warned((FORGED,))),
        packed(Described({"salt": FORGED, "abi": FORGED})),
        packed(Answered(ok=False, value={FORGED: FORGED})),
        packed(Refused((FORGED,))),
    ]
    assert Attack().reports(messages)["good"].ok


def test_a_minion_that_compiles_for_ever_is_bounded() -> None:
    """Each compilation is answered, so only a few are accepted."""
    attack = Attack()
    reports = attack.reports([packed(_needs(1000))] * 100)
    assert "its states have compiled more than 20 times" in reports["bad"].problem
    assert len(attack.sent) <= 21_000
    assert reports["good"].ok


def test_only_the_first_end_counts() -> None:
    """All that a minion signs after its end is ignored."""
    ended = packed(MinionEnded(""))
    reports = Attack().reports([ended, packed(Refused(("too late",))), ended])
    assert reports["bad"].problem == ""


def test_frames_of_others_and_of_old_jobs_are_refused() -> None:
    """A frame counts only with the signature of its minion, for this job, and in its place."""
    ended = packed(MinionEnded("forged"))
    (forged,) = signer("good", public=KEY.public, key="bad").frames(ended)
    (old,) = signer("good", public=KEY.public, jid="0").frames(ended)
    (other_run,) = signer("good", public=KEY.public, run_id="other").frames(ended)
    (moved,) = signer("good", public=KEY.public).frames(ended)
    giant = {"minion": "good", "number": 0, "sealed": "A" * (2 << 20), "signature": "A"}
    extra = [forged, old, other_run, {**moved, "number": 1}, giant, {"minion": "x" * 2000}, {}]
    attack = Attack()
    reports = attack.reports([], extra)
    assert reports["good"].ok
    assert attack.admission.refused.total() == len(extra)
