"""What a deployment is refused or warned for before anything runs: names, types, replacements, protection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.contracts.deployment import ANY_RESOURCE
from ensue.core.contracts.driver import lifts_protection
from ensue.core.errors import ReplacementError
from ensue.core.model.data import is_encodable
from ensue.deploy.provisioning.part import is_joining
from ensue.deploy.provisioning.records import words_of
from ensue.language.collector import Collector, near_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.core.diagnostics import Span
    from ensue.deploy.drivers.loading import Drivers
    from ensue.deploy.environments.refusals import Refusals
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.environment_sets import Names
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint
    from ensue.deploy.provisioning.provisioner import Provisioner
    from ensue.deploy.provisioning.written import TextPlace


def refuse_missing_drivers(
    nodes: Iterable[GraphNode], deleted: Iterable[ActiveResource], drivers: Drivers, collector: Collector
) -> None:
    """Report the drivers that are needed and not installed, each with a definition that names it.

    Args:
        nodes: the resources to be provisioned.
        deleted: what drivers are to delete: resources to be removed, or to be made by another driver.
        drivers: all drivers.
        collector: receives an error per missing driver.
    """
    needed: dict[tuple[str, str], GraphNode | None] = {}
    for node in nodes:
        needed.setdefault((node.driver, node.definition), node)
    for record in deleted:
        needed.setdefault((record.driver, record.definition), None)
    missing: dict[str, dict[str, GraphNode | None]] = {}
    for (driver, definition), first in needed.items():
        if not drivers.has(driver):
            missing.setdefault(driver, {})[definition] = first
    for driver, definitions in sorted(missing.items()):
        places = [_driver_of(node).span() for node in definitions.values() if node is not None]
        collector.error(
            "E0826",
            f"the driver {driver!r} is not installed",
            places[0] if places else None,
            detail=f"needed by {', '.join(sorted(definitions))}",
            help=drivers.near(driver)
            or "install it, put it into _drivers/ of a file root, or use another driver",
            related=tuple((place, "needed here too") for place in places[1:]),
        )


def with_drivers(
    nodes: Sequence[GraphNode], kept: Mapping[ResourceKey, ActiveResource], drivers: Drivers
) -> Sequence[GraphNode]:
    """Return the resources whose drivers are installed: those that provision them, and that have done so."""
    return [
        node
        for node in nodes
        if drivers.has(node.driver) and (node.key not in kept or drivers.has(kept[node.key].driver))
    ]


def _driver_of(node: GraphNode) -> TextPlace:
    """Return the place of the driver in the definition of a resource."""
    definition = node.places[-1]
    return definition._replace(keys=(*definition.keys[:-1], "driver_type"))


def refuse_another_type(
    context: Context, kept: Iterable[ActiveResource], known: Iterable[str], collector: Collector
) -> None:
    """Report an environment that has another type than the one that it is deployed with.

    Args:
        context: the environment as it is deployed.
        kept: its records; each has the type that the environment had then.
        known: the types that definitions name.
        collector: receives the error.
    """
    types = {record.env_type for record in kept if record.env_type}
    if not types or context.env_type in types:
        return
    others = near_names(context.env_type, {*types, *known})
    collector.error(
        "E0850",
        f"the environment {context.environment} is of type {' or '.join(sorted(types))}, "
        f"not {context.env_type!r}",
        None,
        detail="another type may match other definitions, which replace what is there",
        help=f"{others or f'give --env-type {min(types)}'}; --change-env-type changes the type",
    )


def notice_other_organization(context: Context, there: Sequence[str], collector: Collector) -> None:
    """Warn if a store has an environment only for other organizations.

    Args:
        context: the environment as it is deployed, of which the store has nothing.
        there: the organizations that have it; empty ones mean none.
        collector: receives the warning.
    """
    if there:
        own = f"of the organization {context.org!r}" if context.org else "without an organization"
        others = ", ".join(
            repr(organization) if organization else "no organization" for organization in there
        )
        collector.warning(
            "E0838",
            f"the store has nothing of {context.app}/{context.env} {own}, but of {others}",
            None,
            help="where that is the one that is meant, "
            + (f"give --org {there[0]}" if there[0] else "leave out --org"),
        )


def refuse_unknown_resources(
    words: Mapping[str, Iterable[str]], known: Iterable[str], collector: Collector
) -> None:
    """Report the names of resources on the command line that the deployment does not have.

    Args:
        words: the names by the option that they are given to; `*` names all.
        known: the resources of the deployment and of its environment, `TYPE.CLASS#ID` each.
        collector: receives an error per name.
    """
    names = {*known, ANY_RESOURCE}
    for option, given in words.items():
        for name in given:
            if name not in names:
                collector.error(
                    "E0858",
                    f"{option}: the deployment has no resource {name!r}",
                    None,
                    detail="the option would have no effect",
                    help=resources_meant(name, sorted(names))
                    or "give a resource as `ensue deploy --plan` prints it",
                )


def resources_meant(name: str, names: Sequence[str]) -> str:
    """Return `did you mean …?` with the resources whose type or end of the id a name is, or similar ones.

    Args:
        name: what is written.
        names: the resources, `TYPE.CLASS#ID` each.
    """
    ids = [
        known for known in names if known.endswith((f".{name}", f"#{name}")) or known.startswith(f"{name}.")
    ]
    return f"did you mean {' or '.join(ids[:3])}?" if ids else near_names(name, names)


def refuse_unknown_words(
    order: DeploymentOrder,
    nodes: Iterable[str],
    kept: Iterable[ResourceKey],
    points: Sequence[GrowthPoint],
    collector: Collector,
) -> None:
    """Report names of resources in a deployment's options that it does not have.

    Args:
        order: the deployment.
        nodes: the resources of the graph, `TYPE.CLASS#ID` each.
        kept: those that have a record.
        points: lists for which further ones may join the graph.
        collector: receives an error per name.
    """
    needed = {"--replace": order.replace, "--only": order.only}
    others = {
        "--adopt": order.adopt,
        "--allow-replace": order.allow_replace,
        "--rotate": order.rotate,
        "--unprotect": order.unprotect,
    }
    given = [name for names in (*needed.values(), *others.values()) for name in names]
    if not given:
        return
    known = {*nodes, *(name for name in given if is_joining(name, points))}
    refuse_unknown_resources(others, {*known, *map(str, kept)}, collector)
    refuse_unknown_resources(needed, known, collector)


def refuse_rotation(
    nodes: Mapping[str, GraphNode], rotate: Iterable[str], drivers: Drivers, collector: Collector
) -> None:
    """Report resources that are to get a new password and whose driver has none that it could change.

    Args:
        nodes: the resources of the graph by name.
        rotate: the names of those that are to get one.
        drivers: all drivers.
        collector: receives an error per resource.
    """
    for name in rotate:
        node = nodes.get(name)
        if node is None:
            collector.error("E0859", f"{name} gets no new password: nothing requests it any more", None)
        elif drivers.has(node.driver) and not drivers.find(node.driver).can_rotate:
            collector.error(
                "E0859",
                f"{name} gets no new password: the driver {node.driver} makes none",
                node.places[-1].span(),
                help=f"change the input that has it, or destroy the thing and make it anew: --replace={name}",
            )


def refuse_replacements(
    nodes: Iterable[GraphNode],
    provisioner: Provisioner,
    is_allowed: Callable[[ResourceKey], bool],
    refusals: Refusals,
    collector: Collector,
) -> None:
    """Refuse a deployment that would destroy what drivers have made, where nobody has allowed that.

    Args:
        nodes: the resources of the graph.
        provisioner: knows what is replaced.
        is_allowed: whether a resource may be replaced.
        refusals: what the deployment is refused for.
        collector: has the warnings; receives those of a plan.

    Raises:
        ReplacementError: it is no plan, and a replacement is not allowed; the error has all of them.
    """
    refused = [
        (node, old) for node in nodes if (old := provisioner.replaces(node)) and not is_allowed(node.key)
    ]
    if not refused:
        return
    errors = Collector()
    report = refusals.into(collector if refusals.is_plan else errors)
    for node, old in refused:
        stays = provisioner.removals.stays(old)
        fate = f"stays, and would be forgotten ({stays})" if stays else "would be destroyed"
        report(
            "E0849",
            f"{node.key} would be replaced: {words_of(old, node)}",
            node.places[-1].span(),
            detail=f"what the driver {old.driver} made {fate}",
            help=f"if that is meant, allow it: --allow-replace={node.key}",
        )
    if not refusals.is_plan:
        names = tuple(node.name for node, _ in refused)
        raise ReplacementError([*errors.errors, *collector.warnings], names)


def protected_words(record: ActiveResource, stays: str = "") -> str:
    """Return that a resource would be destroyed although it is protected; forgotten if what was made stays.

    Args:
        record: the record.
        stays: why a removal leaves what was made; empty: it destroys it.
    """
    loss = f"left as it is, and forgotten ({stays})" if stays else "destroyed"
    return f"{record.key} is protected, and would be {loss}"


def refuse_protected(
    gone: Iterable[ActiveResource],
    protected_by: Callable[[ActiveResource], Definition | None],
    stays: Callable[[ActiveResource], str],
    report: Callable[..., None],
) -> None:
    """Report what a deployment would destroy or forget although it is protected.

    Args:
        gone: the records of what would be removed or replaced, and is protected.
        protected_by: returns the definition that protects a resource now; None: only its record does.
        stays: returns why the removal of a record leaves what was made; empty: it destroys it.
        report: takes a code, a summary, a place and `detail` and `help`: an error, or a warning of a plan.
    """
    for record in gone:
        definition = protected_by(record)
        place = None if definition is None else definition.place._replace(keys=("entity", "protect"))
        report(
            "E0860",
            protected_words(record, stays(record)),
            None if place is None else place.span(),
            detail=f"its definition {record.definition} had `protect: true` when it was deployed last"
            if definition is None
            else f"its definition {definition.id} says `protect: true`",
            help=lifts_protection(record.key),
        )


def refuse_retained(anew: Iterable[ActiveResource], collector: Collector) -> None:
    """Report resources that are to be made anew, and that nothing destroys.

    Args:
        anew: the records of resources that are to be made anew.
        collector: receives an error per resource.
    """
    for record in anew:
        if record.is_retained:
            collector.error(
                "E0849",
                f"{record.key} cannot be made anew: `retain: true` keeps what is there",
                None,
                help="deploy it once with `retain: false`",
            )


def refuse_unstorable(context: Context, nodes: Iterable[GraphNode], collector: Collector) -> None:
    """Report names that a store cannot hold: a record could be written, but never be found again.

    Args:
        context: the environment.
        nodes: the resources to be provisioned.
        collector: receives the errors.
    """
    for word, name in (
        ("application", context.app),
        ("environment", context.env),
        ("organization", context.org),
    ):
        if not _is_storable(name):
            _refuse_name(f"the name of the {word}", name, None, collector)
    for node in nodes:
        if not _is_storable(node.name):
            _refuse_name("the name of the resource", node.name, node.places[0].span(), collector)
        if not _is_storable(node.definition):
            _refuse_name("the id of the definition", node.definition, node.places[-1].span(), collector)


def refuse_wrong_drops(
    context: Context, dropped: Names, before: Names, given: Names, collector: Collector
) -> None:
    """Report names that cannot be dropped: the environment does not have them, or they are given as well.

    Args:
        context: the environment.
        dropped: the names.
        before: what the environment has.
        given: what the files have.
        collector: receives an error per name.
    """
    kinds = (
        ("workload", dropped.workloads, before.workloads, given.workloads),
        ("shared resource", dropped.shared, before.shared, given.shared),
    )
    for word, names, known, new in kinds:
        for name in sorted(names - known):
            others = near_names(name, known) or f"it has {', '.join(sorted(known)) or 'none'}"
            collector.error(
                "E0852", f"{context.environment} has no {word} {name!r} to drop", None, help=others
            )
        for name in sorted(names & known & new):
            collector.error(
                "E0852", f"the {word} {name!r} is dropped and deployed", None, help="leave out one of both"
            )


def _is_storable(name: str) -> bool:
    return "\0" not in name and is_encodable(name)


def _refuse_name(what: str, name: str, place: Span | None, collector: Collector) -> None:
    collector.error(
        "E0840",
        f"{what} cannot be stored: {name!r}",
        place,
        detail="it has a NUL, or half of a character",
        help="give it another name",
    )
