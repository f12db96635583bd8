"""Checks of the inputs of all resources, as far as they are known before anything is provisioned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import EnsueError, SecretStoreError
from ensue.deploy.provisioning.code_inputs import refuse_foreign_code
from ensue.deploy.provisioning.params_checks import late_misfits
from ensue.deploy.provisioning.secret_refs import secret_references
from ensue.deploy.provisioning.wrong_placeholders import place_of_wrong

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.diagnostics import Diagnostic
    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.foreseen_outputs import ForeseenOutputs
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.secret_refs import SecretReference
    from ensue.deploy.provisioning.surroundings import ProvisioningServices
    from ensue.deploy.provisioning.wanted_secrets import WantedSecret
    from ensue.deploy.provisioning.written import TextPlace
    from ensue.language.collector import Collector


class DeploymentChecks:
    """Checks the inputs of all resources, as far as they are known before anything is provisioned.

    Args:
        built: the graph and its definitions.
        values: evaluates the nodes.
        foreseen: finds the outputs that resources will have.
        run_services: the services of the run.
        services: the project.
    """

    def __init__(
        self,
        built: BuiltGraph,
        values: GraphValues,
        foreseen: ForeseenOutputs,
        run_services: ProvisioningServices,
        services: DeployingProject,
    ) -> None:
        self._built = built
        self._values = values
        self._foreseen = foreseen
        self._run_services = run_services
        self._services = services
        self._noted: set[tuple[str, str]] = set()

    async def run(self, nodes: Sequence[GraphNode], collector: Collector) -> None:
        """Report missing values, unfit params, secrets that cannot be read, and problems that drivers find.

        Args:
            nodes: the resources to be provisioned, in their order.
            collector: receives the errors.
        """
        used = {key for node in nodes for key in node.depends_on}
        waiting: list[EvaluatedNode] = []
        for node in nodes:
            try:
                evaluated = self._values.evaluated(node)
            except EnsueError as error:
                self._note(node, str(error), collector, place_of_wrong(node, self._values))
                continue
            misfits = late_misfits(evaluated)
            collector.add(misfits)
            if evaluated.secret_refs:
                waiting.append(evaluated)
            elif not self._is_fit(evaluated, collector):
                continue
            if node.key in used and not misfits:
                await self._foreseen.foresee(evaluated)
        await self._check_with_secrets(waiting, collector)

    async def _check_with_secrets(self, nodes: Sequence[EvaluatedNode], collector: Collector) -> None:
        """Check the inputs of resources with secrets from secret stores."""
        secrets = await self._secrets(nodes, collector) if nodes else None
        if secrets is None:
            return
        for evaluated in nodes:
            is_read = all(
                secret_reference in secrets for secret_reference in secret_references(evaluated.secret_refs)
            )
            self._is_fit(evaluated.with_secrets(secrets) if is_read else evaluated, collector)

    async def _secrets(
        self, nodes: Sequence[EvaluatedNode], collector: Collector
    ) -> Mapping[SecretReference, str] | None:
        """Read the secrets that are in secret stores; None if some cannot be read."""
        from ensue.deploy.provisioning.wanted_secrets import wanted_secrets

        stores = self._services.secret_stores
        secrets: list[WantedSecret] = []
        wrong: list[Diagnostic] = []
        for node in nodes:
            definition = self._built.definitions[node.node.definition]
            more, misshapen = wanted_secrets(definition, node.secret_refs)
            secrets += more
            wrong += misshapen
        wrong += stores.check(secrets)
        if not wrong:
            try:
                known = (secret.reference for secret in secrets if secret.reference.is_known)
                return await stores.read_all(known, secrets)
            except SecretStoreError as error:
                wrong += error.diagnostics
        collector.add(dict.fromkeys(wrong))
        return None

    def _is_fit(self, evaluated: EvaluatedNode, collector: Collector) -> bool:
        """Report what a driver finds wrong with the inputs of a resource; return whether that is nothing."""
        node = evaluated.node
        driver = self._services.drivers.find(node.driver)
        if not (driver.has_check or (evaluated.foreign and driver.code)):
            return True
        self._services.masker.add_values(*evaluated.secret_texts())
        request = self._run_services.requests.of(evaluated, None, self._run_services.idle)
        try:
            refuse_foreign_code(request, driver.code, may_insert=driver.inserts_as_data)
            problems = driver.check(request)
        except EnsueError as error:
            problems = [str(error)]
        for problem in problems:
            further = f"; `ensue doc {node.driver}` lists the inputs of its driver"
            self._note(node, problem, collector, further=further)
        return not problems

    def _note(
        self,
        node: GraphNode,
        problem: str,
        collector: Collector,
        place: TextPlace | None = None,
        *,
        further: str = "",
    ) -> None:
        """Report a problem once for all resources of a definition that have it.

        Args:
            node: the resource.
            problem: the problem.
            collector: receives it.
            place: the place of the problem; None: the inputs of the definition.
            further: the end of the help that names the definition.
        """
        if (node.definition, problem) in self._noted:
            return
        self._noted.add((node.definition, problem))
        inputs = node.inputs.values
        at = place or (inputs.place if inputs.source else node.places[-1])
        collector.error(
            "E0827",
            f"{node.key} cannot be provisioned: {self._services.masker.text(problem)}",
            at.span(),
            help="" if place else f"look at the definition {node.definition}{further}",
            related=((node.places[0].span(), "the resource is requested here"),),
        )
