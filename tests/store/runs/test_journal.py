"""The journal of a run: written event by event, read back up to any cut."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import os
import pathlib
import resource
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.errors import DiskError, StoreError, UnknownRunError
from ensue.core.masking import Masker
from ensue.core.model.events import (
    NodeFinished,
    NodeStarted,
    ReactionsOwed,
    ResourceRegistered,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    ScopePlanned,
)
from ensue.core.model.returns import Return, ScopeReturn
from ensue.core.model.unknown import Unknown
from ensue.store.runs import journal_form, run_history
from ensue.store.runs.journal import Journal, find_run, list_runs, new_run_id, prune_runs, read_run
from ensue.store.runs.output_bound import OutputBound
from ensue.store.runs.reserve import RESERVE_BYTES, make_reserve

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from ensue.core.model.events import RunEvent

RUN = "20261120T235959-0f424a"


def returned(**fields: Any) -> Return:
    defaults: dict[str, Any] = {
        "tag": "test_|-a_|-a_|-nop",
        "id": "state a",
        "name": "name a",
        "sls": "web",
        "module": "test",
        "function": "nop",
        "scope": "",
        "target": "minion:m",
        "result": True,
        "changes": {},
        "comment": "Success!",
        "place": "states/web.sls:3",
    }
    return Return(**(defaults | fields))


EVENTS: list[RunEvent] = [
    RunStarted(run_id=RUN, test=False, total=3, started_at="2026-11-20T23:59:59+00:00", mods=("web", "db")),
    NodeStarted(tag_="t", id="state a", function="test.nop", scope="", target="minion:m", run_num=0),
    NodeFinished(returned=returned(run_num=0, duration_ms=1.25)),
    ResourceRegistered(srn="ssh_host:h", source="env:e", changed=True),
    ScopeOpened(caller="t", kind="block", name="b", scope="a/b", target="minion:m", total=1),
    NodeFinished(
        returned=returned(
            scope="a/b",
            result=False,
            changes={"diff": "- a\n+ ü", "list": [1, 2.5, None, True, {"deep": "x"}]},
            new_state={"path": "/x"},
            old_state=[],
            warnings=("careful",),
        )
    ),
    ScopeClosed(caller="t", returned=ScopeReturn(kind="block", name="b", scope="a/b", status="done")),
    NodeFinished(returned=returned(result=None, changes={"x": 1})),
    RunFinished(
        run_id=RUN, status="failed", exit_code=2, ended_at="2026-11-21T00:00:01+00:00", not_run=("z",)
    ),
]


def write(cachedir: Path, events: list[RunEvent], masker: Masker | None = None, run_id: str = RUN) -> Path:
    with Journal.create(cachedir, run_id, masker=masker or Masker()) as journal:
        for event in events:
            journal.write(event)
    return journal.path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Every kind of event comes back equal, in order, from a private file in a private folder."""
    path = write(tmp_path / ".ensue", EVENTS)
    assert read_run(tmp_path / ".ensue", RUN) == EVENTS
    assert path == tmp_path / ".ensue" / "runs" / f"{RUN}.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_event_is_in_the_file_when_it_is_written(tmp_path: Path) -> None:
    """There is no buffer: after every single event a reader sees it."""
    with Journal.create(tmp_path, RUN, masker=Masker()) as journal:
        for count, event in enumerate(EVENTS, start=1):
            journal.write(event)
            assert read_run(tmp_path, RUN) == EVENTS[:count]


def test_a_journal_cut_at_any_byte_reads_up_to_the_cut(tmp_path: Path) -> None:
    """Whatever is left of a journal, the whole events before the cut are read, and the run is in the list."""
    path = write(tmp_path, EVENTS)
    content = path.read_bytes()
    for cut in range(len(content)):
        path.write_bytes(content[:cut])
        events = read_run(tmp_path, RUN)
        assert events == EVENTS[: len(events)]
        # An event is complete with its last brace.
        assert len(events) >= content[:cut].count(b"\n") - 1 - (cut > content.rindex(b"\n", 0, -1))
        (summary,) = list_runs(tmp_path)
        finished = len(events) == len(EVENTS)
        assert (summary.run_id, summary.exit_code) == (RUN, 2 if finished else None)
        assert summary.status == (
            "failed" if finished else "running" if cut > content.index(b"\n") - 1 else "killed"
        )
        assert summary.started_at == "2026-11-20T23:59:59+00:00"


