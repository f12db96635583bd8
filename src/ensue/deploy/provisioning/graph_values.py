"""Evaluate the inputs of a graph's nodes, before and during provisioning.

The context, the ids and the accounts are known from the start, and so are values computed from them.
Outputs become known as resources are provisioned, in the order of the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.driver import ForeignPart
from ensue.core.errors import DriverError, InternalError
from ensue.core.model.paths import AbsentKeyError, value_at
from ensue.core.model.unknown import Unknown, has_unknowns
from ensue.deploy.provisioning.evaluated_node import EvaluatedNode, Outputs, foreign_inputs, merged_secrets
from ensue.deploy.provisioning.evaluation import evaluate, evaluate_parts
from ensue.deploy.provisioning.identity import context_values, guresid
from ensue.deploy.provisioning.placeholder_values import (
    ContextField,
    EachItem,
    EachValue,
    FileConstant,
    FromOutside,
    OwnOutput,
    ResourceReference,
    ResourceSelection,
)
from ensue.deploy.provisioning.sensitive import Foreign, below, marked, overlap, parted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint, ResourceGraph
    from ensue.deploy.provisioning.placeholders import Placeholder
    from ensue.deploy.provisioning.sensitive import Parted

_NOT_KNOWN = Unknown("")
_SERVICE_NAMES = frozenset({"name", "host", "hostname"})


class GraphValues:
    """Evaluates the nodes of a graph, each after those that it depends on.

    Args:
        graph: the graph.
        outside: the values of Score's types `environment` and `service`, by `NAME` or `RESOURCE.NAME`.
        is_complete: whether these are all; then another one is an error, otherwise it is not known yet.
    """

    def __init__(
        self, graph: ResourceGraph, outside: Mapping[str, Any] | None = None, *, is_complete: bool = False
    ) -> None:
        self.graph = graph
        self.lacks_org = False
        """Whether a placeholder asks for the organization, and none is given."""
        self._outside = outside or {}
        self._is_complete = is_complete
        self._done: dict[ResourceKey, EvaluatedNode] = {}
        self._foreseen: set[ResourceKey] = set()
        self._revised: set[ResourceKey] = set()
        self._nodes = {node.key: node for node in graph.nodes}
        self._outputs: dict[ResourceKey, Outputs] = {}

    def nodes(self) -> Iterator[EvaluatedNode]:
        """Yield every node, in the order of provisioning."""
        for node in self.graph.nodes:
            yield self.evaluated(node)

    def evaluated(self, node: GraphNode) -> EvaluatedNode:
        """Return a node with the values that are known by now.

        A node that is known, and uses nothing but final outputs, is evaluated once.

        Raises:
            DriverError: it uses an output that a provisioned resource lacks, or a value that the environment
                lacks.
        """
        before = self._done.get(node.key)
        if before is not None and self._is_up_to_date(before, node):
            return before

        def value_of(placeholder: Placeholder) -> Any:
            return self._value(placeholder, node)

        inputs = node.inputs
        secrets = evaluate_parts(inputs.secrets, value_of)
        references = evaluate_parts(inputs.secret_refs, value_of)
        params = evaluate_parts(node.params, value_of)
        values = evaluate_parts(inputs.values, value_of)
        account = evaluate_parts(node.account, value_of)
        done = self._done[node.key] = EvaluatedNode(
            node=node,
            account=account.data,
            params=params.data,
            values=values.data,
            secrets=merged_secrets(secrets.data, references.data),
            own_secrets=secrets.data,
            secret_refs=references.data,
            secret_params=params.secret_paths,
            foreign_params=params.foreign,
            secret_values=values.secret_paths,
            secret_account=account.secret_paths,
            foreign=foreign_inputs(account, values, secrets, references),
            is_known=secrets.is_known
            and references.is_known
            and params.is_known
            and values.is_known
            and account.is_known,
            is_final=all(map(self._outputs.__contains__, node.depends_on))
            and self._foreseen.isdisjoint(node.depends_on),
        )
        return done

    def _is_up_to_date(self, before: EvaluatedNode, node: GraphNode) -> bool:
        """Return whether evaluating a node again would give the same."""
        is_whole = before.node is node and before.is_known and before.is_final
        return is_whole and self._revised.isdisjoint(node.depends_on)

    def evaluated_before(self, key: ResourceKey) -> EvaluatedNode | None:
        """Return the result of a node's last evaluation; None if there was none."""
        return self._done.get(key)

    def note_secrets(self, evaluated: EvaluatedNode) -> None:
        """Record the evaluation of a node with its secrets from stores."""
        self._done[evaluated.node.key] = evaluated

    def list_of(self, point: GrowthPoint, owner: GraphNode) -> Any:
        """Return the value of a list as far as it is known, with its marks.

        Args:
            point: the list.
            owner: the resource whose definition has it.

        Raises:
            DriverError: it uses an output that a provisioned resource lacks.
        """
        return evaluate(point.for_each.value.data, lambda placeholder: self._value(placeholder, owner))

    def part_of(self, node: GraphNode, data: Any) -> Parted:
        """Return further data of a node's definition, as far as it is known.

        Args:
            node: the node.
            data: data of a `TemplatedData`.

        Raises:
            DriverError: it uses an output that a provisioned resource lacks.
        """
        return parted(evaluate(data, lambda placeholder: self._value(placeholder, node)))

    def grow(self, graph: ResourceGraph) -> None:
        """Go on with a graph that more resources have joined."""
        self.graph = graph
        self._nodes = {node.key: node for node in graph.nodes}

    def note_outputs(self, key: ResourceKey, outputs: Outputs, *, is_final: bool = True) -> None:
        """Record the outputs of a resource.

        Args:
            key: the resource.
            outputs: its outputs.
            is_final: whether these are the outputs that it has or will have; False: they are only foreseen.
        """
        if key in self._outputs and self._outputs[key] != outputs:
            self._revised.add(key)
        self._outputs[key] = outputs
        (self._foreseen.discard if is_final else self._foreseen.add)(key)

    def _value(self, placeholder: Placeholder, node: GraphNode) -> Any:  # noqa: PLR0911 -- one for each meaning
        match placeholder.meaning:
            case ResourceReference(target, what, path):
                return self._of(target.resolved(node.key), what, path, placeholder.text)
            case FileConstant(value):
                return value
            case ContextField("res.id"):
                return _foreign(node.key.id, node.foreign_id, placeholder.text)
            case ContextField(name):
                return self._context_value(name, node)
            case ResourceSelection() as selection:
                return self._of_selected(selection, node, placeholder.text)
            case FromOutside() as outside:
                return self._from_outside(outside)
            case EachValue(value, resources):
                return _foreign(value, resources, placeholder.text)
            case OwnOutput(path):
                return self._output(node.key, path, placeholder.text)
            case EachItem():
                raise InternalError(f"an item of {node.key} was evaluated before its list")

    def _context_value(self, name: str, node: GraphNode) -> Any:
        if name == "res.guresid":
            return node.guresid
        value = context_values(self.graph.context, node.key)[name]
        if name == "org.id" and not value:
            self.lacks_org = True
            return _NOT_KNOWN
        return value

    def _from_outside(self, meaning: FromOutside) -> Any:
        name, *rest = meaning.path
        full, short = ".".join(meaning.path), ".".join(rest)
        is_service = meaning.kind == "service"
        for word in (full,) if is_service else (full, short):
            if word in self._outside:
                return self._outside[word]
        if is_service and (not rest or (short in _SERVICE_NAMES)):
            return meaning.service
        if not self._is_complete:
            return _NOT_KNOWN
        if is_service:
            raise DriverError(
                f"the service {name!r} has no value {short!r} (give it with --value {full}=VALUE)"
            )
        value_name = short or name
        raise DriverError(
            f"the environment has no value {value_name!r} (give it with --value {value_name}=VALUE)"
        )

    def _of(self, key: ResourceKey, what: str, path: tuple[str, ...], placeholder: str) -> Any:
        """Return the value of a reference to a resource, as far as it is known."""
        if what == "id":
            return key.id
        if what == "guresid":
            node = self._nodes.get(key)
            return guresid(self.graph.context, key) if node is None else node.guresid
        if what == "outputs":
            return self._output(key, path, placeholder)
        evaluated = self._done.get(key)
        if evaluated is None:
            return _NOT_KNOWN
        is_account = what == "account"
        try:
            data = value_at(evaluated.account if is_account else evaluated.values, path)
        except AbsentKeyError:
            data = _NOT_KNOWN
        if has_unknowns(data):
            return _NOT_KNOWN
        secret_paths = evaluated.secret_account if is_account else evaluated.secret_values
        value = marked(data, below(secret_paths, path))
        is_foreign = any(overlap(foreign, (what, *path)) for foreign in evaluated.foreign)
        return _foreign(value, self._name(key), placeholder) if is_foreign else value

    def _of_selected(self, selection: ResourceSelection, node: GraphNode, placeholder: str) -> Any:
        """Return the values of a selector; not known if more resources may join that it could find."""
        keys = node.selected.get((selection.anchor, selection.steps))
        if keys is None:
            return _NOT_KNOWN
        values = [self._of(key, selection.what, selection.path, placeholder) for key in keys]
        return _NOT_KNOWN if any(isinstance(value, Unknown) for value in values) else values

    def _output(self, key: ResourceKey, path: tuple[str, ...], placeholder: str) -> Any:
        outputs = self._outputs.get(key)
        if outputs is None:
            return _NOT_KNOWN
        try:
            value = marked(value_at(outputs.data, path), below(outputs.secret_paths, path))
        except AbsentKeyError as error:
            raise DriverError(error.sentence(str(key), "output ")) from None
        return value if isinstance(value, Unknown) else _foreign(value, self._name(key), placeholder)

    def _name(self, key: ResourceKey) -> str:
        """Return a resource as text: all that name it share one."""
        node = self._nodes.get(key)
        return str(key) if node is None else node.name


def _foreign(value: Any, resources: str, placeholder: str) -> Any:
    """Return a value with the mark that it comes from outputs of resources, if there are any."""
    return Foreign(value, (ForeignPart(placeholder=placeholder, resource=resources),)) if resources else value
