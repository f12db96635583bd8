"""Expand entries with `for_each` while the graph is built: known lists at once, others when they are given.

A list is known before the run if it is made of what authors wrote and of the context. A list that is an
output is given by the run that has provisioned its source; then the graph is built again with its items, as
if the entries had been written out.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.errors import ExpansionError
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.provisioning.early_values import early_values, resource_context
from ensue.deploy.provisioning.evaluation import evaluate
from ensue.deploy.provisioning.for_each import ids_of, items_of, with_item
from ensue.deploy.provisioning.identity import ResourceKey
from ensue.deploy.provisioning.nodes import ListName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.errors import EnsueError
    from ensue.deploy.provisioning.definitions import Provision
    from ensue.deploy.provisioning.for_each import ForEach, Item
    from ensue.deploy.provisioning.identity import Context
    from ensue.deploy.provisioning.written import TemplatedData
    from ensue.language.collector import Collector

NO_ORGANIZATION: Final = "it uses ${context.org.id}, and no organization is given (--org)"
NO_ITEMS: Mapping[ListName, Sequence[Item]] = MappingProxyType({})
"""No list is known that is an output."""


class Expanded(NamedTuple):
    """A resource of an entry.

    Args:
        key: the resource.
        params: its parameters; None: none are set.
        foreign_id: the resources whose outputs its id has parts of, for messages; empty: none.
    """

    key: ResourceKey
    params: TemplatedData | None
    foreign_id: str = ""


class Expansion:
    """Expands the entries of one graph.

    Args:
        context: the environment.
        collector: receives the errors.
        given: the items of lists that are outputs, as far as they are known.
    """

    def __init__(
        self, context: Context, collector: Collector, given: Mapping[ListName, Sequence[Item]]
    ) -> None:
        self._context = context
        self._collector = collector
        self._given = given

    def of(self, owner: ResourceKey, provision: Provision, for_each: ForEach) -> list[Expanded] | None:
        """Return the resources of an entry; None: its list is not known yet.

        Args:
            owner: the resource whose definition has the entry.
            provision: the entry.
            for_each: its list.
        """
        name = ListName(owner, for_each.entry)
        try:
            items = self._given.get(name)
            if items is None:
                items = self._known(owner, for_each)
            return None if items is None else self._expanded(name, provision, for_each, items)
        except ExpansionError as error:
            refuse_list(name, for_each, error, self._collector)
            return []

    def is_given(self, name: ListName) -> bool:
        """Return whether a list is an output whose items are known."""
        return name in self._given

    def context_of(self, owner: ResourceKey) -> dict[str, str]:
        """Return the fields of the context of a resource."""
        return resource_context(owner, self._context)

    def _known(self, owner: ResourceKey, for_each: ForEach) -> Sequence[Item] | None:
        value = evaluate(for_each.value.data, early_values(owner, self._context))
        if not unknowns_in(value):
            return items_of(value)
        if not for_each.value.mentions.references:
            raise ExpansionError(NO_ORGANIZATION)
        return None

    def _expanded(
        self, name: ListName, provision: Provision, for_each: ForEach, items: Sequence[Item]
    ) -> list[Expanded]:
        head = provision.target.resolved(name.owner)
        ids = ids_of(for_each, items, self.context_of(name.owner))
        params = provision.params
        return [
            Expanded(
                ResourceKey(head.type, head.class_, id_),
                None if params is None else with_item(params, item, str(name)),
                item.resources,
            )
            for item, id_ in zip(items, ids, strict=True)
        ]


def refuse_list(name: ListName, for_each: ForEach, error: EnsueError, collector: Collector) -> None:
    """Report a list that cannot be expanded.

    Args:
        name: the list.
        for_each: its value, with its place.
        error: why.
        collector: receives the error.
    """
    is_value = isinstance(error, ExpansionError)
    collector.error(
        "E0861",
        f"the list for {name.entry} of {name.owner} cannot be expanded",
        for_each.value.place.span(),
        detail=str(error),
        help="give it a list of different words, or a mapping from such words" if is_value else "",
    )
