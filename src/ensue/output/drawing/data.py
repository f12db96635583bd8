"""A drawing as data for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.output.drawing.drawing import walk
from ensue.output.presentable import state_name

if TYPE_CHECKING:
    from ensue.core.masking import Masker
    from ensue.output.drawing.drawing import ScopeBox


def drawing_data(top: ScopeBox, masker: Masker) -> dict[str, Any]:
    """Return `{"nodes": […], "edges": […], "scopes": […]}`.

    A node has `number tag id name function scope target status`; an edge `before after kind`, by
    number; a scope `scope kind name caller status comment`, `caller` being the number of its state.

    Args:
        top: the drawing.
        masker: the secrets of the process.
    """
    boxes = list(walk(top))
    nodes = [node for box in boxes for node in box.states]
    return {
        "nodes": [
            {
                "number": node.number,
                "tag": masker.tag(node.tag),
                "id": masker.name(node.id),
                "name": state_name(node.name, node.id, masker),
                "function": node.function,
                "scope": masker.name(node.scope),
                "target": node.target,
                "status": node.status,
            }
            for node in nodes
        ],
        "edges": [
            {"before": edge.before, "after": edge.after, "kind": edge.kind}
            for box in boxes
            for edge in box.edges
        ],
        "scopes": [
            {
                "scope": masker.name(box.scope),
                "kind": box.kind,
                "name": masker.name(box.name),
                "caller": node.number,
                "status": box.status,
                "comment": masker.text(box.comment),
            }
            for node in nodes
            for box in node.grown
        ],
    }
