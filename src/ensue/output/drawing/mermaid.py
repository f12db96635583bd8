"""A drawing as a Mermaid flowchart; scopes and workloads are subgraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line
from ensue.output.drawing.drawing import RESOURCE_GRAPH, DrawnResource
from ensue.output.drawing.fitting import shortened
from ensue.output.drawing.looks import DEPENDENCIES, RESOURCES, STATES, kinds_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.masking import Masker
    from ensue.output.drawing.drawing import Drawn, ScopeBox

_COLOURED: Final = ("changed", "would_change", "failed")
_ENTITIES: Final = str.maketrans(
    {'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "&": "#amp;", "`": "#96;", "\\": "#92;"}
)


def mermaid_lines(top: ScopeBox, masker: Masker) -> Iterator[str]:
    """Yield the lines of a flowchart."""
    if top.kind == RESOURCE_GRAPH:
        yield from _deployment(top, masker)
        return
    yield "flowchart TB"
    yield from _box(top, masker, "  ", [0])
    for status in _COLOURED:
        yield f"  classDef {status} fill:{STATES[status].fill},stroke:{STATES[status].line};"


def _deployment(top: ScopeBox, masker: Masker) -> Iterator[str]:
    yield "flowchart LR"
    yield from _box(top, masker, "  ", [0])
    kinds = kinds_in(top.edges)
    yield from _legend(kinds)
    lines = [*(edge.kind for edge in top.edges), *kinds]
    for kind in kinds:
        stroke = DEPENDENCIES[kind]
        dashes = f",stroke-dasharray:{stroke.dashes}" if stroke.dashes else ""
        numbers = ",".join(str(number) for number, line in enumerate(lines) if line == kind)
        yield f"  linkStyle {numbers} stroke:{stroke.colour},stroke-width:{stroke.width_px}px{dashes}"
    used = {node.status for box in (top, *top.inner) for node in box.resources}
    for status, look in RESOURCES.items():
        if status in used:
            yield f"  classDef {status} fill:{look.fill},stroke:{look.line},color:#1c2430;"


def _legend(kinds: Sequence[str]) -> Iterator[str]:
    if not kinds:
        return
    yield '  subgraph legend["lines"]'
    yield "    direction LR"
    for place, kind in enumerate(kinds):
        yield f'    from{place}[" "] --> to{place}["{_escaped(kind)}"]'
    yield "  end"


def _box(box: ScopeBox, masker: Masker, pad: str, count: list[int]) -> Iterator[str]:
    for node in box.nodes:
        yield f"{pad}{_node(node, masker)}"
    for inner in box.inner:
        count[0] += 1
        yield from _subgraph(inner, masker, pad, count)
    for edge in box.edges:
        if box.kind == RESOURCE_GRAPH:
            yield f"{pad}n{edge.after} --> n{edge.before}"
        else:
            yield f"{pad}n{edge.before} -->|{edge.kind}| n{edge.after}"
    for node in box.nodes:
        for grown in node.grown:
            count[0] += 1
            number = count[0]
            yield from _subgraph(grown, masker, pad, count)
            yield f"{pad}n{node.number} -.-> s{number}"


def _subgraph(box: ScopeBox, masker: Masker, pad: str, count: list[int]) -> Iterator[str]:
    number = count[0]
    yield f'{pad}subgraph s{number}["{_escaped(masker.name(box.title))}"]'
    if box.kind == "workload":
        yield f"{pad}  direction LR"
    yield from _box(box, masker, pad + "  ", count)
    if not box.nodes:
        # Some versions do not draw an empty subgraph.
        yield f'{pad}  e{number}[" "]'
    yield f"{pad}end"


def _node(node: Drawn, masker: Masker) -> str:
    label = "<br/>".join(_escaped(shortened(masker.name(line))) for line in node.lines)
    if isinstance(node, DrawnResource):
        opening, closing = ("[[", "]]") if node.is_workload else ("[", "]")
        return f'n{node.number}{opening}"{label}"{closing}:::{node.status}'
    coloured = f":::{node.status}" if node.status in _COLOURED else ""
    return f'n{node.number}["{label}"]{coloured}'


def _escaped(text: str) -> str:
    return on_one_line(text).translate(_ENTITIES)
