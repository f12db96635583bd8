"""The finished resource graph: its nodes in the order of provisioning, each with its definition and inputs.

Nothing here changes during a run. All nodes of a definition share its inputs, so that ten thousand resources
of one definition keep them once.

Source: resource graph document, "Building and executing".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from ensue.deploy.provisioning.definitions import BESIDE_OTHERS
from ensue.deploy.provisioning.written import TextPlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.contracts.driver import InputPath, InputRemark
    from ensue.core.model.chunk import StateOptions
    from ensue.deploy.provisioning.definitions import DriverInputs
    from ensue.deploy.provisioning.for_each import ForEach
    from ensue.deploy.provisioning.identity import Context, Descriptor, ResourceKey
    from ensue.deploy.provisioning.params_schemas import ParamsSchema
    from ensue.deploy.provisioning.placeholder_values import Step
    from ensue.deploy.provisioning.readiness import Readiness
    from ensue.deploy.provisioning.written import TemplatedData

Why: TypeAlias = Literal["workload", "reference", "co-provision", "match_dependents", "selector", "for_each"]
"""What makes a resource depend on another: a workload declares or mentions it, a placeholder names it, it was
co-provisioned as a dependent, it takes part in `match_dependents`, a selector found it, or it is for an
item of a list that the other one has."""

Selector: TypeAlias = "tuple[Descriptor, tuple[Step, ...]]"
"""A selector as written in its definition: the anchor and the steps."""


class Dependency(NamedTuple):
    """The dependency of a node on another one.

    Args:
        to: the other one, which is provisioned first.
        why: the reason.
    """

    to: ResourceKey
    why: Why


class ListName(NamedTuple):
    """The name of the list of an entry with `for_each`.

    Args:
        owner: the resource whose definition has the entry.
        entry: the entry's key as written.
    """

    owner: ResourceKey
    entry: str

    def __str__(self) -> str:
        """Write it as `ENTRY of OWNER`."""
        return f"{self.entry} of {self.owner}"


class GrowthPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A list that is known only once other resources are provisioned; then its resources join the graph.

    Args:
        name: its name.
        head: the type and class of its resources, and their id with placeholders for the items.
        for_each: its value, and the id of its resources.
        sources: the resources that have the value.
        waiting: the resources of the graph that may depend on its resources, and so wait for them.
        selectors: the selectors that could find its resources, each with its owner, which waits, too.
        types: the types of all resources that may join the graph for it, each with its possible drivers.
        definitions: the ids of the definitions that its resources may get.
        grown_for: the list for which its owner joined the graph; None: the owner is there from the start.
    """

    name: ListName
    head: ResourceKey
    for_each: ForEach
    sources: tuple[ResourceKey, ...]
    waiting: frozenset[ResourceKey]
    selectors: frozenset[tuple[ResourceKey, Selector]]
    types: Mapping[str, frozenset[str]]
    definitions: tuple[str, ...]
    grown_for: ListName | None = None


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    """A resource of the graph.

    Args:
        key: its type, class and id.
        name: the key as text.
        guresid: its globally unique id.
        definition: the id of its definition.
        driver: the driver that provisions it.
        account: the account of the driver; None: none.
        params: its parameters; of a workload its module; None: it is given none.
        inputs: the inputs of the driver; shared by all nodes of the definition.
        dependencies: the resources it depends on, sorted; the same resource may occur with several reasons.
        depends_on: these resources, each once, sorted.
        selected: the resources that each selector of its inputs found, sorted by type, class and id; without
            the selectors that could find resources of a list that is not known yet.
        places: the places of its requests; the place of its definition last.
        protect: whether it may not be destroyed.
        retain: whether it is left as it is when it is removed.
        options: how its state is run; shared by all nodes of the definition.
        foreign_id: the resources whose outputs its id has parts of, for messages; empty: none.
        grown_for: the list for which it joined the graph while that ran; None: none.
        params_schema: what its parameters must satisfy, if parts of them are only known later; None: nothing,
            or they have been checked.
        ready: what must hold before its dependents start; None: nothing.
    """

    key: ResourceKey
    name: str
    guresid: str
    definition: str
    driver: str
    account: TemplatedData | None
    params: TemplatedData | None
    inputs: DriverInputs
    dependencies: tuple[Dependency, ...]
    depends_on: tuple[ResourceKey, ...]
    selected: Mapping[Selector, tuple[ResourceKey, ...]]
    places: tuple[TextPlace, ...]
    protect: bool = False
    retain: bool = False
    options: StateOptions = BESIDE_OTHERS
    foreign_id: str = ""
    grown_for: ListName | None = None
    params_schema: ParamsSchema | None = None
    ready: Readiness | None = None

    def input_place(self, path: InputPath) -> str:
        """Return where an input is in the definition, for messages.

        Args:
            path: the input.
        """
        place = self.places[-1]
        at = TextPlace(place.document, (*place.keys[:-1], "driver_inputs", *path))
        return f"{at.span()}, definition {self.definition}: "

    def remarks(self, warnings: Iterable[str | InputRemark]) -> tuple[str, ...]:
        """Return the remarks of a driver as texts, those about an input with its place.

        Args:
            warnings: the remarks.
        """
        return tuple(
            each if isinstance(each, str) else f"{self.input_place(each.path)}{each.text}"
            for each in warnings
        )


class ResourceGraph(msgspec.Struct, frozen=True, kw_only=True):
    """All resources of one deployment.

    Args:
        context: its environment.
        nodes: the resources, each after those it depends on, otherwise by type, class and id.
        hash: the SHA-256 of the graph; the same for the same inputs, whatever their order.
        points: the lists that are not known yet.
    """

    context: Context
    nodes: tuple[GraphNode, ...]
    hash: str
    points: tuple[GrowthPoint, ...] = ()
