"""Outputs that a first deployment will lack, found before anything is provisioned.

Known are the outputs that a driver declares (`OUTPUTS`), and those of drivers that are pure, whose `create`
may be called at any time, or whose `plan` may. What such a call gives is used for this check alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import EnsueError
from ensue.core.model.merged import merged
from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.graph_values import Outputs
from ensue.deploy.provisioning.sensitive import leaf_paths, texts_in
from ensue.deploy.provisioning.wrong_placeholders import place_of_wrong

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.contracts.driver import DriverServices
    from ensue.deploy.drivers.loading import LoadedDriver
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.graph_values import EvaluatedNode, GraphValues
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.requests import Requests
    from ensue.deploy.provisioning.written import TextPlace


class ForeseenOutputs:
    """Evaluates resources with the outputs that those before them will have.

    Args:
        values: evaluates the nodes; it does not change.
        kept: the resources of earlier deployments, whose outputs are known.
        requests: makes the requests to drivers.
        services: the project.
        driver_services: what a driver may use.
    """

    def __init__(
        self,
        values: GraphValues,
        kept: Mapping[ResourceKey, ActiveResource],
        requests: Requests,
        services: DeployingProject,
        driver_services: DriverServices,
    ) -> None:
        self._values = values.copy()
        self._kept = kept
        self._requests = requests
        self._services = services
        self._driver_services = driver_services
        self._foreseen: set[ResourceKey] = set()

    async def missing(self, nodes: Iterable[EvaluatedNode]) -> list[tuple[GraphNode, str, TextPlace | None]]:
        """Return the resources that use an output which another one will not have: what is wrong, and where.

        Args:
            nodes: the resources to be provisioned, in their order, as they are evaluated without foresight.
        """
        every = list(nodes)
        read = {key for one in every for key in one.node.depends_on}
        wrong: list[tuple[GraphNode, str, TextPlace | None]] = []
        for one in every:
            node = one.node
            is_as_before = self._foreseen.isdisjoint(node.depends_on)
            try:
                evaluated = one if is_as_before else self._values.evaluated(node)
            except EnsueError as error:
                wrong.append((node, str(error), place_of_wrong(node, self._values)))
                continue
            if node.key in read and node.key not in self._kept:
                await self._foresee(evaluated)
        return wrong

    async def _foresee(self, evaluated: EvaluatedNode) -> None:
        """Note the outputs that a resource will have, as far as they are known."""
        driver = self._services.drivers.find(evaluated.node.driver)
        if driver.outputs:
            self._note(
                evaluated, Outputs(data={name: Unknown("") for name in driver.outputs}, secret_paths=())
            )
        elif (driver.is_pure or driver.plan_is_pure) and evaluated.is_known and not evaluated.secret_refs:
            await self._ask(evaluated, driver)

    async def _ask(self, evaluated: EvaluatedNode, driver: LoadedDriver) -> None:
        request = self._requests.of(evaluated, None, self._driver_services)
        try:
            made = await driver.create(request) if driver.is_pure else (await driver.plan(request)).outputs
        except EnsueError:
            return  # The state of the resource reports it.
        if made is None:
            return
        self._services.masker.add_values(*texts_in(made.secrets))
        data = merged(made.values, made.secrets) if made.secrets else made.values
        self._note(evaluated, Outputs(data=data, secret_paths=tuple(leaf_paths(made.secrets))))

    def _note(self, evaluated: EvaluatedNode, outputs: Outputs) -> None:
        self._foreseen.add(evaluated.node.key)
        self._values.note_outputs(evaluated.node.key, outputs)