def test_a_line_that_was_cut_does_not_spoil_the_next(tmp_path: Path) -> None:
    """Reading goes on after half a line, and after malformed lines."""
    path = write(tmp_path, EVENTS[:2])
    with path.open("ab") as file:
        file.write(
            b'{"type":"NodeFin\n\xff\xfe\n[]\n{}\n{"type":"Later","x":1}\n{"type":"NodeFinished","returned":3}\n'
        )
        file.write(journal_form.encode(EVENTS[2], Masker()))
    assert read_run(tmp_path, RUN) == EVENTS[:3]


def test_fields_of_a_later_version_are_left_out(tmp_path: Path) -> None:
    """A line with more fields than this version knows is read without them."""
    path = write(tmp_path, EVENTS[:2])
    path.write_bytes(path.read_bytes().replace(b'"total":3', b'"total":3,"later":[1]'))
    assert read_run(tmp_path, RUN) == EVENTS[:2]


def test_a_finished_run_is_summarized(tmp_path: Path) -> None:
    """The list says how a run began, ended and what its states did."""
    write(tmp_path, EVENTS)
    (summary,) = list_runs(tmp_path)
    assert (summary.run_id, summary.status, summary.exit_code, summary.test) == (RUN, "failed", 2, False)
    assert (summary.started_at, summary.ended_at) == (
        "2026-11-20T23:59:59+00:00",
        "2026-11-21T00:00:01+00:00",
    )
    assert (summary.total, summary.succeeded, summary.changed, summary.failed) == (3, 2, 1, 1)
    assert summary.mods == ("web", "db")


def test_the_list_is_newest_first_and_may_be_empty(tmp_path: Path) -> None:
    """A project without runs has none; else the newest comes first."""
    assert list_runs(tmp_path) == []
    assert find_fault(tmp_path) == "there are no runs yet"
    for number in range(3):
        write(tmp_path, EVENTS, run_id=f"20261120T23595{number}-000000")
    assert [list_run.run_id[14:15] for list_run in list_runs(tmp_path)] == ["2", "1", "0"]


def find_fault(cachedir: Path) -> str:
    with pytest.raises(UnknownRunError) as caught:
        find_run(cachedir, "x")
    return str(caught.value).partition("; ")[2].partition(" (")[0]


def test_a_run_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    """A prefix of one run's id is enough; a prefix of none or of several is an error that says so."""
    for run_id in ("20261120T235959-000000", "20261120T235959-100000", "20261121T000000-000000"):
        write(tmp_path, EVENTS[:1], run_id=run_id)
    assert find_run(tmp_path, "20261121") == "20261121T000000-000000"
    assert len(read_run(tmp_path, "20261120T235959-1")) == 1
    for prefix, words in (
        ("2026112", "3 runs begin"),
        ("2027", "there is no run '2027'"),
        ("", "there is no run"),
    ):
        with pytest.raises(UnknownRunError, match=words):
            read_run(tmp_path, prefix)


@given(st.lists(st.datetimes(timezones=st.timezones()), min_size=2, max_size=8))
def test_run_ids_sort_by_time(moments: list[dt.datetime]) -> None:
    """Of two runs the earlier has the smaller id, whatever the time zone."""
    moments = sorted({moment.astimezone(dt.UTC) for moment in moments if 1000 < moment.year < 9000})
    ids = [new_run_id(moment) for moment in moments]
    assert ids == sorted(ids)
    assert all(len(id_) == len(RUN) for id_ in ids)


