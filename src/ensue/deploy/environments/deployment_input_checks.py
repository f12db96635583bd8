"""Checks of the inputs of all resources, as far as they are known before anything is provisioned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import DriverError, EnsueError, SecretStoreError
from ensue.deploy.environments.foreseen_outputs import ForeseenOutputs
from ensue.deploy.provisioning.params_checks import late_misfits
from ensue.deploy.provisioning.secret_refs import secret_references
from ensue.deploy.provisioning.wrong_placeholders import place_of_wrong

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.core.contracts.vault import Vault
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import ScopeReturn
    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.graph_values import EvaluatedNode, GraphValues
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.requests import Requests
    from ensue.deploy.provisioning.secret_refs import SecretReference
    from ensue.deploy.provisioning.wanted_secrets import WantedSecret
    from ensue.deploy.provisioning.written import TextPlace
    from ensue.language.collector import Collector


class DeploymentChecks:
    """Checks the inputs of all resources, as far as they are known before anything is provisioned.

    Args:
        built: the graph and its definitions.
        values: evaluates the nodes.
        requests: makes the requests to drivers.
        services: the project.
        kept: the resources of earlier deployments.
    """

    def __init__(
        self,
        built: BuiltGraph,
        values: GraphValues,
        requests: Requests,
        services: DeployingProject,
        kept: Mapping[ResourceKey, ActiveResource],
    ) -> None:
        self._kept = kept
        self._built = built
        self._values = values
        self._requests = requests
        self._services = services
        self._noted: set[tuple[str, str]] = set()

    async def run(self, nodes: Iterable[GraphNode], found: Collector) -> None:
        """Report missing values, unfit params, secrets that cannot be read, and problems that drivers find.

        Args:
            nodes: the resources to be provisioned.
            found: receives the errors.
        """
        evaluated: list[EvaluatedNode] = []
        for node in nodes:
            try:
                evaluated.append(self._values.evaluated(node))
            except EnsueError as error:
                self._note(node, str(error), found, place_of_wrong(node, self._values))
        for one in evaluated:
            found.add(late_misfits(one))
        secrets = await self._secrets(evaluated, found)
        if secrets is not None:
            for one in evaluated:
                self._check(one, secrets, found)
        if not found.errors:
            await self._foresee(evaluated, found)

    async def _foresee(self, nodes: Sequence[EvaluatedNode], found: Collector) -> None:
        """Report outputs that the resources of a first deployment will lack."""
        nothing = NothingRuns(self._services.vault, self._services.masker)
        foreseen = ForeseenOutputs(self._values, self._kept, self._requests, self._services, nothing)
        for node, problem, place in await foreseen.missing(nodes):
            self._note(node, problem, found, place)

    async def _secrets(
        self, nodes: Sequence[EvaluatedNode], found: Collector
    ) -> Mapping[SecretReference, str] | None:
        """Read the secrets that are in secret stores; None if some cannot be read."""
        if not any(one.secret_refs for one in nodes):
            return {}
        from ensue.deploy.provisioning.wanted_secrets import wanted_secrets

        stores = self._services.secret_stores
        wanted: list[WantedSecret] = []
        wrong: list[Diagnostic] = []
        for one in nodes:
            definition = self._built.definitions[one.node.definition]
            more, misshapen = wanted_secrets(definition, one.secret_refs)
            wanted += more
            wrong += misshapen
        wrong += stores.check(wanted)
        if not wrong:
            try:
                known = (one.reference for one in wanted if one.reference.is_known)
                return await stores.read_all(known, wanted)
            except SecretStoreError as error:
                wrong += error.diagnostics
        found.add(dict.fromkeys(wrong))
        return None

    def _check(
        self, evaluated: EvaluatedNode, secrets: Mapping[SecretReference, str], found: Collector
    ) -> None:
        node = evaluated.node
        driver = self._services.drivers.find(node.driver)
        if not driver.has_check:
            return
        if all(one in secrets for one in secret_references(evaluated.secret_refs)):
            evaluated = evaluated.with_secrets(secrets)
        self._services.masker.add_values(*evaluated.secret_texts())
        nothing = NothingRuns(self._services.vault, self._services.masker)
        try:
            problems = driver.check(self._requests.of(evaluated, None, nothing))
        except EnsueError as error:
            problems = [str(error)]
        for problem in problems:
            further = f"; `ensue doc {node.driver}` lists the inputs of its driver"
            self._note(node, problem, found, further=further)

    def _note(
        self,
        node: GraphNode,
        problem: str,
        found: Collector,
        place: TextPlace | None = None,
        *,
        further: str = "",
    ) -> None:
        """Report a problem once for all resources of a definition that have it.

        Args:
            node: the resource.
            problem: the problem.
            found: receives it.
            place: the place of the problem; None: the definition.
            further: the end of the help that names the definition.
        """
        if (node.definition, problem) in self._noted:
            return
        self._noted.add((node.definition, problem))
        found.error(
            "E0827",
            f"{node.key} cannot be provisioned: {self._services.masker.text(problem)}",
            (place or node.places[-1]).span(),
            help="" if place else f"look at the definition {node.definition}{further}",
            related=((node.places[0].span(), "the resource is requested here"),),
        )


class NothingRuns:
    """The `DriverServices` of a driver that only looks at inputs.

    Args:
        vault: the project's keys.
        masker: the project's secrets.
    """

    def __init__(self, vault: Vault, masker: Masker) -> None:
        self.vault = vault
        self.masker = masker

    async def keep(self, cookie: DataMap) -> None:  # noqa: ARG002 -- the contract's signature
        """Refuse to store a cookie."""
        raise DriverError("nothing is stored before the resource is provisioned")

    async def run_state(
        self,
        function: str,
        name: str,  # noqa: ARG002 -- the contract's signature
        arguments: Mapping[str, Data],  # noqa: ARG002 -- the contract's signature
        *,
        target: str = "",  # noqa: ARG002 -- the contract's signature
    ) -> ScopeReturn:
        """Refuse to run a state."""
        raise DriverError(f"{function} does not run before the resource is provisioned")

    async def run_sls(self, mods: Sequence[str], *, target: str = "") -> ScopeReturn:  # noqa: ARG002
        """Refuse to run SLS."""
        raise DriverError(f"{', '.join(mods)} does not run before the resource is provisioned")
