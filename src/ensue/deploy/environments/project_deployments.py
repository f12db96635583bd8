"""`ctx.deployments`: deployments as growth under a state, and the resources of one as its states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import LockHeldError, StateFailedError
from ensue.deploy.environments.deployment_run import DeploymentRun
from ensue.deploy.provisioning.outcomes import summed_up
from ensue.engine.plans.asked_growth import AskedGrowth

if TYPE_CHECKING:
    from ensue.core.contracts.deployment import Deployed, DeploymentOrder
    from ensue.core.model.returns import StateReturn
    from ensue.deploy.environments.deploying_call import DeployingCall
    from ensue.deploy.environments.deploying_project import DeployingProject


class ProjectDeployments:
    """The `Deployments` of one state.

    Args:
        services: the project.
        context: the call of the state.
        wait_s: how long to wait for another deployment of the environment; None: without limit.
    """

    def __init__(self, services: DeployingProject, context: DeployingCall, wait_s: float | None) -> None:
        self._services = services
        self._context = context
        self._wait_s = wait_s

    async def deploy(self, order: DeploymentOrder) -> Deployed:
        """Build a resource graph and provision it as growth under the state.

        Raises:
            StateFailedError: it cannot be built, was not finished, or another deployment of the environment
                is running.
            StoreError: the outcome cannot be stored.
        """
        services = self._services
        run = DeploymentRun(
            services,
            services.deployments(order.definitions),
            order,
            is_test=self._context.test,
            fails_if_refused=True,
        )
        if self._context.test:
            return await self._deployed(run)
        try:
            async with services.active.locked(
                run.context, services.settings.cachedir, "deploy", self._wait_s
            ):
                return await self._deployed(run)
        except LockHeldError as error:
            raise StateFailedError(str(error)) from None

    async def _deployed(self, run: DeploymentRun) -> Deployed:
        asked = AskedGrowth(self._context.srn, (run.order.environment,), run)
        scope_return = await self._context.grow(asked)
        if scope_return.status == "failed" and not scope_return.returns:
            raise StateFailedError(scope_return.comment)
        nodes = await run.end()
        if self._context.test:
            if refused := [update.diagnostic.message for update in run.states.refused]:
                raise StateFailedError("\n".join(refused))
            return summed_up(nodes)
        rendered = await run.rendered(nodes)
        done = summed_up(nodes, tuple(map(str, rendered.paths)))
        return msgspec.structs.replace(
            done, warnings=tuple(diagnostic.message for diagnostic in rendered.warnings)
        )

    async def provision(self, resource: str) -> StateReturn:
        """Provision one resource of the deployment that the state belongs to."""
        return await self._run.states.provision(self._context, resource)

    async def expand(self, name: str) -> StateReturn:
        """Provision the resources of a list of the deployment that the state belongs to."""
        return await self._run.states.expand(self._context, name)

    async def clear(self, resource: str) -> StateReturn:
        """Destroy what was made for a resource before it was replaced."""
        return await self._run.states.clear(self._context, resource)

    async def remove(self, resource: str) -> StateReturn:
        """Remove one resource of the environment that the state belongs to."""
        return await self._run.states.remove(self._context, resource)

    @property
    def _run(self) -> DeploymentRun:
        run = self._context.plan.deployment
        if not isinstance(run, DeploymentRun):
            raise StateFailedError("only graph.deployed and `ensue deploy` call this function")
        return run