def test_a_run_id_has_the_documented_form() -> None:
    """Date, time, microseconds and a random digit."""
    moment = dt.datetime(2026, 11, 21, 0, 59, 59, 62500, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert new_run_id(moment)[:-1] == "20261120T235959-0f424"


def test_a_run_that_goes_on_is_running_and_one_that_was_killed_is_killed(tmp_path: Path) -> None:
    """A run without an end is running as long as the process that writes its journal lives."""
    program = (
        "import sys; from pathlib import Path; from ensue.store.runs.journal import Journal;"
        "from ensue.core.masking import Masker;"
        f"Journal.create(Path(sys.argv[1]), {RUN!r}, masker=Masker());"
        "print('made', flush=True); sys.stdin.read()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    writer.stdout.readline()
    assert list_runs(tmp_path)[0].status == "running"
    writer.kill()
    writer.communicate()
    assert list_runs(tmp_path)[0].status == "killed"


def test_another_process_with_the_same_pid_is_not_the_writer(tmp_path: Path) -> None:
    """A pid alone proves nothing: the start of the process must be the same."""
    path = write(tmp_path, EVENTS[:1])
    assert run_history.writer_lives(path)
    mark = run_history.process_mark(os.getpid())
    path.write_bytes(path.read_bytes().replace(mark.encode(), mark.encode() + b"1"))
    assert not run_history.writer_lives(path)
    assert list_runs(tmp_path)[0].status == "killed"


def test_old_journals_make_room(tmp_path: Path) -> None:
    """The newest are kept, the new one included, and one that is being written whatever its age."""
    oldest = write(tmp_path, EVENTS[:1], run_id="20200101T000000-000000")
    for number in range(6):
        path = write(tmp_path, EVENTS, run_id=f"20210101T00000{number}-000000")
        path.write_bytes(path.read_bytes().replace(b'"process":"', b'"process":"other'))
    Journal.create(tmp_path, RUN, masker=Masker(), keep_runs=3).close()
    assert [list_run.run_id for list_run in list_runs(tmp_path)] == [
        RUN,
        "20210101T000005-000000",
        "20210101T000004-000000",
        oldest.stem,
    ]
    prune_runs(tmp_path, 0)
    assert RUN in {list_run.run_id for list_run in list_runs(tmp_path)}


def test_old_journals_make_room_by_their_size(tmp_path: Path) -> None:
    """The oldest are removed until the others fit, an unfinished one too; the newest is kept at any size."""
    for number in range(4):
        path = write(tmp_path, EVENTS, run_id=f"20210101T00000{number}-000000")
        path.write_bytes(path.read_bytes().replace(b'"process":"', b'"process":"other'))
    size_bytes = path.stat().st_size
    prune_runs(tmp_path, 100, 3 * size_bytes)
    assert [list_run.run_id[14] for list_run in list_runs(tmp_path)] == ["3", "2", "1"]
    prune_runs(tmp_path, 100, 2 * size_bytes - 1)
    assert [list_run.run_id[14] for list_run in list_runs(tmp_path)] == ["3"]
    prune_runs(tmp_path, 100, 1)
    assert [list_run.run_id[14] for list_run in list_runs(tmp_path)] == ["3"]
    Journal.create(tmp_path, RUN, masker=Masker(), keep_runs_bytes=1).close()
    assert [list_run.run_id for list_run in list_runs(tmp_path)] == [RUN]


def test_a_run_has_one_journal(tmp_path: Path) -> None:
    """The journal of a run is never written over."""
    write(tmp_path, EVENTS)
    with pytest.raises(StoreError, match=RUN):
        Journal.create(tmp_path, RUN, masker=Masker())
    assert read_run(tmp_path, RUN) == EVENTS


def test_a_full_disk_is_an_error_and_reading_goes_on(tmp_path: Path) -> None:
    """When nothing can be written the error names the journal."""
    journal = Journal(tmp_path / "x.jsonl", os.open("/dev/full", os.O_WRONLY), Masker())
    with pytest.raises(StoreError, match=r"x\.jsonl.*No space"):
        journal.write(EVENTS[0])
    journal.close()
    journal.close()


@contextlib.contextmanager
def at_most(size_bytes: int) -> Generator[None]:
    """Let no file of this process become larger, as if its disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_is_full_at_any_byte(tmp_path: Path) -> None:
    """With room again, the journal has every event but refused beginnings, and no broken line."""
    whole = write(tmp_path / "whole", EVENTS).stat().st_size
    for size_bytes in range(whole):
        cachedir = tmp_path / str(size_bytes)
        happened: list[RunEvent] = []
        faults = 0
        with at_most(size_bytes):
            try:
                journal = Journal.create(cachedir, RUN, masker=Masker())
            except StoreError:
                continue
            for event in EVENTS:
                try:
                    journal.write(event)
                except DiskError:
                    faults += 1
                    if isinstance(event, RunStarted | NodeStarted):
                        continue
                happened.append(event)
        journal.flush()
        journal.close()
        assert faults
        assert read_run(cachedir, RUN) == happened
        lines = journal.path.read_bytes().splitlines()
        assert len(lines) == len(happened) + 1 + (EVENTS[-1] in happened)
        assert all(map(journal_form.decode, lines))


def test_the_end_of_a_run_takes_the_reserve(tmp_path: Path) -> None:
    """A disk that is full when a run ends has kept room for that."""
    journal = Journal.create(tmp_path, RUN, masker=Masker())
    reserve = tmp_path / "reserve"
    assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES
    assert stat.S_IMODE(reserve.stat().st_mode) == 0o600
    journal.write(EVENTS[0])
    with at_most(journal.path.stat().st_size), pytest.raises(DiskError) as caught:
        journal.write(EVENTS[2])
    assert caught.value.errno == errno.EFBIG
    assert reserve.stat().st_size == 0
    journal.write(EVENTS[-1])
    journal.close()
    assert read_run(tmp_path, RUN) == [EVENTS[0], EVENTS[2], EVENTS[-1]]
    make_reserve(reserve.parent)
    assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES


# --- secrets ---------------------------------------------------------------------------------

SECRET = 'hunter2-"quoted"\\secret\nwith a second line of it'


@pytest.mark.parametrize(
    "event",
    [
        NodeFinished(returned=returned(comment=f"it is {SECRET}")),
        NodeFinished(returned=returned(name=SECRET, id=SECRET, tag=SECRET)),
        NodeFinished(returned=returned(changes={"diff": f"+ {SECRET}", SECRET: [SECRET, {"x": SECRET}]})),
        NodeFinished(returned=returned(new_state=SECRET, old_state=[SECRET.encode()])),
        NodeFinished(returned=returned(warnings=(SECRET,))),
        NodeStarted(tag_=SECRET, id=SECRET, function="f", scope=SECRET, target="m", run_num=1),
        RunStarted(run_id=RUN, test=False, total=1, started_at="", mods=(SECRET,)),
        RunFinished(run_id=RUN, status="failed", exit_code=2, ended_at="", not_run=(SECRET,)),
        ScopeOpened(caller=SECRET, kind="block", name=SECRET, scope="s", target="m", total=1),
        ScopeClosed(
            caller="c", returned=ScopeReturn(kind="b", name="n", scope="s", status="failed", comment=SECRET)
        ),
        ScopeClosed(
            caller="long tag",
            returned=ScopeReturn(
                kind="block", name="later", scope="a/later", status="failed", comment=SECRET
            ),
        ),
        ScopePlanned(scope="a/later", tags=("long tag", SECRET), edges=((0, 1, "require"),)),
        ReactionsOwed(
            scope="",
            scope_identity="",
            tag_=SECRET,
            target="m",
            tags=(SECRET, "long tag"),
            targets=("m", "m"),
            slses=("a", SECRET),
        ),
        ResourceRegistered(srn=f"ssh_host:{SECRET}", source=SECRET, changed=True),
    ],
)
def test_no_secret_is_written(tmp_path: Path, event: RunEvent) -> None:
    """A secret at any place of an event is not in the file, in any form."""
    path = write(tmp_path, [event], Masker([SECRET]))
    content = path.read_text()
    assert "hunter2" not in content
    assert "second line of it" not in content
    assert "(sensitive)" in content
    assert len(read_run(tmp_path, RUN)) == 1


def test_a_secret_that_comes_to_be_known_is_masked_from_then_on(tmp_path: Path) -> None:
    """The masker is consulted for every event."""
    masker = Masker()
    with Journal.create(tmp_path, RUN, masker=masker) as journal:
        journal.write(NodeFinished(returned=returned(comment="hunter2 unknown")))
        masker.add("hunter2")
        journal.write(NodeFinished(returned=returned(comment="hunter2 known")))
    lines = journal.path.read_text().splitlines()
    assert "hunter2 unknown" in lines[1]
    assert "(sensitive) known" in lines[2]


@pytest.mark.parametrize("field", ["name", "comment"])
def test_a_very_short_secret_is_masked_where_it_is_a_whole_value(tmp_path: Path, field: str) -> None:
    """A PIN of three digits is masked as a value, and numbers of our own stay."""
    write(tmp_path, [NodeFinished(returned=returned(**{field: "123"}, run_num=123))], Masker(["123"]))
    (event,) = read_run(tmp_path, RUN)
    assert isinstance(event, NodeFinished)
    assert getattr(event.returned, field) == "(sensitive)"
    assert event.returned.run_num == 123


def test_a_very_short_secret_stays_in_names(tmp_path: Path) -> None:
    """An ID, a tag, and the name of a block stay what their author wrote, also when a PIN equals them."""
    scope = ScopeReturn(kind="block", status="done", name="123", scope="123/123", comment="123")
    events = [
        NodeFinished(returned=returned(id="123", name="123", tag="m_|-123_|-123_|-f", comment="123")),
        ScopeClosed(caller="m_|-123_|-123_|-f", returned=scope),
    ]
    write(tmp_path, events, Masker(["123"]))
    node, closed = read_run(tmp_path, RUN)
    assert isinstance(node, NodeFinished)
    assert isinstance(closed, ScopeClosed)
    assert (node.returned.id, node.returned.name, node.returned.comment) == ("123", "123", "(sensitive)")
    assert node.returned.tag == closed.caller == "m_|-123_|-123_|-f"
    assert (closed.returned.name, closed.returned.scope) == ("123", "123/123")
    assert closed.returned.comment == "(sensitive)"


def test_a_very_short_secret_is_masked_in_comments_of_scopes(tmp_path: Path) -> None:
    """A PIN of three digits is masked where it is the whole comment of a scope."""
    fields: dict[str, Any] = {"name": "later", "scope": "caller/later", "comment": "123"}
    write(
        tmp_path,
        [ScopeClosed(caller="c", returned=ScopeReturn(kind="block", status="done", **fields))],
        Masker(["123"]),
    )
    (event,) = read_run(tmp_path, RUN)
    assert isinstance(event, ScopeClosed)
    assert event.returned.comment == "(sensitive)"


def test_sensitive_paths_are_masked_without_a_masker(tmp_path: Path) -> None:
    """What a return calls sensitive is hidden in its new and old state, even if the masker lacks it."""
    state = {
        "user": "bob",
        "login": {"password": "hunter2", "keys": [{"value": "hunter2"}, "shown"]},
        "none": None,
    }
    done = returned(
        new_state=state,
        old_state={"login": {"password": "hunter2"}},
        sensitive=("login:password", "login:keys:0:value", "none", "not:there", "login:keys:7"),
    )
    path = write(tmp_path, [NodeFinished(returned=done)])
    assert "hunter2" not in path.read_text()
    (event,) = read_run(tmp_path, RUN)
    assert isinstance(event, NodeFinished)
    assert event.returned.new_state == {
        "user": "bob",
        "login": {"password": "(sensitive)", "keys": [{"value": "(sensitive)"}, "shown"]},
        "none": None,
    }
    assert event.returned.sensitive == done.sensitive


def test_a_whole_state_may_be_sensitive(tmp_path: Path) -> None:
    """A path to a mapping hides all of it."""
    write(tmp_path, [NodeFinished(returned=returned(new_state={"a": {"b": "hunter2"}}, sensitive=("a",)))])
    (event,) = read_run(tmp_path, RUN)
    assert isinstance(event, NodeFinished)
    assert event.returned.new_state == {"a": "(sensitive)"}


# --- data of plug-ins ------------------------------------------------------------------------


def test_what_json_does_not_know_is_written_as_text(tmp_path: Path) -> None:
    """A plug-in's odd values never keep a run from being recorded."""
    odd: Any = {
        1: pathlib.Path("/x"),
        "bytes": b"\xff",
        "set": {"one"},
        "big": 2**70,
        "unknown": Unknown("${cloud:vm:id}"),
        "surrogate": "\udcff",
        "date": dt.date(2026, 11, 20),
        "tuple": (1, "a"),
    }
    write(
        tmp_path,
        [NodeFinished(returned=returned(changes=odd)), NodeFinished(returned=returned(comment="\udcff"))],
    )
    first, second = read_run(tmp_path, RUN)
    assert isinstance(first, NodeFinished)
    assert isinstance(second, NodeFinished)
    assert first.returned.changes == {
        "1": "/x",
        "bytes": "\\xff",
        "set": ["one"],
        "big": str(2**70),
        "unknown": "(known after apply)",
        "surrogate": "\\udcff",
        "date": "2026-11-20",
        "tuple": [1, "a"],
    }
    assert second.returned.comment == "\\udcff"


def test_a_state_that_is_not_known_yet_is_written_as_text(tmp_path: Path) -> None:
    """A plan's whole new state may be an `Unknown`; the journal has its text, not its inside."""
    whole: Any = Unknown("${cloud:vm}")
    listed: Any = [Unknown("${cloud:vm}")]
    write(tmp_path, [NodeFinished(returned=returned(new_state=whole, old_state=listed))])
    (event,) = read_run(tmp_path, RUN)
    assert isinstance(event, NodeFinished)
    assert event.returned.new_state == "(known after apply)"
    assert event.returned.old_state == ["(known after apply)"]


def test_returns_of_nested_scopes_are_written_once(tmp_path: Path) -> None:
    """A scope's returns are events of their own, and are left out of the event that closes the scope."""
    scope = ScopeReturn(
        kind="apply", name="openvpn", scope="a/openvpn", status="done", returns={"t": returned()}
    )
    write(tmp_path, [NodeFinished(returned=returned(applied=(scope,), delayed=(scope,)))])
    (event,) = read_run(tmp_path, RUN)
    assert isinstance(event, NodeFinished)
    bare = ScopeReturn(kind="apply", name="openvpn", scope="a/openvpn", status="done")
    assert (event.returned.applied, event.returned.delayed) == ((bare,), (bare,))


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.integers()
        | st.text()
        | st.binary(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=10,
    )
)
def test_any_data_is_written_and_read(data: Any) -> None:
    """Whatever a state returns becomes one line that reads back, with and without secrets around."""
    event = NodeFinished(returned=returned(new_state=data, changes={"x": data}))
    for masker in (Masker(), Masker(["hunter2"])):
        line = journal_form.encode(event, masker)
        assert line.count(b"\n") == 1
        assert isinstance(journal_form.decode(line), NodeFinished)


@pytest.mark.parametrize("masker", [Masker(), Masker(["hunter2-hunter2"])])
def test_a_text_of_changes_and_new_state_is_written_once(masker: Masker) -> None:
    """The line has it once; after reading, it is in both places."""
    output = {"retcode": 0, "stdout": "o" * 500, "stderr": ""}
    line = journal_form.encode(NodeFinished(returned=returned(changes=output, new_state=output)), masker)
    assert line.count(b"o" * 500) == 1
    event = journal_form.decode(line)
    assert isinstance(event, NodeFinished)
    assert event.exact
    assert event.returned.changes == event.returned.new_state == output
    assert list(event.returned.new_state) == ["retcode", "stdout", "stderr"]


def test_a_secret_at_the_bound_is_masked_before_the_text_is_cut() -> None:
    """No part of it is left in the line, whose return is not whole."""
    bound = OutputBound(20)
    output: Any = {"stdout": "twelve chars hunter22-hunter22" + "x" * 50}
    event = NodeFinished(returned=returned(changes=output, new_state=output))
    line = journal_form.encode(event, Masker(["hunter22-hunter22"]), bound)
    assert b"hunter" not in line
    back = journal_form.decode(line)
    assert isinstance(back, NodeFinished)
    assert not back.exact
    warning = bound.warning()
    assert warning is not None
    assert warning.code == "E0721"
