"""Outputs of a first deployment, as far as they are known before anything is provisioned.

Known are the names of the outputs that a driver declares (`OUTPUTS`), and the outputs of drivers that are
pure, whose `create` may be called at any time, or whose `plan` may. What a pure driver returns is not only
foreseen: its resource is provisioned with it, so that the driver is called once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import EnsueError
from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.evaluated_node import Outputs
from ensue.deploy.provisioning.made_outputs import outputs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.driver import Provisioned
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.surroundings import ProvisioningDriver, ProvisioningServices


class ForeseenOutputs:
    """Finds the outputs of resources before they are provisioned.

    Args:
        values: evaluates the nodes; what is foreseen is noted there.
        kept: the resources of earlier deployments; nothing is foreseen of them.
        run_services: the services of the run.
    """

    def __init__(
        self,
        values: GraphValues,
        kept: Mapping[ResourceKey, ActiveResource],
        run_services: ProvisioningServices,
    ) -> None:
        self._values = values
        self._kept = kept
        self._run_services = run_services
        self._made: dict[ResourceKey, tuple[EvaluatedNode, Provisioned]] = {}

    async def foresee(self, evaluated: EvaluatedNode) -> None:
        """Note the outputs that a resource will have, as far as they are known.

        Args:
            evaluated: the resource, evaluated with what is foreseen of those that it depends on; its inputs
                have been checked.
        """
        key = evaluated.node.key
        if key in self._kept:
            return
        driver = self._run_services.driver(evaluated.node.driver)
        if driver.outputs:
            names = Outputs(data={name: Unknown("") for name in driver.outputs})
            self._values.note_outputs(key, names, is_final=False)
        elif (driver.is_pure or driver.plan_is_pure) and evaluated.is_known and not evaluated.secret_refs:
            await self._ask(evaluated, driver)

    def take(self, evaluated: EvaluatedNode) -> Provisioned | None:
        """Return what the pure driver of a resource has returned for these inputs; None: it was not called.

        Args:
            evaluated: the resource; the inputs are the same if it is the same object.
        """
        asked, made = self._made.pop(evaluated.node.key, (None, None))
        return made if asked is evaluated else None

    async def _ask(self, evaluated: EvaluatedNode, driver: ProvisioningDriver) -> None:
        node = evaluated.node
        self._run_services.learn(evaluated.secret_texts())
        request = self._run_services.requests.of(evaluated, None, self._run_services.idle)
        try:
            made = await driver.create(request) if driver.is_pure else (await driver.plan(request)).outputs
            outputs = None if made is None else outputs_of(evaluated, made, self._run_services)
        except EnsueError:
            return  # The state of the resource reports it.
        if made is None or outputs is None:
            return
        # With inputs that are only foreseen, other resources read its inputs again when they are known.
        self._values.note_outputs(node.key, outputs, is_final=driver.is_pure and evaluated.is_final)
        if driver.is_pure:
            self._made[node.key] = (evaluated, made)
