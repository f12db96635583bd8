"""A browser draws what the layout has foreseen: every text is in its box, and no box covers another one."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.support.browser import PACKAGE, answer_of, program

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.masking import Masker
from ensue.output.drawing.from_events import draw_events
from ensue.output.drawing.from_resources import ResourceToDraw, draw_resources
from ensue.output.drawing.svg import svg_lines

from .deployments import deployments, shop
from .pictures import pictures

if TYPE_CHECKING:
    from ensue.output.drawing.drawing import ScopeBox

EXAMPLE = Path(__file__).parents[3] / "examples/delayed"

MEASURE = """
    const parsed = new DOMParser().parseFromString(data, "image/svg+xml")
    if (parsed.querySelector("parsererror")) return {error: parsed.documentElement.textContent}
    const svg = document.body.appendChild(document.importNode(parsed.documentElement, true))
    const area = (one) => { const b = one.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height] }
    const holds = (o, i) => o[0] <= i[0] && o[1] <= i[1] && i[2] <= o[2] && i[3] <= o[3]
    const apart = (a, b) => a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]
    const all = (what) => [...svg.querySelectorAll(what)]
    const outside = (text, box) => !text.textContent || holds(area(box), area(text)) ? [] : [text.textContent]
    const nodes = all("rect.node"), scopes = all("rect.scope, rect.top"), titles = all(".title")
    const covered = []
    const boxes = [...nodes, ...scopes].map((one) => [one.classList[0], area(one)])
    boxes.forEach(([kind, one], at) => boxes.slice(at + 1).forEach(([other_kind, other]) => {
        const inside = (kind !== "node" && holds(one, other)) || (other_kind !== "node" && holds(other, one))
        if (!apart(one, other) && !inside) covered.push([kind, one, other_kind, other])
    }))
    return {
        outside: [
            ...all("g").flatMap((g) => [...g.querySelectorAll("text")]
                .flatMap((text) => outside(text, g.querySelector("rect")))),
            ...titles.flatMap((title, at) => outside(title, scopes[at])),
            ...(holds([0, 0, svg.width.baseVal.value + 1, svg.height.baseVal.value + 1], area(svg))
                ? [] : ["the drawing"]),
        ],
        covered,
        counted: [nodes.length, scopes.length],
    }
"""

DEEP = """\
first:
  test.nop: []
second with a somewhat longer name than others:
  test.nop:
    - require: [test: first]
    - delayed_render: [block: one, block: broken, sls: other]
MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM:
  test.fail_without_changes:
    - onchanges: [test: first]
Ünïcödé 名前 ЩЩЩЩЩЩ 😀😀😀😀:
  test.configurable_test_state:
    - changes: true
    - result: true
    - delayed_render: [block: two]
#!delayed_block one
inner:
  test.nop:
    - delayed_render: [block: deeper]
#!delayed_block deeper
x:
  test.nop:
    - delayed_render: [block: a_block_with_a_name_that_is_wider_than_its_states]
#!delayed_block a_block_with_a_name_that_is_wider_than_its_states
y: test.nop
z:
  test.nop:
    - require: [test: y]
#!end_delayed_block
#!end_delayed_block
#!end_delayed_block
#!delayed_block two
{% for letter in 'abcdefghijklmnopqrstuvwxyz' %}
{{ letter }}: test.nop
{% endfor %}
#!end_delayed_block
#!delayed_block broken
{{ nothing }}
#!end_delayed_block
"""

MANY = """\
{% for number in range(200) %}
state number {{ number }}:
  test.nop:
    - require: [{% if number > 3 %}test: state number {{ (number * 7) // 11 }}{% endif %}]
    {% if number % 20 == 5 %}- delayed_render: [block: late]{% endif %}
{% endfor %}
#!delayed_block late delayed_repeat_limit=None
{% for number in range(5) %}
late{{ number }}: test.nop
{% endfor %}
#!end_delayed_block
"""


@pytest.fixture(autouse=True)
def _browser() -> None:
    if program() is None:
        pytest.skip(f"needs a browser: apt-get install {PACKAGE}, or have chromium or google-chrome in PATH")


def run(root: Path, sls: str) -> ScopeBox:
    """Apply an SLS; return the drawing of what it grew into."""

    async def work() -> ScopeBox:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            await project.apply([sls], RunOptions(), on_event=lambda _: None)
            return draw_events(project.run_events("last"), "m")

    return asyncio.run(work())


def written(root: Path, **states: str) -> Path:
    """Write SLS."""
    (root / "states").mkdir(parents=True)
    for name, text in states.items():
        (root / f"states/{name}.sls").write_text(text)
    return root


def measured(top: ScopeBox, folder: Path) -> dict[str, Any]:
    """Let the browser draw; return what sticks out of its box, what is covered, and how much there is."""
    measures = answer_of(MEASURE, "\n".join(svg_lines(top, Masker())), folder)
    assert isinstance(measures, dict)
    return measures


def test_the_examples(tmp_path: Path) -> None:
    """The volumes of the examples, with the scopes that they grew into."""
    top = run(shutil.copytree(EXAMPLE, tmp_path / "project"), "volumes")
    assert measured(top, tmp_path) == {"outside": [], "covered": [], "counted": [6, 5]}


def test_scopes_in_scopes_and_wide_names(tmp_path: Path) -> None:
    """Scopes three deep, one that failed, and names of broad letters, of other scripts, of pictures."""
    root = written(tmp_path / "project", t=DEEP, other="x: test.nop")
    assert measured(run(root, "t"), tmp_path) == {"outside": [], "covered": [], "counted": [35, 7]}


def test_two_hundred_states(tmp_path: Path) -> None:
    """A tree of two hundred states, ten of which call for a block."""
    top = run(written(tmp_path / "project", t=MANY), "t")
    assert measured(top, tmp_path) == {"outside": [], "covered": [], "counted": [250, 11]}


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=pictures())
def test_anything(top: ScopeBox, tmp_path: Path) -> None:
    """Any states with any names, nested in any way."""
    measures = measured(top, tmp_path)
    assert (measures["outside"], measures["covered"]) == ([], [])


def test_two_hundred_resources(tmp_path: Path) -> None:
    """A deployment of forty workloads."""
    top = draw_resources("shop/dev (development)", list(shop(40)))
    assert measured(top, tmp_path) == {"outside": [], "covered": [], "counted": [202, 41]}


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(resources=deployments())
def test_any_deployment(resources: list[ResourceToDraw], tmp_path: Path) -> None:
    """Any resources with any names, in any workloads."""
    measures = measured(draw_resources("shop/dev (development)", resources), tmp_path)
    assert (measures["outside"], measures["covered"]) == ([], [])
