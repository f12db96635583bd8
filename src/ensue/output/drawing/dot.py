"""A drawing in Graphviz's DOT language; scopes and workloads are clusters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line
from ensue.output.drawing.drawing import RESOURCE_GRAPH, DrawnResource
from ensue.output.drawing.fitting import shortened
from ensue.output.drawing.looks import DEPENDENCIES, LINES, PLAIN_LINE, kinds_in, look_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.masking import Masker
    from ensue.output.drawing.drawing import Drawn, DrawnEdge, ScopeBox

_LEGEND: Final = "cluster_legend"


def dot_lines(top: ScopeBox, masker: Masker) -> Iterator[str]:
    """Yield the lines of a digraph: `ensue graph --out dot | dot -Tsvg`."""
    yield "digraph ensue {"
    yield f"  compound=true; rankdir={'LR' if top.kind == RESOURCE_GRAPH else 'TB'}; labelloc=t;"
    yield f"  label={_title(top, masker)};"
    yield '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11];'
    yield '  edge [fontname="sans-serif", fontsize=9];'
    yield from _box(top, masker, "  ", [0])
    if top.kind == RESOURCE_GRAPH:
        yield from _legend(top)
    yield "}"


def _box(box: ScopeBox, masker: Masker, pad: str, clusters: list[int]) -> Iterator[str]:
    for node in box.nodes:
        yield f"{pad}n{node.number} [{_about(node, masker)}];"
    for inner in box.inner:
        clusters[0] += 1
        yield from _cluster(inner, masker, pad, clusters)
    for edge in box.edges:
        yield pad + (_dependency(edge) if box.kind == RESOURCE_GRAPH else _requisite(edge))
    for node in box.nodes:
        for grown in node.grown:
            yield from _grown(node, grown, masker, pad, clusters)


def _about(node: Drawn, masker: Masker) -> str:
    label = _quoted("\n".join(shortened(on_one_line(masker.name(line))) for line in node.lines))
    look = look_of(node)
    about = f"label={label}, fillcolor={_quoted(look.fill)}"
    if isinstance(node, DrawnResource):
        about += f", color={_quoted(look.line)}"
        tooltip = "\n".join(on_one_line(masker.text(line)) for line in node.about)
        about += f", tooltip={_quoted(tooltip)}"
        about += ', shape=component, style="filled,bold"' if node.is_workload else ""
    return about


def _requisite(edge: DrawnEdge) -> str:
    style = LINES.get(edge.kind, PLAIN_LINE).style
    return f"n{edge.before} -> n{edge.after} [label={edge.kind}, style={style}];"


def _dependency(edge: DrawnEdge) -> str:
    return f"n{edge.after} -> n{edge.before} [{_line(edge.kind)}, tooltip={_quoted(edge.kind)}];"


def _line(kind: str) -> str:
    stroke = DEPENDENCIES.get(kind, PLAIN_LINE)
    look = f"style={stroke.style}, color={_quoted(stroke.colour)}, penwidth={stroke.width_px}"
    return look if stroke.head == "normal" else f"{look}, arrowhead={stroke.head}"


def _legend(top: ScopeBox) -> Iterator[str]:
    """Yield a cluster with one line per kind, labelled with the kind."""
    kinds = kinds_in(top.edges)
    if not kinds:
        return
    yield f'  subgraph {_LEGEND} {{ label="lines"; style=rounded; color=gray;'
    for place, kind in enumerate(kinds):
        yield f"    from{place} [shape=point];"
        yield f'    to{place} [shape=plaintext, style="", label={_quoted(kind)}];'
        yield f"    from{place} -> to{place} [{_line(kind)}];"
    yield "  }"


def _cluster(box: ScopeBox, masker: Masker, pad: str, clusters: list[int]) -> Iterator[str]:
    number = clusters[0]
    yield f"{pad}subgraph cluster_{number} {{"
    yield f"{pad}  label={_title(box, masker)}; style={'rounded' if box.nodes else 'dashed'};"
    yield from _box(box, masker, pad + "  ", clusters)
    if not box.nodes:
        # Graphviz does not draw a cluster without a node.
        yield f'{pad}  c{number} [label="", shape=point, style=invis];'
    yield f"{pad}}}"


def _grown(caller: Drawn, box: ScopeBox, masker: Masker, pad: str, clusters: list[int]) -> Iterator[str]:
    clusters[0] += 1
    number = clusters[0]
    yield from _cluster(box, masker, pad, clusters)
    first = f"n{box.nodes[0].number}" if box.nodes else f"c{number}"
    look = f"lhead=cluster_{number}, style=dashed, color=gray, arrowhead=open"
    yield f"{pad}n{caller.number} -> {first} [{look}];"


def _title(box: ScopeBox, masker: Masker) -> str:
    return _quoted(on_one_line(masker.name(box.title)))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
