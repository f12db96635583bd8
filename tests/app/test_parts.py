"""Parts of runs in a project: targets, resources that join, registrations, and the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write
from tests.app.test_pruning import HOSTS, LATE, by_status, codes, run

import ensue
from ensue.core.errors import CompileError
from ensue.core.model.run_part import RunPart

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport


def only(*words: str) -> RunPart:
    return RunPart(only=words)


def excluding(*words: str) -> RunPart:
    return RunPart(exclude=words)


def ran(report: RunReport) -> list[str]:
    return [returned.id for returned in report.returns.values()]


def left_out(report: RunReport) -> list[str]:
    return sorted(excluded.id for excluded in report.excluded)


def boxes(root: Path, count: int = 2) -> None:
    write(
        root,
        pillar__top="base: {m: [boxes]}\n",
        pillar__boxes=f"resources: {{minion: {{{', '.join(f'b{n}: {{root: /}}' for n in range(count))}}}}}\n",
    )


def test_what_an_excluded_state_registered_stays(tmp_path: Path) -> None:
    """It is still declared, in an SLS and in the highstate; so does what its delayed blocks registered."""
    write(tmp_path, states__t=HOSTS, states__late=LATE, states__top="base: {m: [t, late]}\n")
    assert run(tmp_path).exit_code == 0
    assert by_status(tmp_path, "active") == "h1h2h3xy"
    report = run(tmp_path, part=only("make-1"))
    assert (codes(report), ran(report)) == ([], ["make-1"])
    assert codes(run(tmp_path, "t", part=excluding("make-*2", "make-3"))) == []
    assert codes(run(tmp_path, part=excluding("caller"))) == []
    assert codes(run(tmp_path, part=excluding("late"), pillar={"without": []})) == []
    assert by_status(tmp_path, "active") == "h1h2h3xy"


def test_what_is_really_gone_is_orphaned_all_the_same(tmp_path: Path) -> None:
    """The part leaves other states out, and not the removed one."""
    write(tmp_path, states__t=HOSTS)
    run(tmp_path, "t")
    report = run(tmp_path, "t", pillar={"hosts": [1, 2]}, part=only("make-1"))
    assert codes(report) == ["E0718"]
    assert by_status(tmp_path, "orphaned") == "h3"


def test_what_an_excluded_state_with_a_target_registered_stays(tmp_path: Path) -> None:
    """On each of the resources."""
    boxes(tmp_path)
    each = "each:\n  test.present:\n    - tgt: T@minion:b*\n    - new_state: {}\n    - registers:\n"
    entry = "      - ssh_host:{name}: {{host: 192.0.2.1}}\n"
    write(tmp_path, states__t=f"{each}{entry.format(name='one')}other: test.nop\n")
    run(tmp_path, "t")
    assert by_status(tmp_path, "active") == "one"
    assert codes(run(tmp_path, "t", part=only("other"))) == []
    assert by_status(tmp_path, "active") == "one"


MAKE = "make:\n  test.present:\n    - new_state: {}\n    - registers:\n      - minion:b9: {root: /}\n"

GO = (
    "from ensue.core.model.returns import StateReturn\n"
    "async def on(ctx, name, mods):\n"
    "    done = await ctx.apply(name, mods)\n"
    "    return StateReturn(name=name, result=done.status == 'done', comment=done.status)\n"
    "FUNCTIONS = {'on': on}\n"
)

SITE = """
conf: test.nop
web:
  test.nop:
    - require: [conf]
