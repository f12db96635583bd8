"""Drawings to test with: made by hand, and any at all."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ensue.output.drawing.drawing import Drawn, DrawnEdge, DrawnState, ScopeBox


class Hand:
    """Draws boxes; numbers its states."""

    def __init__(self) -> None:
        self.count = 0

    def node(self, id_: str, grown: list[ScopeBox] | None = None, **fields: Any) -> DrawnState:
        """Draw a state."""
        self.count += 1
        known: dict[str, Any] = {
            "number": self.count,
            "tag": f"test_|-{id_}_|-{id_}_|-nop",
            "id": id_,
            "name": id_,
            "function": "test.nop",
            "scope": "",
            "target": "",
            "status": "succeeded",
            "grown": grown or [],
            **fields,
        }
        return DrawnState(**known)

    def box(self, nodes: list[Drawn], edges: list[DrawnEdge] | None = None, **fields: Any) -> ScopeBox:
        """Draw a scope."""
        known: dict[str, Any] = {"kind": "block", "name": "b", "scope": "a/b", "status": "done", **fields}
        return ScopeBox(nodes=nodes, edges=edges or [], **known)


@st.composite
def pictures(draw: st.DrawFn, hand: Hand | None = None, depth: int = 0) -> ScopeBox:
    """Any drawing: states, forward edges between them, scopes below them."""
    hand = hand or Hand()
    nodes: list[Drawn] = []
    for _ in range(draw(st.integers(0, 4 if depth else 8))):
        inner = draw(st.integers(0, 2)) if depth < 2 and draw(st.booleans()) else 0
        grown = [draw(pictures(hand, depth + 1)) for _ in range(inner)]
        nodes.append(hand.node(draw(st.text(max_size=60)), grown))
    numbers = [node.number for node in nodes]
    edges = [
        DrawnEdge(first, second, "require")
        for place, first in enumerate(numbers)
        for second in numbers[place + 1 :]
        if draw(st.booleans())
    ]
    return hand.box(nodes, edges)
