"""Checks of a graph before provisioning, as far as they need no call of a driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.diagnostics import Diagnostic
from ensue.errors import DriverError, EnsueError, ReplacementError, SecretStoreError
from ensue.language.collector import near_names
from ensue.model.data import is_encodable
from ensue.provisioning.records import words_of
from ensue.provisioning.secret_refs import secret_references

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.app.deployments import BuiltGraph
    from ensue.app.services import Services
    from ensue.contracts.vault import Vault
    from ensue.diagnostics import Span
    from ensue.drivers.loading import Drivers
    from ensue.language.collector import Collector
    from ensue.masking import Masker
    from ensue.model.data import Data, DataMap
    from ensue.model.returns import ScopeReturn
    from ensue.provisioning.active import ActiveResource
    from ensue.provisioning.graph_values import EvaluatedNode, GraphValues
    from ensue.provisioning.identity import Context, Key
    from ensue.provisioning.nodes import Node
    from ensue.provisioning.requests import Requests
    from ensue.provisioning.secret_refs import SecretReference
    from ensue.secret_stores.secret_stores import WantedSecret


def refuse_missing_drivers(
    nodes: Iterable[Node], deleted: Iterable[ActiveResource], drivers: Drivers, found: Collector
) -> None:
    """Report the drivers that are needed and not installed, each with a definition that names it.

    Args:
        nodes: the resources to be provisioned.
        deleted: what drivers are to delete: resources to be removed, or to be made by another driver.
        drivers: all drivers.
        found: receives an error per missing driver.
    """
    missing: dict[str, dict[str, Node | None]] = {}
    for node in nodes:
        if not drivers.has(node.driver):
            missing.setdefault(node.driver, {}).setdefault(node.definition, node)
    for one in deleted:
        if not drivers.has(one.driver):
            missing.setdefault(one.driver, {}).setdefault(one.definition, None)
    for driver, definitions in sorted(missing.items()):
        places = [node.places[-1].span() for node in definitions.values() if node is not None]
        found.error(
            "E0826",
            f"the driver {driver!r} is not installed",
            places[0] if places else None,
            detail=f"needed by {', '.join(sorted(definitions))}",
            help="install it, put it into _drivers/ of a file root, or use another driver",
            related=tuple((place, "needed here too") for place in places[1:]),
        )


def refuse_another_type(
    context: Context, kept: Iterable[ActiveResource], known: Iterable[str], found: Collector
) -> None:
    """Report an environment that has another type than the one that it is deployed with.

    Args:
        context: the environment as it is deployed.
        kept: its records; each has the type that the environment had then.
        known: the types that definitions name.
        found: receives the error.
    """
    types = {one.env_type for one in kept if one.env_type}
    if not types or context.env_type in types:
        return
    others = near_names(context.env_type, {*types, *known})
    found.error(
        "E0850",
        f"the environment {context.environment} is of type {' or '.join(sorted(types))}, "
        f"not {context.env_type!r}",
        None,
        detail="another type may match other definitions, which replace what is there",
        help=f"{others or f'give --env-type {min(types)}'}; --change-env-type changes the type",
    )


def refuse_replacements(
    nodes: Iterable[Node],
    replaces: Callable[[Node], ActiveResource | None],
    is_allowed: Callable[[Key], bool],
    warnings: Iterable[Diagnostic],
) -> None:
    """Refuse a deployment that would destroy what drivers have made, where nobody has allowed that.

    Args:
        nodes: the resources of the graph.
        replaces: returns the record of what would be destroyed; None: nothing.
        is_allowed: whether a resource may be replaced.
        warnings: what has been found before.

    Raises:
        ReplacementError: a replacement is not allowed; the error has all of them.
    """
    refused = [(node, old) for node in nodes if (old := replaces(node)) and not is_allowed(node.key)]
    if not refused:
        return
    errors = [
        Diagnostic(
            code="E0849",
            summary=f"{node.key} would be replaced: {words_of(old, node)}",
            span=node.places[-1].span(),
            detail=f"what the driver {old.driver} made would be destroyed",
            help=f"if that is meant, allow it: --allow-replace={node.key}",
        )
        for node, old in refused
    ]
    raise ReplacementError([*errors, *warnings], tuple(str(node.key) for node, _ in refused))


def refuse_unstorable(context: Context, nodes: Iterable[Node], found: Collector) -> None:
    """Report names that a store cannot hold: a record could be written, but never be found again.

    Args:
        context: the environment.
        nodes: the resources to be provisioned.
        found: receives the errors.
    """
    for word, name in (
        ("application", context.app),
        ("environment", context.env),
        ("organization", context.org),
    ):
        if not _is_storable(name):
            _refuse_name(f"the name of the {word}", name, None, found)
    for node in nodes:
        if not _is_storable(str(node.key)):
            _refuse_name("the name of the resource", str(node.key), node.places[0].span(), found)
        if not _is_storable(node.definition):
            _refuse_name("the id of the definition", node.definition, node.places[-1].span(), found)


def _is_storable(name: str) -> bool:
    return "\0" not in name and is_encodable(name)


def _refuse_name(what: str, name: str, place: Span | None, found: Collector) -> None:
    found.error(
        "E0840",
        f"{what} cannot be stored: {name!r}",
        place,
        detail="it has a NUL, or half of a character",
        help="give it another name",
    )


class DeploymentChecks:
    """Checks the inputs of all resources, as far as they are known before anything is provisioned.

    Args:
        built: the graph and its definitions.
        values: evaluates the nodes.
        requests: makes the requests to drivers.
        services: the project.
    """

    def __init__(
        self, built: BuiltGraph, values: GraphValues, requests: Requests, services: Services
    ) -> None:
        self._built = built
        self._values = values
        self._requests = requests
        self._services = services
        self._noted: set[tuple[str, str]] = set()

    async def run(self, found: Collector) -> None:
        """Report missing values, secrets that cannot be read, and problems that drivers find."""
        evaluated: list[EvaluatedNode] = []
        for node in self._built.graph.nodes:
            try:
                evaluated.append(self._values.evaluated(node))
            except EnsueError as error:
                self._note(node, str(error), found)
        secrets = await self._secrets(evaluated, found)
        if secrets is not None:
            for one in evaluated:
                self._check(one, secrets, found)

    async def _secrets(
        self, nodes: Sequence[EvaluatedNode], found: Collector
    ) -> Mapping[SecretReference, str] | None:
        """Read the secrets that are in secret stores; None if some cannot be read."""
        if not any(one.secret_refs for one in nodes):
            return {}
        from ensue.secret_stores.secret_stores import wanted_secrets

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
        nothing = _NothingRuns(self._services.vault, self._services.masker)
        try:
            problems = driver.check(self._requests.of(evaluated, None, nothing))
        except EnsueError as error:
            problems = [str(error)]
        for problem in problems:
            self._note(node, problem, found)

    def _note(self, node: Node, problem: str, found: Collector) -> None:
        """Report a problem once for all resources of a definition that have it."""
        if (node.definition, problem) in self._noted:
            return
        self._noted.add((node.definition, problem))
        found.error(
            "E0827",
            f"{node.key} cannot be provisioned: {self._services.masker.text(problem)}",
            node.places[-1].span(),
            help=f"look at the definition {node.definition}",
            related=((node.places[0].span(), "the resource is requested here"),),
        )


class _NothingRuns:
    """The `DriverServices` of a check, which only checks inputs."""

    def __init__(self, vault: Vault, masker: Masker) -> None:
        self.vault = vault
        self.masker = masker

    async def keep(self, cookie: DataMap) -> None:  # noqa: ARG002 -- the contract's signature
        raise DriverError("a check stores nothing")

    async def run_state(
        self,
        function: str,
        name: str,  # noqa: ARG002 -- the contract's signature
        arguments: Mapping[str, Data],  # noqa: ARG002 -- the contract's signature
        *,
        target: str = "",  # noqa: ARG002 -- the contract's signature
    ) -> ScopeReturn:
        raise DriverError(f"a check does not run {function}")

    async def run_sls(self, mods: Sequence[str], *, target: str = "") -> ScopeReturn:  # noqa: ARG002
        raise DriverError(f"a check does not run {', '.join(mods)}")
