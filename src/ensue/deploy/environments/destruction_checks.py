"""What a deployment may not destroy: what is protected, replaced unasked, or of another resource.

What has one owner is not made by two resources either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensue.deploy.environments.deployment_checks import (
    refuse_protected,
    refuse_replacements,
    refuse_retained,
)
from ensue.deploy.provisioning.records import records_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ensue.deploy.environments.refusals import Refusals
    from ensue.deploy.environments.shared_objects import SharedLoss, SharedObjects
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.provisioner import Provisioner
    from ensue.deploy.provisioning.requests import Requests
    from ensue.language.collector import Collector


@dataclass(frozen=True, slots=True, kw_only=True)
class DestructionChecks:
    """Refuses what a deployment would destroy although that is not allowed.

    Args:
        provisioner: knows what is replaced.
        requests: know what is protected, and what may be replaced.
        refusals: what the deployment is refused for.
        shared: compares what resources have made.
        replace: the resources that are made anew, by name.
    """

    provisioner: Provisioner
    requests: Requests
    refusals: Refusals
    shared: SharedObjects
    replace: Collection[str]

    async def refuse(
        self,
        everything: Sequence[GraphNode],
        nodes: Sequence[GraphNode],
        removed: Sequence[ActiveResource],
        collector: Collector,
    ) -> None:
        """Refuse to destroy what is protected, retained, or may not be replaced, and to make a thing twice.

        Args:
            everything: all resources of the graph.
            nodes: those to be provisioned.
            removed: the records of what is removed.
            collector: receives the errors, or the warnings of a plan.

        Raises:
            CompileError: something is protected or retained, or two resources would have it.
            DriverError: a driver raises an error of its own.
            ReplacementError: a replacement is not allowed.
            StoreError: the records of other environments cannot be read.
        """
        provisioner = self.provisioner
        anew = (provisioner.kept.get(node.key) for node in nodes if node.name in self.replace)
        refuse_retained(filter(None, anew), collector)
        gone = [*removed, *filter(None, map(provisioner.replaces, nodes))]
        protected = filter(self.requests.is_protected, filter(provisioner.removals.may_be_made, gone))
        protected_by = self.requests.protected_by
        refuse_protected(protected, protected_by, provisioner.removals.stays, self.refusals.into(collector))
        report = self.refusals.into(collector)
        for double in await self.shared.duplicates(everything, nodes):
            report("E0908", double.words, double.node.places[0].span(), help=double.remedies)
        collector.stop_on_errors()
        may_replace = self.requests.may_replace
        refuse_replacements(nodes, provisioner, may_replace, self.refusals, collector)

    async def refuse_all(
        self,
        everything: Sequence[GraphNode],
        nodes: Sequence[GraphNode],
        removed: Sequence[ActiveResource],
        collector: Collector,
    ) -> None:
        """Refuse what would be destroyed although that is not allowed, or that another resource has.

        Args:
            everything: all resources of the graph.
            nodes: those to be provisioned.
            removed: the records of what is removed.
            collector: receives the errors, or the warnings of a plan.

        Raises:
            CompileError: something is protected or retained, or another resource has it.
            DriverError: a driver raises an error of its own.
            ReplacementError: a replacement is not allowed.
            StoreError: the records of other environments cannot be read.
        """
        await self._refuse_shared(everything, nodes, removed, collector)
        await self.refuse(everything, nodes, removed, collector)

    def awaited(
        self, nodes: Iterable[GraphNode], removed: Iterable[ActiveResource]
    ) -> dict[ResourceKey, list[ResourceKey]]:
        """Return which resources a removal waits for: only they tell whether they need what it destroys.

        Args:
            nodes: the resources to be provisioned.
            removed: the records of what is removed.

        Raises:
            DriverError: a driver raises an error of its own.
        """
        destroying = [record.key for record in removed if self.shared.destroyed(record)]
        late = self.shared.undetermined(nodes) if destroying else []
        return dict.fromkeys(destroying, late) if late else {}

    async def _refuse_shared(
        self,
        everything: Sequence[GraphNode],
        nodes: Sequence[GraphNode],
        removed: Sequence[ActiveResource],
        collector: Collector,
    ) -> None:
        """Report what would be destroyed of another resource; `refuse` stops at it."""
        losses: list[SharedLoss] = []
        kept = self.provisioner.kept
        gone = [removal for record in removed for removal in records_of(record)]
        replaced = {node.name: self.provisioner.destroyed_for(node) for node in nodes}
        first = [node for node in nodes if replaced[node.name] and self.provisioner.is_destroyed_first(node)]
        for node in first:
            # It may be made of the very thing that is destroyed before.
            others = [each for each in everything if each is not node]
            losses += await self.shared.losses(replaced.pop(node.name), others, kept)
        gone += [record for records in replaced.values() for record in records]
        losses += await self.shared.losses(gone, everything, kept)
        report = self.refusals.into(collector)
        for loss in losses:
            report("E0907", loss.words, None, help=loss.remedies)
