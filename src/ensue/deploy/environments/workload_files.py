"""The workloads of a deployment as files: Kubernetes manifests, a Docker Compose file, or plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ensue.core.errors import CompileError, DriverError, EnsueError
from ensue.core.files import private_files
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.secret_marks import marked_at, marked_paths, plain
from ensue.deploy.environments.deployment_files import named_sources
from ensue.deploy.provisioning.canonical import canonical
from ensue.deploy.provisioning.identity import IMPLICIT, WORKLOAD
from ensue.deploy.provisioning.sensitive import differing
from ensue.workload_output import RenderedWorkload, apply_patch, manifests_of, render, with_data_marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.masking import Masker
    from ensue.core.model.data import Place
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.environments.deployment_files import LoadedDocument
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.outcomes import NodeOutcome
    from ensue.workload_output import Document, Format, Manifest

_NAMESPACE = IMPLICIT[2]


def updated_module(resource: NodeOutcome) -> Any:
    """Return the module of a workload after the update operations of its definition, its secrets marked.

    Args:
        resource: the workload; it has been provisioned.

    Raises:
        PatchError: an operation cannot be carried out.
    """
    assert resource.evaluated is not None  # noqa: S101 -- it has been provisioned
    outputs = resource.outcome.outputs
    params = marked_at(resource.evaluated.params, resource.evaluated.secret_params)
    return _updated(
        resource, params, None if outputs is None else marked_at(outputs.data, outputs.secret_paths)
    )


def _updated(resource: NodeOutcome, module: Any, outputs: Any) -> Any:
    update = outputs.get("update") if is_mapping(outputs) else None
    if update is None:
        return module
    if not is_list(update):
        raise DriverError(f"{resource.key}: the output 'update' is not a list of operations")
    place = resource.node.places[-1].span() if resource.node else None
    return apply_patch(module, update, place=place)


def _shown_module(resource: NodeOutcome) -> Any:
    """Return the updated module with outputs of resources marked as data.

    What the operations set is not marked: it counts as written by the author of the definition.
    """
    assert resource.evaluated is not None  # noqa: S101 -- it has been provisioned
    module = with_data_marked(resource.evaluated.params, resource.evaluated.foreign_params)
    return _updated(
        resource, module, None if resource.outcome.outputs is None else resource.outcome.outputs.data
    )


def problem_of_update(resource: NodeOutcome, masker: Masker) -> str:
    """Return why the update operations of a workload cannot be carried out, masked; empty if they can."""
    try:
        updated_module(resource)
    except EnsueError as error:
        return masker.text(str(error))
    return ""


class WrittenWorkloads(NamedTuple):
    """The files of rendered workloads, and warnings.

    Args:
        paths: the files that were written.
        warnings: what is left out of them, or is not known.
    """

    paths: tuple[Path, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def write_workloads(
    nodes: Iterable[NodeOutcome],
    documents: Sequence[LoadedDocument],
    order: DeploymentOrder,
    services: DeployingProject,
) -> WrittenWorkloads:
    """Render the workloads of a deployment and write the files that differ; this blocks.

    Args:
        nodes: all resources of the deployment.
        documents: what is deployed.
        order: in which format, and where to.
        services: the project.

    Raises:
        CompileError: a workload cannot be rendered; nothing is written.
        OSError: a file cannot be read or written.
    """
    assert order.render_to is not None  # noqa: S101 -- it is given together with the format
    by_key = {resource.key: resource for resource in nodes}
    workloads = [
        _rendered(resource, by_key, documents, services)
        for resource in by_key.values()
        if resource.key.type == WORKLOAD
        and resource.node is not None
        and resource.outcome.outputs is not None
    ]
    rendering = render(workloads, _format(order.render))
    if rendering.has_errors:
        raise CompileError(rendering.diagnostics)
    order.render_to.mkdir(parents=True, exist_ok=True)
    written = (_written(document, order.render_to) for document in rendering.documents)
    return WrittenWorkloads(tuple(path for path in written if path is not None), rendering.diagnostics)


def _format(word: str) -> Format:
    match word:
        case "kubernetes" | "compose" | "values":
            return word
        case _:
            raise DriverError(f"render: there is no format {word!r} (kubernetes, compose, values)")


def _rendered(
    resource: NodeOutcome,
    by_key: Mapping[ResourceKey, NodeOutcome],
    documents: Sequence[LoadedDocument],
    services: DeployingProject,
) -> RenderedWorkload:
    marked = updated_module(resource)
    module = plain(marked)
    secret_paths = _joined([*marked_paths(marked), *differing(module, services.masker.data(module))])
    return RenderedWorkload(
        name=resource.key.id.removeprefix("modules."),
        module=_shown_module(resource),
        secret_paths=secret_paths,
        namespace=_namespace(by_key),
        manifests=tuple(_manifests(resource, by_key, services.masker.data)),
        sources=_sources(module, documents),
        secrets_revision=services.vault.fingerprint(canonical(module), context=f"rendered:{resource.guresid}")
        if secret_paths
        else "",
        place=resource.node.places[0].span() if resource.node else None,
    )


def _namespace(by_key: Mapping[ResourceKey, NodeOutcome]) -> str | None:
    """Return the namespace that the resource `k8s-namespace` has as an output; None if there is none."""
    for key, resource in by_key.items():
        if key.type == _NAMESPACE and resource.outcome.outputs is not None:
            data = resource.outcome.outputs.data
            return str(data["namespace"]) if is_mapping(data) and "namespace" in data else None
    return None


def _manifests(
    resource: NodeOutcome, by_key: Mapping[ResourceKey, NodeOutcome], masked: Callable[[Any], Any]
) -> Iterator[Manifest]:
    """Yield the manifests of a workload and of the resources that it depends on."""
    for key in (resource.key, *(resource.node.depends_on if resource.node else ())):
        outcome = by_key[key].outcome
        brought = outcome.manifests
        paths = _joined([*outcome.secret_manifests, *differing(brought, masked(brought))])
        yield from manifests_of(brought, resource=key.id, secret_paths=paths)


def _joined(paths: Iterable[Place]) -> tuple[str, ...]:
    """Return paths of secrets as `workload_output` has them."""
    return tuple(dict.fromkeys(":".join(map(str, path)) for path in paths))


def _sources(module: Any, documents: Sequence[LoadedDocument]) -> dict[str, bytes]:
    """Read the files that containers name by `source`, relative to the files of the deployment."""
    sources: dict[str, bytes] = {}
    for name in named_sources(module):
        source = next(filter(None, (document.source(name) for document in documents)), None)
        if source is not None:
            sources[name] = source.content
    return sources


def _written(document: Document, folder: Path) -> Path | None:
    """Write a document; return None if its file has that content already."""
    from ensue.core.model.documents import yaml_text

    path = folder / f"{document.name}.yaml"
    content = yaml_text(document.data).encode()
    mode = 0o600 if document.is_secret else 0o644
    try:
        if path.read_bytes() == content and path.stat().st_mode & 0o777 == mode:
            return None
    except OSError:
        pass  # It does not exist, or is replaced.
    private_files.replace_whole(path, content)
    path.chmod(mode)
    return path
