"""A deployment is drawn whole: nothing covers or crosses anything, and no text becomes more than text."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings

from ensue.core.masking import Masker
from ensue.output.drawing.columns import grid_of, lane_count
from ensue.output.drawing.deployment_picture import deployment_picture, fits_a_picture
from ensue.output.drawing.dot import dot_lines
from ensue.output.drawing.from_resources import ResourceToDraw, draw_resources
from ensue.output.drawing.looks import DEPENDENCIES, RESOURCES
from ensue.output.drawing.mermaid import mermaid_lines
from ensue.output.drawing.svg import svg_lines

from .deployments import HOSTILE, STATUSES, WHYS, deployments, resource, shop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.output.drawing.drawing import ScopeBox
    from ensue.output.drawing.picture import Area, Picture

    Form = Callable[[ScopeBox, Masker], Iterator[str]]

NOBODY = Masker()
FORMS = pytest.mark.parametrize("form", [svg_lines, dot_lines, mermaid_lines])


def drawn(resources: list[ResourceToDraw]) -> ScopeBox:
    """Return the drawing of resources."""
    return draw_resources("shop/dev (development)", resources)


def picture(resources: list[ResourceToDraw]) -> Picture:
    """Return the picture of resources."""
    return deployment_picture(drawn(resources), str)


def overlap(area: Area, other: Area) -> bool:
    """Say whether two rectangles have anything in common."""
    across = area.x < other.right and other.x < area.right
    return across and area.y < other.bottom and other.y < area.bottom


def test_what_belongs_to_a_workload_is_in_its_box() -> None:
    """A resource is in the box of the workload whose id its own begins with; all others are in none."""
    top = drawn(
        [
            resource("workload", "modules.web"),
            resource("workload", "modules.web.admin"),
            resource("postgres", "modules.web.externals.db"),
            resource("postgres", "modules.web.admin.externals.db"),
            resource("postgres", "modules.web2.externals.db"),
            resource("dns", "shared.dns"),
        ]
    )
    assert [node.id for node in top.nodes] == ["modules.web2.externals.db", "shared.dns"]
    assert {box.title: [node.id for node in box.nodes] for box in top.inner} == {
        "workload web": ["modules.web", "modules.web.externals.db"],
        "workload web.admin": ["modules.web.admin", "modules.web.admin.externals.db"],
    }


def test_a_dependency_that_is_not_drawn_is_left_out() -> None:
    """An orphan may have depended on what is no longer there."""
    gone = resource("dns", "shared.gone")
    top = drawn([resource("redis", "shared.r", (gone, "reference"), status="orphaned")])
    assert (len(top.nodes), top.edges) == (1, [])


def test_a_box_has_what_there_is_to_say() -> None:
    """Type, class if not default, status, id, definition and driver; its tooltip has the comment."""
    cold = resource("s3", "shared.files", class_="cold", status="failed", comment="no such region")
    plain = ResourceToDraw(type="dns", class_="default", id="shared.d")
    boxes = picture([cold, plain]).boxes
    assert {tuple(text.text for text in box.texts) for box in boxes} == {
        ("s3.cold", "failed", "shared.files", "s3-def · humanitec/echo"),
        ("dns", "planned", "shared.d"),
    }
    assert {box.about for box in boxes} == {
        ("s3.cold#shared.files", "definition s3-def", "driver humanitec/echo", "failed: no such region"),
        ("dns.default#shared.d", "planned"),
    }


def test_a_long_id_is_shortened_and_whole_in_the_tooltip() -> None:
    """An id takes two lines at most."""
    long = "shared." + "-".join(["part"] * 60)
    box = picture([resource("dns", long)]).boxes[0]
    assert [text.text for text in box.texts][2].startswith("shared.part-part")
    assert "…" in [text.text for text in box.texts][3]
    assert len(box.texts) == 5
    assert long in box.about[0]


@settings(max_examples=60)
@given(deployments())
def test_nothing_covers_anything(resources: list[ResourceToDraw]) -> None:
    """No box covers another one, no frame another frame, and no box is half in a frame."""
    drawing = picture(resources)
    boxes = [box.area for box in drawing.boxes]
    frames = [frame.area for frame in drawing.frames if frame.look != "top"]
    assert len(boxes) == len(resources)
    assert not any(overlap(box, other) for box, other in itertools.combinations(boxes, 2))
    assert not any(overlap(frame, other) for frame, other in itertools.combinations(frames, 2))
    for box, frame in itertools.product(boxes, frames):
        inside = (
            frame.x <= box.x and box.right <= frame.right and frame.y <= box.y and box.bottom <= frame.bottom
        )
        assert inside or not overlap(box, frame)
    assert all(box.right <= drawing.width and box.bottom <= drawing.height for box in boxes)


@settings(max_examples=60)
@given(deployments())
def test_dependents_are_on_the_left(resources: list[ResourceToDraw]) -> None:
    """A resource is drawn to the left of everything that it depends on."""
    places = {box.about[0]: box.area for box in picture(resources).boxes}
    for dependent in resources:
        for to, _ in dependent.edges:
            assert places[dependent.key].right < places[to].x


@settings(max_examples=60)
@given(deployments())
def test_no_line_crosses_a_box(resources: list[ResourceToDraw]) -> None:
    """Lines run between boxes; where they pass a column they go straight through a lane of their own."""
    drawing = picture(resources)
    boxes = [box.area for box in drawing.boxes]
    for line in drawing.lines:
        for start, y, end in re.findall(r"M([-\d.]+) ([-\d.]+)H([-\d.]+)", line.path):
            for area in boxes:
                through = float(start) < area.right - 0.1 and area.x + 0.1 < float(end)
                assert not (through and area.y < float(y) < area.bottom)


@settings(max_examples=60)
@given(deployments())
def test_every_dependency_is_drawn(resources: list[ResourceToDraw]) -> None:
    """What ends in an arrow names the resource that it leads to, and all that it comes from."""
    top = drawn(resources)
    grid = grid_of(top, lambda *_: 60.0)
    ends = [bundle for gap in grid.bundles for bundle in gap if bundle.end.node is not None]
    assert {(end.target.number, origin, end.kind) for end in ends for origin in end.origins} == {
        (edge.before, edge.after, edge.kind) for edge in top.edges
    }


@settings(max_examples=30)
@given(deployments())
def test_the_same_deployment_gives_the_same_picture(resources: list[ResourceToDraw]) -> None:
    """Nothing in a picture depends on chance."""
    assert list(svg_lines(drawn(resources), NOBODY)) == list(svg_lines(drawn(resources), NOBODY))


@settings(max_examples=60)
@given(deployments())
def test_any_text_is_text(resources: list[ResourceToDraw]) -> None:
    """Whatever ids and types are: SVG is XML without a script, and lines of the others stay whole."""
    top = drawn(resources)
    root = ET.fromstring("\n".join(svg_lines(top, NOBODY)))  # noqa: S314 - our own
    assert {element.tag.partition("}")[2] for element in root.iter()} <= {
        *("svg", "style", "defs", "marker", "path", "rect", "text", "title", "g")
    }
    strings = re.compile(r'"(?:[^"\\]|\\.)*"')
    for line in dot_lines(top, NOBODY):
        assert re.fullmatch(r"[\w\s\[\]{}=;,.>-]*", strings.sub("", line)), line
    for line in mermaid_lines(top, NOBODY):
        assert not re.search(r"[<>`](?!br/|--)", re.sub(r"<br/>|-->", "", line)), line
        assert line.count('"') % 2 == 0


@FORMS
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_id_stays_on_its_line(form: Form, text: str) -> None:
    """An id with the syntax of the form in it adds no line and no element."""
    lines = [list(form(drawn([resource("dns", id_)]), NOBODY)) for id_ in (text, "plain")]
    assert len(lines[0]) == len(lines[1])
    assert "<script" not in "\n".join(lines[0]) or form is dot_lines


@FORMS
def test_secrets_stay_out(form: Form) -> None:
    """A secret in an id or in a comment is masked."""
    failed = resource("dns", "shared.hunter2-secret", status="failed", comment="login hunter2-secret")
    text = "\n".join(form(drawn([failed]), Masker(["hunter2-secret"])))
    assert "hunter2" not in text


@FORMS
def test_a_type_that_is_a_secret_too_is_shown(form: Form) -> None:
    """The user `postgres` of a server hides no type `postgres`."""
    masker = Masker(["postgres"])
    masker.add_names(["postgres"])
    text = "\n".join(form(drawn([resource("postgres", "db")]), masker))
    assert "postgres" in text
    assert "(sensitive)" not in text


@FORMS
def test_what_occurs_is_in_the_legend(form: Form) -> None:
    """The legend has the word of every kind of line, and every status has its word in the boxes."""
    text = "\n".join(form(drawn(list(shop(1))), NOBODY))
    assert all(kind in text for kind in WHYS)
    assert all(status in text for status in ("unchanged", "orphaned", "created", "failed", "skipped"))


def test_no_two_lines_differ_by_colour_alone() -> None:
    """Each kind of dependency has its own dashes or width, for Graphviz its own pattern or arrow."""
    assert set(DEPENDENCIES) == set(WHYS)
    assert len({(look.dashes, look.width_px) for look in DEPENDENCIES.values()}) == len(WHYS)
    assert len({(look.style, look.head) for look in DEPENDENCIES.values()}) == len(WHYS)
    assert set(RESOURCES) == {*STATUSES, "active"}


def test_a_workload_is_told_from_its_resources() -> None:
    """It has bars along its sides, and another shape in the other forms."""
    top = drawn([resource("workload", "modules.web"), resource("dns", "shared.d")])
    assert sum(box.bars for box in deployment_picture(top, str).boxes) == 1
    assert sum("shape=component" in line for line in dot_lines(top, NOBODY)) == 1
    assert sum("[[" in line for line in mermaid_lines(top, NOBODY)) == 1


def test_lines_to_one_resource_run_together() -> None:
    """A resource that a hundred others depend on is reached by one arrow."""
    base = resource("base-env", "base-env")
    users = [resource("s3", f"shared.{number}", (base, "reference")) for number in range(100)]
    lines = picture([base, *users]).lines
    assert [line.path.count("M") for line in lines] == [100]
    assert lines[0].about[-1] == "and 88 more"


def test_the_lanes_are_counted_before_they_are_made() -> None:
    """What the limit looks at is what the layout makes."""
    top = drawn(list(shop(5)))
    lanes = [
        slot
        for band in grid_of(top, lambda *_: 60.0).bands
        for column in band
        for slot in column
        if slot.node is None
    ]
    assert lane_count(top) == len(lanes)


def test_what_is_too_large_is_known_at_once() -> None:
    """More than two thousand resources, or lines through very many columns, are no picture."""
    assert fits_a_picture(drawn(list(shop(300))))
    assert not fits_a_picture(drawn(list(shop(500))))
    chain = [resource("a", "shared.0")]
    for number in range(1, 300):
        chain.append(resource("a", f"shared.{number}", *((earlier, "reference") for earlier in chain)))
    assert not fits_a_picture(drawn(chain))


def test_an_empty_deployment_is_a_picture() -> None:
    """A deployment may have no resources."""
    assert picture([]).boxes == []
    assert ET.fromstring("\n".join(svg_lines(drawn([]), NOBODY))) is not None  # noqa: S314 - our own
