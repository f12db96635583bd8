"""Sets of targets that grow in a run: a plan never shows what the apply does not make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.app.test_project import apply, write

if TYPE_CHECKING:
    from ensue.core.model.report import RunReport

pytestmark = pytest.mark.long

PATTERNS = ("d-*", "d-1", "T@dummy", "d-[12]", "not m", "G@id:d-2")
MAKER = """\
make {number}:
  test.nop:
    - registers:
      - dummy:d-{number}: {{}}
"""
READER = """\
read {number}:
  test.nop:
    - delayed_render: [block: list-{number}]
#!delayed_block list-{number}
hosts {number}:
  test.show_notification:
    - text: has {{{{ salt['publish.publish']('{pattern}', 'test.ping', [], 'compound') | sort | join(' ') }}}}
#!end_delayed_block
"""
STEPS = st.lists(
    st.one_of(
        st.integers(1, 3).map(lambda number: ("make", str(number))),
        st.sampled_from(PATTERNS).map(lambda pattern: ("read", pattern)),
    ),
    min_size=1,
    max_size=6,
)


def tree(steps: list[tuple[str, str]]) -> str:
    """Return an SLS whose states make hosts and read sets of them, in this order."""
    made: set[str] = set()
    texts: list[str] = []
    for place, (kind, what) in enumerate(steps):
        if kind == "read":
            texts.append(READER.format(number=place, pattern=what))
        elif what not in made:
            made.add(what)
            texts.append(MAKER.format(number=what))
    return "".join(texts) or "nothing: test.nop\n"


def lists(report: RunReport) -> dict[str, str]:
    """Return what the blocks of a run made of their sets, by ID."""
    return {
        inner.id: inner.comment
        for returned in report.returns.values()
        for scope in returned.delayed
        for inner in scope.returns.values()
    }


@settings(max_examples=25, deadline=None)
@given(steps=STEPS)
@example(steps=[("read", "G@id:d-2"), ("make", "1")])
def test_a_plan_shows_what_the_apply_makes_of_a_growing_set(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    """Each list of the plan is that of the apply; only a list that lacks a host of the run is warned of."""
    root = tmp_path_factory.mktemp("project")
    write(
        root,
        states__t=tree(steps),
        pillar__top="base: {'*': [p]}\n",
        pillar__p="resources: {dummy: {d-0: {}}}\n",
    )
    planned, applied, again = (apply(root, "t", test=test) for test in (True, False, True))
    made = lists(applied)
    shown = lists(planned)
    assert shown.items() <= made.items()
    assert lists(again).keys() == made.keys()
    outdated = {id_ for id_, text in made.items() if lists(again)[id_] != text}
    warned = [warning for warning in applied.warnings if warning.code == "E0725"]
    assert bool(outdated) is bool(warned), (made, lists(again))
    assert {warning.code for warning in again.warnings} & {"E0725"} == set()
    assert any(warning.code == "E0725" for warning in planned.warnings) is bool(warned)
