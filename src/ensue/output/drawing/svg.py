"""A drawing as a standalone SVG file, which any browser shows."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ensue.output.colours import on_one_line
from ensue.output.drawing.deployment_picture import deployment_picture
from ensue.output.drawing.drawing import RESOURCE_GRAPH
from ensue.output.drawing.layout import TITLE_HEIGHT
from ensue.output.drawing.run_picture import run_picture
from ensue.output.drawing.svg_style import MARKERS, STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.masking import Masker
    from ensue.output.drawing.drawing import ScopeBox
    from ensue.output.drawing.picture import Area, Box, Frame, Legend, PictureLine, PictureText, Sample


def svg_lines(top: ScopeBox, masker: Masker) -> Iterator[str]:
    """Yield the lines of an SVG document."""
    draw = deployment_picture if top.kind == RESOURCE_GRAPH else run_picture
    picture = draw(top, masker.within)
    size = f'width="{picture.width:.0f}" height="{picture.height:.0f}"'
    view = f'viewBox="0 0 {picture.width:.0f} {picture.height:.0f}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}>'
    yield f"<style>{STYLE}</style><defs>{MARKERS}</defs>"
    for frame in picture.frames:
        yield _frame(frame)
    for line in picture.lines:
        yield _line(line)
    for frame in picture.frames:
        yield _title(frame)
    for box in picture.boxes:
        yield from _box(box)
    if picture.legend is not None:
        yield from _legend(picture.legend)
    yield "</svg>"


def _frame(frame: Frame) -> str:
    about = _about([frame.about]) if frame.about else ""
    return f'<rect class="{frame.look}" rx="8" {_rectangle(frame.area)}>{about}</rect>'


def _title(frame: Frame) -> str:
    place = f'x="{frame.area.x + 10:.1f}" y="{frame.area.y + TITLE_HEIGHT - 8:.1f}"'
    return f'<text class="title" {place}>{_text(frame.title)}</text>'


def _line(line: PictureLine) -> str:
    look = line.look if line.has_arrow else f"{line.look} through"
    return f'<path class="edge {look}" d="{line.path}">{_about(line.about)}</path>'


def _box(box: Box) -> Iterator[str]:
    yield f'<g>{_about(box.about)}<rect class="node {box.look}" rx="5" {_rectangle(box.area)}/>'
    if box.bars:
        yield f'<path class="bars" d="{_bars(box.area)}"/>'
    yield "".join(map(_written, box.texts)) + "</g>"


def _bars(area: Area) -> str:
    return "".join(f"M{x:.1f} {area.y:.1f}V{area.bottom:.1f}" for x in (area.x + 5, area.right - 5))


def _legend(legend: Legend) -> Iterator[str]:
    yield f'<g class="legend"><rect class="key" rx="5" {_rectangle(legend.area)}/>'
    for sample in legend.samples:
        yield _sample(sample)
        text = f'x="{sample.area.right + 6:.1f}" y="{sample.area.y + 10:.1f}"'
        yield f'<text class="function" {text}>{_text(sample.text)}</text>'
    yield "</g>"


def _sample(sample: Sample) -> str:
    area = sample.area
    if sample.is_line:
        path = f"M{area.x:.1f} {area.y + area.height / 2:.1f}H{area.right:.1f}"
        return f'<path class="edge {sample.look}" d="{path}"/>'
    return f'<rect class="swatch {sample.look}" rx="2" {_rectangle(area)}/>'


def _written(text: PictureText) -> str:
    look = f' class="{text.look}"' if text.look else ""
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    return f'<text{look}{anchor} x="{text.x:.1f}" y="{text.y:.1f}">{_text(text.text)}</text>'


def _rectangle(area: Area) -> str:
    return f'x="{area.x:.1f}" y="{area.y:.1f}" width="{area.width:.1f}" height="{area.height:.1f}"'


def _about(lines: Iterable[str]) -> str:
    """Return the tooltip of an element."""
    text = "\n".join(map(_text, lines))
    return f"<title>{text}</title>" if text else ""


def _text(text: str) -> str:
    return escape("".join(char for char in on_one_line(text) if char.isprintable()))
