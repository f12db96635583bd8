"""What there is to draw: states, requisites between them, and scopes that grew under a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from ensue.model.returns import numbered_name

if TYPE_CHECKING:
    from collections.abc import Iterator

NodeStatus = Literal["planned", "running", "succeeded", "changed", "would_change", "failed"]
ScopeStatus = Literal["planned", "running", "done", "failed", "deferred", "not_rendered"]

KIND_WORDS: Final = {"block": "block", "sls": "SLS", "apply": "applied"}
"""How a scope's kind is called in a drawing."""


class Node(msgspec.Struct, kw_only=True):
    """One state.

    Args:
        number: its place in the drawing, which edges name.
        tag: its tag.
        id: the declaration's ID.
        name: the state's name.
        function: `module.function`.
        scope: the path of its scope.
        target: the SRN it runs against, as text; empty where it is the run's own machine.
        status: what came of it.
        grown: the scopes that it caused, in order.
    """

    number: int
    tag: str
    id: str
    name: str
    function: str
    scope: str
    target: str
    status: NodeStatus
    grown: list[ScopeBox] = msgspec.field(default_factory=list["ScopeBox"])


class Edge(msgspec.Struct, frozen=True):
    """A requisite: one state comes before another.

    Args:
        before: number of the state that comes first.
        after: number of the state that comes later.
        kind: the requisite's word (`require`, `arg_bind`, …).
    """

    before: int
    after: int
    kind: str


class ScopeBox(msgspec.Struct, kw_only=True):
    """One scope: its states, and the requisites between them; none lead out of it.

    Args:
        kind: `block`, `sls`, `apply`; `top` for the run itself.
        name: the block's or SLS's name; of the top, the machine's id.
        scope: its path.
        status: how it stands.
        comment: why, where it failed.
        nodes: its states, in order.
        edges: the requisites between them.
    """

    kind: str
    name: str
    scope: str
    status: ScopeStatus
    comment: str = ""
    nodes: list[Node] = msgspec.field(default_factory=list[Node])
    edges: list[Edge] = msgspec.field(default_factory=list[Edge])

    @property
    def title(self) -> str:
        """What stands over the box: its kind, its name, numbered when repeated, how it stands unless well."""
        kind = KIND_WORDS.get(self.kind, "")
        named = f"{kind} {numbered_name(self.name, self.scope)}".strip()
        return named if self.status in {"planned", "done"} else f"{named} ({self.status.replace('_', ' ')})"


def walk(box: ScopeBox) -> Iterator[ScopeBox]:
    """Yield a box and every box within it, outer before inner, in order."""
    waiting = [box]
    while waiting:
        current = waiting.pop()
        yield current
        inner = [grown for node in current.nodes for grown in node.grown]
        waiting.extend(reversed(inner))
