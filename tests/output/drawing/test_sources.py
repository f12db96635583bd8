"""A drawing shows a plan before a run, and after it what the run grew into."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.masking import Masker
from ensue.core.model.events import NodeStarted
from ensue.output.colours import PLAIN
from ensue.output.drawing.from_events import draw_events
from ensue.output.drawing.text import drawing_lines
from ensue.store.runs.history_report import report_from_events

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.events import RunEvent
    from ensue.output.drawing.drawing import ScopeBox

SLS = """\
web:
  test.succeed_with_changes:
    - delayed_render:
        - block: inner
after:
  test.nop:
    - require: [{test: web}]
checked:
  test.nop:
    - prereq: [{test: web}]
#!delayed_block inner
one:
  cmd.run:
    - name: 'true'
two:
  test.nop:
    - watch: [{cmd: one}]
#!end_delayed_block
"""


def project(root: Path) -> AppProject:
    """Open a project that has the SLS above as `t`."""
    (root / "states").mkdir(exist_ok=True)
    (root / "states/t.sls").write_text(SLS)
    return AppProject.open(root, ProjectOptions(minion_id="m1"))


def run(root: Path, *, test: bool = False) -> tuple[list[RunEvent], list[RunEvent]]:
    """Apply it; return the events as they were reported, and as the journal has them."""

    async def work() -> tuple[list[RunEvent], list[RunEvent]]:
        reported: list[RunEvent] = []
        async with project(root) as opened:
            await opened.apply(["t"], RunOptions(test=test), on_event=reported.append)
            return reported, opened.run_events("last")

    return asyncio.run(work())


def drawn(box: ScopeBox) -> list[str]:
    """Draw as text."""
    return list(drawing_lines(box, Masker(), PLAIN))


def test_a_plan_has_its_requisites_and_empty_boxes(tmp_path: Path) -> None:
    """Before a run the blocks are named, and a prereq comes before what it is declared for."""

    async def work() -> ScopeBox:
        async with project(tmp_path) as opened:
            return await opened.draw(["t"])

    assert drawn(asyncio.run(work())) == [
        "m1",
        "├─ checked [test.nop]",
        "├─ web [test.succeed_with_changes]  (prereq checked)",
        "│  └─ block inner",
        "└─ after [test.nop]  (require web)",
    ]


def test_a_run_has_what_it_grew_into(tmp_path: Path) -> None:
    """After a run the states of its scopes are there, with results and the requisites between them."""
    reported, kept = run(tmp_path)
    assert drawn(draw_events(reported, "m1")) == drawn(draw_events(kept, "m1"))
    assert drawn(draw_events(kept, "m1")) == [
        "m1",
        "├─ checked [test.nop]  succeeded",
        "├─ web [test.succeed_with_changes]  changed  (prereq checked)",
        "│  └─ block inner",
        "│     ├─ one [cmd.run]  changed",
        "│     └─ two [test.nop]  changed  (watch one)",
        "└─ after [test.nop]  succeeded  (require web)",
    ]


def test_what_a_plan_defers_is_an_empty_box(tmp_path: Path) -> None:
    """A block that only an apply can render is in the drawing, and the journal has it, too."""
    reported, kept = run(tmp_path, test=True)
    assert drawn(draw_events(reported, "m1")) == drawn(draw_events(kept, "m1"))
    deferred = "│  └─ block inner (deferred): deferred: block inner (known after apply)"
    assert deferred in drawn(draw_events(kept, "m1"))


def test_a_killed_run_is_drawn_as_far_as_it_came(tmp_path: Path) -> None:
    """A journal that was cut anywhere can be drawn, and states that had not ended are shown as running."""
    reported, _ = run(tmp_path)
    for length in range(len(reported)):
        drawn(draw_events(reported[:length], "m1"))
    begun = next(
        at
        for at, event in enumerate(reported, start=1)
        if isinstance(event, NodeStarted) and event.id == "one"
    )
    assert any("one [cmd.run]  running" in line for line in drawn(draw_events(reported[:begun], "m1")))


def test_a_run_under_another_id(tmp_path: Path) -> None:
    """A run is drawn, and reported, under the id that it had, whatever the machine is called now."""
    _, kept = run(tmp_path)
    assert drawn(draw_events(kept, "renamed")) == drawn(draw_events(kept, "m1"))
    assert report_from_events(kept, "renamed").minion_id == "m1"
    assert draw_events([], "renamed").name == "renamed"


def test_a_fanned_state_is_drawn_on_each_resource(tmp_path: Path) -> None:
    """Before a run a state has its target, after it its chunks; each side of a requisite has its lines."""
    (tmp_path / "pillar").mkdir()
    (tmp_path / "pillar/top.sls").write_text("base:\n  m1: [boxes]\n")
    (tmp_path / "pillar/boxes.sls").write_text("resources: {minion: {b1: {root: /}, b2: {root: /}}}\n")
    sls = """
first: {test.nop: [tgt: b*]}
second: {test.nop: [tgt: b*, require: [first]]}
third: {test.nop: [require: [second]]}
"""

    async def work() -> tuple[ScopeBox, list[RunEvent]]:
        async with project(tmp_path) as opened:
            (tmp_path / "states/t.sls").write_text(sls)
            plan = await opened.draw(["t"])
            await opened.apply(["t"], RunOptions(), on_event=lambda _: None)
            return plan, opened.run_events("last")

    plan, kept = asyncio.run(work())
    assert drawn(plan)[1:] == [
        "├─ first [test.nop] on b*",
        "├─ second [test.nop] on b*  (require first)",
        "└─ third [test.nop]  (require second)",
    ]
    assert drawn(draw_events(kept, "another")) == [
        "m1",
        "├─ b1 first [test.nop] on minion:b1  succeeded",
        "├─ b2 first [test.nop] on minion:b2  succeeded",
        "├─ b1 second [test.nop] on minion:b1  succeeded  (require b1 first)",
        "├─ b2 second [test.nop] on minion:b2  succeeded  (require b2 first)",
        "└─ third [test.nop]  succeeded  (require b1 second, require b2 second)",
    ]


def test_what_was_fanned_out_differently_is_tied_by_resource(tmp_path: Path) -> None:
    """A requisite joins chunks on the same resource; a chunk without a partner has a line all the same."""
    (tmp_path / "pillar").mkdir()
    (tmp_path / "pillar/top.sls").write_text("base:\n  m1: [boxes]\n")
    (tmp_path / "pillar/boxes.sls").write_text(
        "resources: {minion: {a: {root: /}, b: {root: /}, c: {root: /}}}\n"
    )
    sls = """
first: {test.nop: [tgt: b or c]}
more: {test.nop: [tgt: a or b or c, require: [first]]}
fewer: {test.nop: [tgt: c, require: [more]]}
"""

    async def work() -> list[RunEvent]:
        async with project(tmp_path) as opened:
            (tmp_path / "states/t.sls").write_text(sls)
            await opened.apply(["t"], RunOptions(), on_event=lambda _: None)
            return opened.run_events("last")

    assert drawn(draw_events(asyncio.run(work()), "m1"))[3:] == [
        "├─ a more [test.nop] on minion:a  succeeded  (require b first)",
        "├─ b more [test.nop] on minion:b  succeeded  (require b first)",
        "├─ c more [test.nop] on minion:c  succeeded  (require c first)",
        "└─ c fewer [test.nop] on minion:c  succeeded  (require a more, require b more, require c more)",
    ]
