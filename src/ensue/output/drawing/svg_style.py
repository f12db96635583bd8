"""The style of an SVG drawing: what each class of element looks like, on light and on dark backgrounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.drawing.looks import DEPENDENCIES, RESOURCES, STATES

if TYPE_CHECKING:
    from collections.abc import Iterator


_COMMON: Final = """
  svg { font: 12px system-ui, sans-serif; background: #fff; }
  text { fill: #1c2430; } .function { fill: #5a6572; font-size: 11px; } .title { font-weight: 600; }
  .scope { fill: #f3f5f8; fill-opacity: .6; stroke: #9aa5b1; } .scope.failed { stroke: #b04040; }
  .scope.deferred, .scope.not_rendered, .scope.planned, .scope.retried { stroke-dasharray: 5 4; }
  .top { fill: none; stroke: none; }
  .node { fill: #fff; stroke: #66717e; } .node.succeeded { fill: #e2f3e4; } .node.changed { fill: #d8f0f5; }
  .node.would_change { fill: #fdf3cf; } .node.failed { fill: #fbdcdc; stroke: #b04040; }
  .edge { fill: none; stroke: #66717e; marker-end: url(#arrow); } .grown { stroke-dasharray: 3 3; }
  .onfail, .prereq { stroke-dasharray: 2 3; } .watch, .listen, .onchanges { stroke-dasharray: 6 3; }
  .arg_bind { stroke: #2f6fb3; }
  .kind { font-weight: 600; } .status { font-size: 11px; font-weight: 600; }
  .key { fill: none; stroke: #c9d0d8; } .bars { fill: none; stroke: #1f3b5c; stroke-width: 1.5; }
"""
_LAST: Final = """
  .node.workload { stroke-width: 2.5; }
  .node.skipped, .node.orphaned, .node.destroyed { stroke-dasharray: 6 3; }
  .node.failed { stroke-width: 2.5; } .edge.through { marker-end: none; }
  .edge:hover { stroke-width: 4px; } g:hover > .node { stroke-width: 3px; }
"""
_DARK: Final = """
    svg { background: #14181d; } text { fill: #dfe5ec; } .function { fill: #98a3b0; }
    .scope { fill: #1d232b; } .node { fill: #222a33; } .node.succeeded { fill: #1e3524; }
    .node.changed { fill: #17343c; } .node.would_change { fill: #3b3315; } .node.failed { fill: #432020; }
    .key { stroke: #3a444f; } .bars { stroke: #b8cbe0; } .status { fill: #dfe5ec; }
"""


def _light_rules() -> Iterator[str]:
    for status, look in STATES.items():
        yield f"  .swatch.state.{status} {{ fill: {look.fill}; stroke: {look.line}; }}"
    for status, look in RESOURCES.items():
        boxes = f".resource.{status}, .workload.{status}, .swatch.{status}"
        yield f"  {boxes} {{ fill: {look.fill}; stroke: {look.line}; }}"
        yield f"  .status.{status} {{ fill: {look.line}; }}"
    for kind, stroke in DEPENDENCIES.items():
        dashes = f" stroke-dasharray: {stroke.dashes};" if stroke.dashes else ""
        width = f"stroke-width: {stroke.width_px}px; marker-end: url(#to-{kind});"
        yield f"  .edge.{kind} {{ stroke: {stroke.colour};{dashes} {width} }}"
        yield f"  .head.{kind} {{ fill: {stroke.colour}; }}"


def _dark_rules() -> Iterator[str]:
    for status, look in STATES.items():
        yield f"    .swatch.state.{status} {{ fill: {look.dark_fill}; }}"
    for status, look in RESOURCES.items():
        yield f"    .resource.{status}, .workload.{status}, .swatch.{status} {{ fill: {look.dark_fill}; }}"
        yield f"    .status.{status} {{ fill: #dfe5ec; }}"
    for kind, stroke in DEPENDENCIES.items():
        yield f"    .edge.{kind} {{ stroke: {stroke.dark_colour}; }}"
        yield f"    .head.{kind} {{ fill: {stroke.dark_colour}; }}"


def _style() -> str:
    light, dark = "\n".join(_light_rules()), "\n".join(_dark_rules())
    return f"{_COMMON}{light}{_LAST}  @media (prefers-color-scheme: dark) {{{_DARK}{dark}\n  }}\n"


def _marker(name: str, look: str, size: int) -> str:
    head = f'<path {look} d="M0 0L8 4L0 8z"/>'
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="{size}" markerHeight="{size}" '
        f'markerUnits="userSpaceOnUse" orient="auto">{head}</marker>'
    )


STYLE: Final = _style()
"""The style sheet."""

MARKERS: Final = _marker("arrow", 'fill="#66717e"', 7) + "".join(
    _marker(f"to-{kind}", f'class="head {kind}"', 9) for kind in DEPENDENCIES
)
"""The heads of arrows."""