other: test.nop
"""


def test_a_part_of_a_run_on_several_resources(tmp_path: Path) -> None:
    """A word names the state of each resource by its own ID, or that of one resource by the whole ID."""
    boxes(tmp_path)
    write(tmp_path, states__t=SITE)
    report = apply(tmp_path, "t", tgt="T@minion:b*", part=only("web"))
    assert sorted(ran(report)) == ["b0 conf", "b0 web", "b1 conf", "b1 web"]
    assert left_out(report) == ["b0 other", "b1 other"]
    report = apply(tmp_path, "t", tgt="T@minion:b*", part=only("b1 web"))
    assert sorted(ran(report)) == ["b1 conf", "b1 web"]
    report = apply(tmp_path, "t", tgt="T@minion:b*", part=RunPart(start_at="b1 other"))
    assert sorted(ran(report)) == ["b1 other"]


def test_a_state_with_a_target_is_chosen_whole(tmp_path: Path) -> None:
    """On all its resources, with the states that register some of them."""
    boxes(tmp_path, 1)
    write(
        tmp_path,
        states__t=f"{MAKE}each:\n  test.nop:\n    - tgt: T@minion:b*\nother: test.nop\n",
    )
    report = apply(tmp_path, "t", part=only("each"))
    assert ran(report) == ["make", "b0 each", "b9 each"]
    assert left_out(report) == ["other"]
    again = apply(tmp_path, "t", part=excluding("make"))
    assert ran(again) == ["b0 each", "b9 each", "other"]


def test_a_resource_that_appears_gets_its_part(tmp_path: Path) -> None:
    """The words hold for its highstate, too."""
    write(
        tmp_path,
        states__top="base:\n  m: [t]\n  b9: [own]\nderived_highstate: true\n",
        states__t=f"{MAKE}other:\n  test.nop:\n    - tags: skip\n",
        states__own="first:\n  test.nop:\n    - tags: skip\nsecond: test.nop\n",
    )
    report = apply(tmp_path, part=excluding("tag:skip"))
    assert ran(report) == ["make", "b9 second"], report
    assert left_out(report) == ["b9 first", "other"]


def test_sls_that_a_state_applies_elsewhere_run_whole(tmp_path: Path) -> None:
    """They belong to the state; what `--exclude` names is left out there, too."""
    boxes(tmp_path, 1)
    write(
        tmp_path,
        states___states__go=GO,
        states__t="there:\n  go.on:\n    - name: minion:b0\n    - mods: [sub]\n"
        "x:\n  test.nop:\n    - tags: skip\n",
        states__sub="one: test.nop\ntwo:\n  test.nop:\n    - tags: skip\n",
    )
    (tmp_path / "states/_states/go.sls").rename(tmp_path / "states/_states/go.py")
    report = apply(tmp_path, "t", part=only("there"))
    (scope,) = report.returns["go_|-there_|-minion:b0_|-on"].applied
    assert [returned.id for returned in scope.returns.values()] == ["one", "two"]
    report = apply(tmp_path, "t", part=excluding("tag:skip"))
    (scope,) = report.returns["go_|-there_|-minion:b0_|-on"].applied
    assert [returned.id for returned in scope.returns.values()] == ["one"]
    assert left_out(report) == ["two", "x"]


def test_a_reference_in_a_block_reads_what_was_enforced_in_its_scope(tmp_path: Path) -> None:
    """An excluded state of a delayed block has the value of the last apply of that block."""
    write(
        tmp_path,
        states__t="first:\n  test.nop:\n    - tags: skip\n"
        "caller:\n  test.nop:\n    - delayed_render: [block: b]\n"
        "#!delayed_block b\n"
        "made:\n  test.present:\n    - new_state: {port: 7}\n    - tags: skip\n"
        "reads:\n  test.show_notification:\n    - text: port ${test:made:port}\n"
        "#!end_delayed_block\n",
    )
    report = apply(tmp_path, "t", part=excluding("tag:skip"))
    assert left_out(report) == ["first", "made", "reads"]
    apply(tmp_path, "t")
    report = apply(tmp_path, "t", part=excluding("tag:skip"))
    assert left_out(report) == ["first", "made"]
    (caller,) = report.returns.values()
    assert [returned.comment for returned in caller.delayed[0].returns.values()] == ["port 7"]


def test_a_secret_in_an_excluded_state_is_masked(tmp_path: Path) -> None:
    """In the journal, where its name is recorded."""
    write(
        tmp_path,
        pillar__top="base: {m: [data]}\n",
        pillar__data="secrets: [pw]\npw: hunter2-of-the-database\n",
        states__t="a:\n  test.present:\n    - name: x {{ pillar.pw }}\n"
        "    - new_state: {p: {{ pillar.pw }}}\n    - sensitive: [p]\nb: test.nop\n",
    )
    report = apply(tmp_path, "t", part=only("b"))
    journal = (tmp_path / f".ensue/runs/{report.run_id}.jsonl").read_text()
    assert "StateExcluded" in journal
    assert "hunter2" not in journal


@pytest.mark.parametrize("verb", [ensue.apply, ensue.plan])
def test_the_api_takes_a_part(verb: Any, tmp_path: Path) -> None:
    """And its result has the states that are left out."""
    write(tmp_path, states__t=SITE)
    result = verb("t", root=tmp_path, minion_id="m", part=ensue.RunPart(only=("web",)))
    assert [state.id for state in result.states] == ["conf", "web"]
    (excluded,) = result.excluded
    assert isinstance(excluded, ensue.ExcludedState)
    assert (excluded.id, excluded.function, excluded.comment) == ("other", "test.nop", "--only leaves it out")
    with pytest.raises(CompileError, match="names no state"):
        verb("t", root=tmp_path, minion_id="m", part=ensue.RunPart(exclude=("nobody",)))


def test_a_highstate_without_states_fails_as_before(tmp_path: Path) -> None:
    """The words of a part are not what is wrong."""
    report = apply(tmp_path, part=only("web"))
    assert [warning.code for warning in report.warnings] == ["E0604"]
    assert report.exit_code == 2


def test_a_state_that_is_tried_again_leaves_out_the_same(tmp_path: Path) -> None:
    """What its attempts would cause is counted once."""
    boxes(tmp_path, 1)
    write(
        tmp_path,
        states___states__go=GO,
        states__t="there:\n  go.on:\n    - name: minion:b0\n    - mods: [sub]\n"
        "    - retry: {attempts: 2, interval: 0}\nx:\n  test.nop:\n    - tags: skip\n",
        states__sub="bad: test.fail_without_changes\ntwo:\n  test.nop:\n    - tags: skip\n",
    )
    (tmp_path / "states/_states/go.sls").rename(tmp_path / "states/_states/go.py")
    report = apply(tmp_path, "t", part=excluding("tag:skip"))
    assert left_out(report) == ["two", "x"]
