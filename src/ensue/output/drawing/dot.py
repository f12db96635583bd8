"""A drawing in the language of Graphviz; scopes are clusters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.masking import Masker
    from ensue.output.drawing.drawing import Node, ScopeBox

_COLOURS: Final = {
    "planned": "#f5f5f5",
    "running": "#e3e9ff",
    "succeeded": "#e2f3e4",
    "changed": "#d8f0f5",
    "would_change": "#fdf3cf",
    "failed": "#fbdcdc",
}
_STYLES: Final = {
    "require": "solid",
    "arg_bind": "bold",
    "watch": "dashed",
    "listen": "dashed",
    "onchanges": "dashed",
    "onfail": "dotted",
    "prereq": "dotted",
}


def dot_lines(top: ScopeBox, masker: Masker) -> Iterator[str]:
    """Yield the lines of a digraph: `ensue graph --out dot | dot -Tsvg`."""
    yield "digraph ensue {"
    yield "  compound=true; rankdir=TB; labelloc=t;"
    yield f"  label={_title(top, masker)};"
    yield '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11];'
    yield '  edge [fontname="sans-serif", fontsize=9];'
    yield from _box(top, masker, "  ", [0])
    yield "}"


def _box(box: ScopeBox, masker: Masker, pad: str, clusters: list[int]) -> Iterator[str]:
    for node in box.nodes:
        about = f"label={_quoted(_label(node, masker))}, fillcolor={_quoted(_COLOURS[node.status])}"
        yield f"{pad}n{node.number} [{about}];"
    for edge in box.edges:
        style = _STYLES.get(edge.kind, "solid")
        yield f"{pad}n{edge.before} -> n{edge.after} [label={edge.kind}, style={style}];"
    for node in box.nodes:
        for grown in node.grown:
            yield from _cluster(node, grown, masker, pad, clusters)


def _cluster(caller: Node, box: ScopeBox, masker: Masker, pad: str, clusters: list[int]) -> Iterator[str]:
    clusters[0] += 1
    number = clusters[0]
    yield f"{pad}subgraph cluster_{number} {{"
    yield f"{pad}  label={_title(box, masker)}; style={'rounded' if box.nodes else 'dashed'};"
    yield from _box(box, masker, pad + "  ", clusters)
    if not box.nodes:
        # A cluster without a node is not drawn.
        yield f'{pad}  c{number} [label="", shape=point, style=invis];'
    yield f"{pad}}}"
    first = f"n{box.nodes[0].number}" if box.nodes else f"c{number}"
    look = f"lhead=cluster_{number}, style=dashed, color=gray, arrowhead=open"
    yield f"{pad}n{caller.number} -> {first} [{look}];"


def _title(box: ScopeBox, masker: Masker) -> str:
    return _quoted(on_one_line(masker.text(box.title)))


def _label(node: Node, masker: Masker) -> str:
    lines = (node.id, node.function, *([node.target] if node.target else []))
    return "\n".join(on_one_line(masker.text(line)) for line in lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
