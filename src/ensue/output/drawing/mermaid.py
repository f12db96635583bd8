"""A drawing as a Mermaid flowchart, for pages that show such; scopes are subgraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.masking import Masker
    from ensue.output.drawing.drawing import Node, ScopeBox

_CLASSES: Final = (
    "  classDef changed fill:#d8f0f5,stroke:#3a8fa3;",
    "  classDef would_change fill:#fdf3cf,stroke:#b08a1e;",
    "  classDef failed fill:#fbdcdc,stroke:#b04040;",
)
_ENTITIES: Final = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;"})


def mermaid_lines(top: ScopeBox, masker: Masker) -> Iterator[str]:
    """Yield the lines of a flowchart."""
    yield "flowchart TB"
    yield from _box(top, masker, "  ", [0])
    yield from _CLASSES


def _box(box: ScopeBox, masker: Masker, pad: str, count: list[int]) -> Iterator[str]:
    for node in box.nodes:
        coloured = f":::{node.status}" if node.status in {"changed", "would_change", "failed"} else ""
        yield f'{pad}n{node.number}["{_label(node, masker)}"]{coloured}'
    for edge in box.edges:
        yield f"{pad}n{edge.before} -->|{edge.kind}| n{edge.after}"
    for node in box.nodes:
        for grown in node.grown:
            count[0] += 1
            number = count[0]
            yield f'{pad}subgraph s{number}["{_escaped(masker.text(grown.title))}"]'
            yield from _box(grown, masker, pad + "  ", count)
            if not grown.nodes:
                # Not every version draws an empty subgraph.
                yield f'{pad}  e{number}[" "]'
            yield f"{pad}end"
            yield f"{pad}n{node.number} -.-> s{number}"


def _label(node: Node, masker: Masker) -> str:
    target = f"<br/>{_escaped(node.target)}" if node.target else ""
    return f"{_escaped(masker.text(node.id))}<br/>{_escaped(node.function)}{target}"


def _escaped(text: str) -> str:
    return on_one_line(text).translate(_ENTITIES)
