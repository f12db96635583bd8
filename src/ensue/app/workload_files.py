"""The workloads of a deployment as files: Kubernetes manifests, a Docker Compose file, or plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ensue.app.deployment_files import file_below
from ensue.errors import CompileError, DriverError
from ensue.files import private_files
from ensue.files.regular_files import read_regular
from ensue.model.data import is_list, is_mapping
from ensue.model.secret_marks import marked_at, marked_paths, plain
from ensue.provisioning.canonical import canonical
from ensue.provisioning.identity import IMPLICIT, WORKLOAD
from ensue.provisioning.sensitive import differing
from ensue.workload_output import RenderedWorkload, apply_patch, manifests_of, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from ensue.app.services import Services
    from ensue.contracts.deployment import DeploymentOrder
    from ensue.diagnostics import Diagnostic
    from ensue.model.data import Place
    from ensue.provisioning.identity import Key
    from ensue.provisioning.outcomes import NodeOutcome
    from ensue.workload_output import Document, Format, Manifest

_NAMESPACE = IMPLICIT[2]


def updated_module(one: NodeOutcome) -> Any:
    """Return the module of a workload after the update operations of its definition, its secrets marked.

    Args:
        one: the workload; it has been provisioned.

    Raises:
        PatchError: an operation cannot be carried out.
    """
    assert one.evaluated is not None  # noqa: S101 -- it has been provisioned
    outputs = one.outcome.outputs
    params = marked_at(one.evaluated.params, one.evaluated.secret_params)
    data = None if outputs is None else marked_at(outputs.data, outputs.secret_paths)
    update = data.get("update") if is_mapping(data) else None
    if update is None:
        return params
    if not is_list(update):
        raise DriverError(f"{one.key}: the output 'update' is not a list of operations")
    place = one.node.places[-1].span() if one.node else None
    return apply_patch(params, update, place=place)


class WrittenWorkloads(NamedTuple):
    """What came of rendering workloads.

    Args:
        paths: the files that were written.
        warnings: what is left out of them, or is not known.
    """

    paths: tuple[Path, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def write_workloads(
    nodes: Iterable[NodeOutcome], order: DeploymentOrder, services: Services
) -> WrittenWorkloads:
    """Render the workloads of a deployment and write the files that differ; this blocks.

    Args:
        nodes: all resources of the deployment.
        order: in which format, and where to.
        services: the project.

    Raises:
        CompileError: a workload cannot be rendered; nothing is written.
        OSError: a file cannot be read or written.
    """
    assert order.render_to is not None  # noqa: S101 -- it is given together with the format
    by_key = {one.key: one for one in nodes}
    workloads = [
        _rendered(one, by_key, order, services)
        for one in by_key.values()
        if one.key.type == WORKLOAD and one.node is not None and one.outcome.outputs is not None
    ]
    rendering = render(workloads, _format(order.render))
    if rendering.has_errors:
        raise CompileError(rendering.diagnostics)
    order.render_to.mkdir(parents=True, exist_ok=True)
    written = (_written(one, order.render_to) for one in rendering.documents)
    return WrittenWorkloads(tuple(path for path in written if path is not None), rendering.diagnostics)


def _format(word: str) -> Format:
    match word:
        case "kubernetes" | "compose" | "values":
            return word
        case _:
            raise DriverError(f"render: there is no format {word!r} (kubernetes, compose, values)")


def _rendered(
    one: NodeOutcome, by_key: Mapping[Key, NodeOutcome], order: DeploymentOrder, services: Services
) -> RenderedWorkload:
    marked = updated_module(one)
    module = plain(marked)
    secret_paths = _joined([*marked_paths(marked), *differing(module, services.masker.data(module))])
    return RenderedWorkload(
        name=one.key.id.removeprefix("modules."),
        module=module,
        secret_paths=secret_paths,
        namespace=_namespace(by_key),
        manifests=tuple(_manifests(one, by_key, services.masker.data)),
        sources=_sources(module, order.files),
        secrets_revision=services.vault.fingerprint(canonical(module), context=f"rendered:{one.guresid}")
        if secret_paths
        else "",
        place=one.node.places[0].span() if one.node else None,
    )


def _namespace(by_key: Mapping[Key, NodeOutcome]) -> str | None:
    """Return the namespace that the resource `k8s-namespace` has as an output; None if there is none."""
    for key, one in by_key.items():
        if key.type == _NAMESPACE and one.outcome.outputs is not None:
            data = one.outcome.outputs.data
            return str(data["namespace"]) if is_mapping(data) and "namespace" in data else None
    return None


def _manifests(
    one: NodeOutcome, by_key: Mapping[Key, NodeOutcome], masked: Callable[[Any], Any]
) -> Iterator[Manifest]:
    """Yield the manifests of a workload and of the resources that it depends on."""
    for key in (one.key, *(one.node.depends_on if one.node else ())):
        outcome = by_key[key].outcome
        brought = outcome.manifests
        paths = _joined([*outcome.secret_manifests, *differing(brought, masked(brought))])
        yield from manifests_of(brought, resource=key.id, secret_paths=paths)


def _joined(paths: Iterable[Place]) -> tuple[str, ...]:
    """Return paths of secrets as `workload_output` has them."""
    return tuple(dict.fromkeys(":".join(map(str, path)) for path in paths))


def _sources(module: Any, files: Iterable[Path]) -> dict[str, bytes]:
    """Read the files that containers name by `source`, relative to the files of the deployment."""
    folders = list(dict.fromkeys(path.parent for path in files))
    found: dict[str, bytes] = {}
    for name in _named_sources(module):
        for folder in folders:
            if path := file_below(folder, name):
                found[name] = read_regular(path)
                break
    return found


def _named_sources(module: Any) -> Iterator[str]:
    spec = module.get("spec") if is_mapping(module) else None
    containers = spec.get("containers") if is_mapping(spec) else None
    for container in containers.values() if is_mapping(containers) else ():
        files = container.get("files") if is_mapping(container) else None
        for one in files.values() if is_mapping(files) else files if is_list(files) else ():
            if is_mapping(one) and isinstance(source := one.get("source"), str):
                yield source


def _written(document: Document, folder: Path) -> Path | None:
    """Write a document; return None if its file has that content already."""
    from ensue.output.documents import yaml_text

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
