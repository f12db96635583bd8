"""The objects of a cluster as deployments compare them, without a connection to the cluster.

Without a connection nobody knows whether a kind of a project's own has namespaces; a namespace that only one
of two objects of the same kind and name has does not tell them apart.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.contracts.managed_objects import ManagedObject
from ensue.core.model.bounded_yaml import load_plain_yaml
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.paths import traverse
from ensue.core.model.unknown import Unknown
from ensue.deploy.kubernetes.manifests import ObjectKey, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.contracts.managed_objects import Ownership
    from ensue.deploy.kubernetes.cluster import ClusterAccess
    from ensue.deploy.kubernetes.inputs import KubernetesInputs
    from ensue.deploy.kubernetes.recorded import KubernetesCookie

_NAMESPACE: Final = "Namespace"

_WITHOUT_NAMESPACE: Final = frozenset({
    _NAMESPACE, "APIService", "CSIDriver", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition",
    "IngressClass", "MutatingWebhookConfiguration", "PersistentVolume", "PriorityClass", "RuntimeClass",
    "StorageClass", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
})  # fmt: skip
"""The kinds of Kubernetes itself that have none, as `kubectl api-resources --namespaced=false` lists them."""


class ClusterAddress(NamedTuple):
    """Where a kubeconfig leads to.

    Args:
        server: the URL of the API server.
        namespace: the namespace of objects that name none.
    """

    server: str
    namespace: str


def planned_objects(inputs: KubernetesInputs) -> list[ManagedObject]:
    """Return the objects of manifests, as far as they are known; none if the kubeconfig cannot be read.

    Args:
        inputs: the manifests, and where to apply them.
    """
    address = _address_of(inputs.access)
    if address is None:
        return []
    known = [manifest for manifest in inputs.manifests if _is_known(manifest)]
    keys = (key_of(manifest, inputs.namespace or address.namespace) for manifest in known)
    return list(_objects(address.server, keys))


def recorded_objects(cookie: KubernetesCookie) -> list[ManagedObject]:
    """Return the objects that were applied.

    Args:
        cookie: the record of the resource.
    """
    keys = (recorded.key for recorded in cookie.objects)
    return list(_objects(cookie.server, keys))


def _objects(server: str, keys: Iterable[ObjectKey]) -> Iterable[ManagedObject]:
    """Yield each object by its kind and name, and once more inside its namespace.

    Several resources may bring the namespace that they are in.
    """
    home = server.rstrip("/")
    for key in keys:
        group = key.api_version.rpartition("/")[0]
        kind = f"{key.kind}.{group}" if group else key.kind
        place, name = (home, kind, key.name), str(key)
        if not key.namespace or key.kind in _WITHOUT_NAMESPACE:
            ownership: Ownership = "shared" if key.kind == _NAMESPACE else "sole"
            yield ManagedObject(place=place, name=f"{key.kind} {key.name}", ownership=ownership)
        else:
            details = {"namespace": key.namespace}
            yield ManagedObject(place=place, name=name, details=details, ownership="shared")
            yield ManagedObject(place=(home, _NAMESPACE, key.namespace, kind, key.name), name=name)


def _is_known(manifest: dict[str, Any]) -> bool:
    """Return whether a manifest says which object it is of."""
    metadata = manifest["metadata"]
    named = (manifest["apiVersion"], manifest["kind"], metadata)
    if any(isinstance(part, Unknown) for part in named):
        return False
    return not isinstance(metadata["name"], Unknown) and not isinstance(metadata.get("namespace"), Unknown)


def _address_of(access: ClusterAccess) -> ClusterAddress | None:
    """Return where a kubeconfig leads to; None if it cannot be read, or does not say."""
    try:
        written = load_plain_yaml(Path(access.path).read_text()) if access.path else access.kubeconfig
    except (OSError, ValueError):
        return None
    context_name = access.context or traverse(written, "current-context")
    context = _named(traverse(written, "contexts"), context_name, "context")
    cluster = _named(traverse(written, "clusters"), traverse(context, "cluster"), "cluster")
    server = traverse(cluster, "server")
    if not isinstance(server, str):
        return None
    return ClusterAddress(server, str(traverse(context, "namespace") or "default"))


def _named(listed: Any, name: Any, key: str) -> Any:
    """Return the entry of a name in a list of a kubeconfig; None: there is none."""
    entries = [entry for entry in listed if is_mapping(entry)] if is_list(listed) else []
    return next((entry.get(key) for entry in entries if entry.get("name") == name), None)
