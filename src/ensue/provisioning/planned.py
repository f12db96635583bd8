"""What is known of the inputs of a graph before anything is provisioned.

The context, the ids and the accounts are known, and so is all that is made of them. Outputs are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.model.data import is_list, is_mapping
from ensue.model.unknown import Unknown, unknowns_in
from ensue.provisioning.evaluation import evaluate
from ensue.provisioning.identity import guresid
from ensue.provisioning.meanings import Constant, ContextField, FromOutside, Reference, Selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.provisioning.identity import Context, Key
    from ensue.provisioning.meanings import Meaning
    from ensue.provisioning.nodes import Node, ResourceGraph

_NOT_KNOWN = Unknown("")


class PlannedNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node with everything evaluated that can be.

    Args:
        node: the node.
        account: the account of its driver; None: none.
        params: its parameters.
        values: its plain inputs.
        secrets: its secret inputs, those of `secret_refs` among them; only for a driver's eyes.
    """

    node: Node
    account: Any
    params: Any
    values: Any
    secrets: Any


class Plan:
    """Evaluates the nodes of a graph in their order.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: ResourceGraph) -> None:
        self.graph = graph
        self.lacks_org = False
        """Whether a placeholder asks for the organization, and none is given."""
        self._done: dict[Key, PlannedNode] = {}
        self._guresids: dict[Key, str] = {}

    def nodes(self) -> Iterator[PlannedNode]:
        """Yield every node, in the order of provisioning."""
        for node in self.graph.nodes:
            self._guresids[node.key] = node.guresid
            yield self._planned(node)

    def _planned(self, node: Node) -> PlannedNode:
        def value_of(meaning: Meaning) -> Any:
            return self._value(meaning, node)

        inputs = node.inputs
        planned = self._done[node.key] = PlannedNode(
            node=node,
            account=None if node.account is None else evaluate(node.account.data, value_of),
            params=None if node.params is None else evaluate(node.params.data, value_of),
            values=evaluate(inputs.values.data, value_of),
            secrets=_merged(
                evaluate(inputs.secrets.data, value_of), evaluate(inputs.secret_refs.data, value_of)
            ),
        )
        return planned

    def _value(self, meaning: Meaning, node: Node) -> Any:
        match meaning:
            case Constant(value):
                return value
            case ContextField(name):
                return self._context_value(name, node)
            case Reference(target, what, path):
                return self._of(target.resolved(node.key), what, path)
            case Selection(anchor, steps, what, path):
                found = [self._of(key, what, path) for key in node.selected.get((anchor, steps), ())]
                return _NOT_KNOWN if any(isinstance(one, Unknown) for one in found) else found
            case FromOutside():
                return _NOT_KNOWN

    def _context_value(self, name: str, node: Node) -> Any:
        if name == "res.guresid":
            return node.guresid
        value = context_values(self.graph.context, node.key)[name]
        if name == "org.id" and not value:
            self.lacks_org = True
            return _NOT_KNOWN
        return value

    def _of(self, key: Key, what: str, path: tuple[str, ...]) -> Any:
        """Return what is known of something of a resource."""
        if what == "id":
            return key.id
        if what == "guresid":
            return self._guresids.get(key) or guresid(self.graph.context, key)
        planned = self._done.get(key)
        if planned is None or what == "outputs":
            return _NOT_KNOWN
        value = planned.account if what == "account" else _below(planned.values, path)
        return _NOT_KNOWN if unknowns_in(value) else value


def context_values(context: Context, key: Key) -> dict[str, str]:
    """Return the fields of the context of one resource by name, but for its guresid."""
    return {
        "org.id": context.org,
        "app.id": context.app,
        "env.id": context.env,
        "env.type": context.env_type,
        "res.id": key.id,
        "res.type": key.type,
        "res.class": key.class_,
    }


def _below(data: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        if is_mapping(data) and part in data:
            data = data[part]
        elif is_list(data) and part.isdecimal() and int(part) < len(data):
            data = data[int(part)]
        else:
            return _NOT_KNOWN
    return data


def _merged(first: Any, second: Any) -> Any:
    """Merge secrets with references to further ones; nulls of the second are left out."""
    if not (is_mapping(first) and is_mapping(second)):
        return second
    merged = dict(first)
    for key, value in second.items():
        if value is not None:
            merged[key] = _merged(merged[key], value) if key in merged else value
    return merged
