"""Deployments in memory, for functions of the state module `graph`: every graph has one workload."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ensue.core.contracts.deployment import Deployed
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.deployment import DeploymentOrder

_RESOURCE = "workload.default#modules.web"


@dataclass(slots=True)
class FakeDeployments:
    """A `Deployments` whose every deployment has the workload `web` and nothing else.

    Args:
        test: whether nothing may be changed.
        active: the environments in which it is deployed.
        orders: the requested deployments, in order.
    """

    test: bool = False
    active: set[str] = field(default_factory=set[str])
    orders: list[DeploymentOrder] = field(default_factory=list["DeploymentOrder"])

    async def deploy(self, order: DeploymentOrder) -> Deployed:
        """Record the order; afterwards the workload is deployed, or removed."""
        self.orders.append(order)
        is_there = order.environment in self.active
        status = "unchanged"
        if is_there is order.destroy:
            status = "planned" if self.test else "destroyed" if order.destroy else "created"
        if not self.test:
            (self.active.discard if order.destroy else self.active.add)(order.environment)
        return Deployed(
            statuses={} if order.destroy and not is_there else {status: 1},
            changes={} if status == "unchanged" else {status: [_RESOURCE]},
            workloads={} if order.destroy else {"web": {"outputs": {"url": "http://web"}}},
            shared={},
            sensitive=(),
            failures=(),
            orphans=(),
        )

    async def provision(self, resource: str) -> StateReturn:
        """Report that a resource is unchanged."""
        return StateReturn(name=resource, result=True, comment="unchanged")

    async def expand(self, name: str) -> StateReturn:
        """Report that the resources of a list were provisioned."""
        return StateReturn(name=name, result=True, comment="0 items")

    async def clear(self, resource: str) -> StateReturn:
        """Report that what was made for a resource before was destroyed."""
        return StateReturn(name=resource, result=True, comment="what was made before was destroyed")

    async def remove(self, resource: str) -> StateReturn:
        """Report that a resource was removed."""
        return StateReturn(name=resource, result=True, comment=f"{resource} was destroyed")
