"""`resource.unregistered`: a teardown that can be applied again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport

MADE = """
host:
  test.present:
    - new_state: {}
    - registers: [{'dummy:box': {}}]
conf:
  file.managed: [name: /conf, contents: x, tgt: box]
"""
GONE = """
conf:
  file.absent: [name: /conf, tgt: box, tgt_optional: true]
dummy:box:
  resource.unregistered:
    - require: [file: conf]
after:
  test.nop:
    - require: [resource: 'dummy:box']
"""
WITHDRAWING = """
import asyncio
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
FROM = {"watch": ["ip"], "source_grains": {"ip": "1"}}
async def present(ctx, name, config, source):
    await asyncio.to_thread(ctx.registry.register, name, config, **FROM, source=source)
    return StateReturn(name=name, result=True)
async def invalidated(ctx, name):
    await asyncio.to_thread(ctx.registry.invalidate, Srn.parse(name))
    return StateReturn(name=name, result=True)
async def observed(ctx, name):
    await asyncio.to_thread(ctx.registry.observe, Srn.parse(name), {"ip": "2"})
    return StateReturn(name=name, result=True)
async def forgotten(ctx, name):
    await asyncio.to_thread(ctx.registry.forget, Srn.parse("dummy:box"))
    return StateReturn(name=name, result=True)
FUNCTIONS = {"present": present, "invalidated": invalidated, "observed": observed, "forgotten": forgotten}
"""
ANEW = """
one:
  mine.present: [name: dummy:box, config: {grains: {a: 1}}, source: 'test:vm']
between:
  mine.WITHDRAWN: [name: 'test:vm', require: [mine: one]]
two:
  mine.present: [name: dummy:box, config: {grains: {a: 2}}, source: 'test:vm', require: [mine: between]]
"""
REPLACED = """
one:
  test.present: [registers: [{'dummy:box': {grains: {a: 1}}}]]
dummy:box:
  resource.unregistered: [require: [test: one]]
two:
  test.present: [registers: [{'dummy:box': {grains: {a: 2}}}], require: [resource: 'dummy:box']]
"""


def outline(report: RunReport) -> list[tuple[str, bool | None, bool]]:
    """Return ID, result and whether there are changes, of each state."""
    return [
        (returned.id, returned.result, bool(returned.changes))
        for returned in sorted(report.returns.values(), key=lambda each: each.run_num)
    ]


def test_a_teardown_that_is_applied_again(tmp_path: Path) -> None:
    """The first apply cleans up and unregisters; the second changes nothing, and what requires it runs."""
    write(tmp_path, states__made=MADE, states__gone=GONE)
    assert apply(tmp_path, "made").exit_code == 0
    planned = apply(tmp_path, "gone", test=True)
    assert ("dummy:box", None, True) in outline(planned)
    first = apply(tmp_path, "gone")
    assert ("dummy:box", True, True) in outline(first)
    second = apply(tmp_path, "gone")
    assert [(id_, changed) for id_, result, changed in outline(second) if result is not True or changed] == []
    assert ("after", True, False) in outline(second)
    assert (planned.exit_code, first.exit_code, second.exit_code) == (0, 0, 0)
    assert apply(tmp_path, "gone", test=True).exit_code == 0


@pytest.mark.parametrize("test", [True, False])
def test_what_a_run_unregisters_is_not_orphaned(tmp_path: Path, *, test: bool) -> None:
    """The states that replace its declaration take the machine down: neither plan nor apply warns."""
    write(tmp_path, states__top="base: {'*': [s]}\n", states__s=MADE)
    assert apply(tmp_path).exit_code == 0
    write(tmp_path, states__s=GONE)
    assert apply(tmp_path, test=test).warnings == ()


@pytest.mark.parametrize("test", [True, False])
def test_what_a_run_removes_does_not_stay_on_an_orphaned_machine(tmp_path: Path, *, test: bool) -> None:
    """A file that is made absent is not counted, and an optional target does not fail the next apply."""
    write(
        tmp_path,
        states__top="base: {'*': [s]}\n",
        states__s=MADE + "d: {file.directory: [name: /d, tgt: box]}\n",
    )
    assert apply(tmp_path).exit_code == 0
    write(tmp_path, states__s=GONE.partition("dummy:box")[0])
    codes = {warning.code: warning.detail for warning in apply(tmp_path, test=test).warnings}
    assert "targeted by conf (file.absent in s), which will run without it" in codes["E0718"]
    assert "1 thing that states made on it stays" in codes["E0718"]
    assert "fails" not in codes["E0718"]


@pytest.mark.parametrize("name", ["box", "dummy:"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    """The state fails and says what a name is."""
    write(tmp_path, states__gone=f"gone:\n  resource.unregistered: [name: '{name}']\n")
    [returned] = apply(tmp_path, "gone").returns.values()
    assert returned.result is False
    assert returned.comment.startswith("name: ")


@pytest.mark.parametrize("withdrawn", ["invalidated", "observed", "forgotten"])
def test_what_left_may_be_registered_by_another_state_of_the_run(tmp_path: Path, withdrawn: str) -> None:
    """With another configuration too, since the one that registered it before has no resource any more."""
    write(tmp_path, states__s=ANEW.replace("WITHDRAWN", withdrawn))
    (tmp_path / "states/_states").mkdir()
    (tmp_path / "states/_states/mine.py").write_text(WITHDRAWING)
    report = apply(tmp_path, "s")
    assert report.exit_code == 0, [returned.comment for returned in report.returns.values()]


def test_a_plan_knows_that_an_unregistered_id_is_free(tmp_path: Path) -> None:
    """What an apply does without a conflict has none in a plan."""
    write(tmp_path, states__s=REPLACED)
    assert apply(tmp_path, "s").exit_code == 0
    assert apply(tmp_path, "s", test=True).exit_code == 0
