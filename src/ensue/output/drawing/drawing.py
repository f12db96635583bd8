"""The data of a drawing: states or resources, their order, and the boxes that contain them.

A drawing is a tree of boxes. In a run a box is a scope that grew under a state. In a deployment the boxes
within the top are workloads, each with the resources that belong to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from ensue.core.model.returns import numbered_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.deploy.provisioning.surroundings import Status

NodeStatus = Literal["planned", "running", "succeeded", "changed", "would_change", "failed"]
ScopeStatus = Literal["planned", "running", "done", "failed", "deferred", "not_rendered", "retried"]

KIND_WORDS: Final = {
    "block": "block",
    "sls": "SLS",
    "apply": "applied",
    "deployment": "deployment",
    "state": "state",
    "workload": "workload",
}
"""What a scope's kind is called in a drawing."""

RESOURCE_GRAPH: Final = "resources"
"""The kind of the top of a drawing of resources."""


DrawnStatus: TypeAlias = "Status | Literal['active']"
"""The status of a drawn resource: of its deployment, or `active` where the store has it."""


class DrawnNode(msgspec.Struct, kw_only=True):
    """The common part of states and resources: each is drawn as one box.

    Args:
        number: its place in the drawing, which edges name.
        id: the ID of the declaration, or the resource.
        grown: the scopes that it caused, in order.
    """

    number: int
    id: str
    grown: list[ScopeBox] = msgspec.field(default_factory=list["ScopeBox"])


class DrawnState(DrawnNode, kw_only=True):
    """One state.

    Args:
        tag: its tag.
        name: the state's name.
        function: `module.function`.
        scope: the path of its scope.
        target: the SRN it runs against, as text; empty for the machine of the run.
        status: its status.
    """

    tag: str
    name: str
    function: str
    scope: str
    target: str
    status: NodeStatus

    @property
    def lines(self) -> tuple[str, ...]:
        """Its ID and function, and its target unless that is the machine of the run."""
        return (self.id, self.function, *([self.target] if self.target else []))


class DrawnResource(DrawnNode, kw_only=True):
    """One resource of a deployment.

    Args:
        type: its type.
        class_: its class.
        definition: the id of its definition; empty if not known.
        driver: its driver; empty if not known.
        status: its status.
        comment: why it has that status; may be empty.
    """

    type: str
    class_: str
    definition: str
    driver: str
    status: DrawnStatus
    comment: str

    @property
    def lines(self) -> tuple[str, ...]:
        """Its type and class, its id, its definition and driver if known, and its status."""
        origin = " · ".join(part for part in (self.definition, self.driver) if part)
        return (self.kind, self.id, *([origin] if origin else []), self.status)

    @property
    def about(self) -> tuple[str, ...]:
        """All that is known about it, in lines."""
        return (
            self.key,
            *([f"definition {self.definition}"] if self.definition else []),
            *([f"driver {self.driver}"] if self.driver else []),
            f"{self.status}: {self.comment}" if self.comment else self.status,
        )

    @property
    def key(self) -> str:
        """`TYPE.CLASS#ID`."""
        return f"{self.type}.{self.class_}#{self.id}"

    @property
    def kind(self) -> str:
        """Its type, and its class unless that is the default one."""
        return self.type if self.class_ == "default" else f"{self.type}.{self.class_}"

    @property
    def is_workload(self) -> bool:
        """Whether it is a workload."""
        return self.type == "workload"


Drawn: TypeAlias = DrawnState | DrawnResource
"""What is drawn as one box."""


class DrawnEdge(msgspec.Struct, frozen=True):
    """The order of two states or resources.

    Args:
        before: the number of the one that comes first; for resources, the dependency.
        after: the number of the one that comes later; for resources, the dependent.
        kind: the requisite (`require`, `arg_bind`, …), or why a resource depends on the other one.
    """

    before: int
    after: int
    kind: str


class ScopeBox(msgspec.Struct, kw_only=True):
    """One scope with its states, or one workload with its resources.

    Args:
        kind: `block`, `sls`, `apply`; `workload`; `top` for the run itself, `deployment` for a whole
            deployment.
        name: the block's, SLS's or workload's name; of the top, the machine's id.
        scope: its path.
        status: its status.
        comment: why it failed; may be empty.
        nodes: its states or resources, in order.
        inner: the boxes within it that none of its nodes caused, in order: those of workloads.
        edges: the requisites between its states; for a deployment, all dependencies.
    """

    kind: str
    name: str
    scope: str
    status: ScopeStatus
    comment: str = ""
    nodes: list[Drawn] = msgspec.field(default_factory=list[Drawn])
    inner: list[ScopeBox] = msgspec.field(default_factory=list["ScopeBox"])
    edges: list[DrawnEdge] = msgspec.field(default_factory=list[DrawnEdge])

    @property
    def states(self) -> list[DrawnState]:
        """Its states."""
        return [node for node in self.nodes if isinstance(node, DrawnState)]

    @property
    def resources(self) -> list[DrawnResource]:
        """Its own resources, without those of inner boxes."""
        return [node for node in self.nodes if isinstance(node, DrawnResource)]

    @property
    def title(self) -> str:
        """The title of the box: its kind, its name (numbered if repeated), its status unless it succeeded."""
        kind = KIND_WORDS.get(self.kind, "")
        named = f"{kind} {numbered_name(self.name, self.scope)}".strip()
        return named if self.status in {"planned", "done"} else f"{named} ({self.status.replace('_', ' ')})"


def walk(box: ScopeBox) -> Iterator[ScopeBox]:
    """Yield a box and every box within it, outer before inner, in order."""
    waiting = [box]
    while waiting:
        current = waiting.pop()
        yield current
        below = [*current.inner, *(grown for node in current.nodes for grown in node.grown)]
        waiting.extend(reversed(below))
