"""Workloads as Kubernetes manifests: a Deployment each, and a Service, a ConfigMap and a Secret where needed.

The manifests of resources come first. The same workloads always give the same names, order and content.

Source: the API reference of Kubernetes; the recommended labels `app.kubernetes.io/…`.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping
from ensue.workload_output.documents import Document
from ensue.workload_output.findings import text_of
from ensue.workload_output.names import LONGEST_BASE_CHARS, digest, file_name, label
from ensue.workload_output.pods import Pod

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.workload_output.documents import Manifest
    from ensue.workload_output.modules import Port, WorkloadModule

_NAME_LABEL: Final = "app.kubernetes.io/name"
_MANAGED_BY: Final = {"app.kubernetes.io/managed-by": "ensue"}
_CONFIG_REVISION: Final = "ensue/config-revision"
_SECRETS_REVISION: Final = "ensue/secrets-revision"
_LARGEST_OBJECT_BYTES: Final = 1024 * 1024
_OF_THEIR_OWN: Final = ("cluster", "namespace")
_LOCATIONS: Final = (*_OF_THEIR_OWN, "volumes", "containers")


def kubernetes_documents(modules: Sequence[WorkloadModule]) -> list[Document]:
    """Return the manifests of workloads, in the order in which they are applied.

    Args:
        modules: the workloads; their problems are recorded in their findings.
    """
    manifests = _Manifests()
    for location in _OF_THEIR_OWN:
        for module in modules:
            for manifest in sorted(
                module.workload.manifests, key=lambda manifest_: (manifest_.resource, manifest_.name)
            ):
                if manifest.location == location:
                    manifests.add_brought(manifest, module)
    for module in modules:
        for manifest in module.workload.manifests:
            if manifest.location not in _LOCATIONS:
                module.findings.wrong(
                    f"gets the manifest {manifest.name!r} for an unknown location",
                    help_=f"there are {', '.join(_LOCATIONS)}",
                )
        for document in _workload_documents(module):
            manifests.add(document, module)
    return manifests.documents


class _Manifests:
    """Collects manifests, each object once."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self._names: set[str] = set()
        self._objects: dict[tuple[str, ...], Any] = {}

    def add(self, document: Document, module: WorkloadModule) -> None:
        """Add a manifest; an equal one is left out, and a different one for the same object is an error."""
        data, metadata = document.data, document.data["metadata"]
        identity = (
            *(text_of(data.get(key)) for key in ("apiVersion", "kind")),
            *(text_of(metadata.get(key)) for key in ("namespace", "name")),
        )
        if metadata.get("name") is not None and identity in self._objects:
            if self._objects[identity] != data:
                module.findings.wrong(f"has another {identity[1]} {identity[3]!r} than is there already")
            return
        self._objects[identity] = data
        name = document.name
        while name in self._names:
            name += "-2"
        self._names.add(name)
        self.documents.append(Document(name=name, data=data, secret_paths=document.secret_paths))

    def add_brought(self, manifest: Manifest, module: WorkloadModule) -> None:
        """Add a manifest of a resource."""
        data = manifest.data
        metadata = data.get("metadata") if is_mapping(data) else None
        if (
            not is_mapping(data)
            or not is_mapping(metadata)
            or not data.get("apiVersion")
            or not data.get("kind")
        ):
            module.findings.wrong(
                f"gets the manifest {manifest.name!r}, which is not a Kubernetes object",
                help_="it needs `apiVersion`, `kind` and `metadata`",
            )
            return
        namespace = module.workload.namespace
        if manifest.location == "namespace" and namespace and metadata.get("namespace") is None:
            data = {**data, "metadata": {**metadata, "namespace": namespace}}
        if manifest.secret_paths and data["kind"] != "Secret":
            module.findings.exposes_in_manifest(manifest.name, text_of(data["kind"]))
        stem = manifest.name.removesuffix(".yaml").removesuffix(".yml")
        name = file_name(f"{manifest.resource}-{stem}" if manifest.resource else stem)
        self.add(Document(name=name, data=data, secret_paths=manifest.secret_paths), module)


def _workload_documents(module: WorkloadModule) -> list[Document]:
    base = label(module.workload.name, LONGEST_BASE_CHARS)
    pod = Pod(module, f"{base}-files", f"{base}-secrets")
    objects = _Objects(module, base)
    deployment = objects.deployment(pod)
    documents: list[Document] = []
    if pod.config:
        documents.append(Document(name=f"{base}-configmap", data=objects.config_map(pod.config)))
    if pod.secrets:
        paths = tuple(f"data:{key}" for key in sorted(pod.secrets))
        documents.append(
            Document(name=f"{base}-secret", data=objects.secret(pod.secrets), secret_paths=paths)
        )
    if module.ports:
        documents.append(Document(name=f"{base}-service", data=objects.service()))
    elif module.service.fields:
        module.findings.left_out("a service", "it has no ports")
    sizes = {
        "files": sum(
            len(content.encode() if isinstance(content, str) else content) for content in pod.config.values()
        ),
        "secrets": sum(map(len, pod.secrets.values())),
    }
    for what, size_bytes in sizes.items():
        if size_bytes > _LARGEST_OBJECT_BYTES:
            module.findings.wrong(
                f"has {what} of more than 1 MiB, which Kubernetes does not keep in one object"
            )
    return [*documents, Document(name=f"{base}-deployment", data=deployment)]


class _Objects:
    """Writes the objects of one workload."""

    def __init__(self, module: WorkloadModule, base: str) -> None:
        self._module = module
        self._base = base
        self._selector = {_NAME_LABEL: base}

    def deployment(self, pod: Pod) -> dict[str, Any]:
        """Return the Deployment around a pod."""
        object_settings, spec = self._module.deployment, pod.spec()
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": self._metadata(self._base, object_settings.labels, object_settings.annotations),
            "spec": {
                **object_settings.fields,
                "selector": {"matchLabels": self._selector},
                "template": {"metadata": self._pod_metadata(pod), "spec": spec},
            },
        }

    def service(self) -> dict[str, Any]:
        """Return the Service in front of the pods."""
        object_settings = self._module.service
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": self._metadata(self._base, object_settings.labels, object_settings.annotations),
            "spec": {
                **object_settings.fields,
                "selector": self._selector,
                "ports": [_service_port(port) for port in self._module.ports],
            },
        }

    def config_map(self, content: Mapping[str, str | bytes]) -> dict[str, Any]:
        """Return the ConfigMap of files; a file that is not text is in Base64."""
        texts, binaries = _split(content)
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": self._metadata(f"{self._base}-files"),
            **({"data": texts} if texts else {}),
            **({"binaryData": binaries} if binaries else {}),
        }

    def secret(self, content: Mapping[str, bytes]) -> dict[str, Any]:
        """Return the Secret of variables and files."""
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": self._metadata(f"{self._base}-secrets"),
            "type": "Opaque",
            "data": {key: _base64(content[key]) for key in sorted(content)},
        }

    def _metadata(
        self,
        name: str,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        namespace = self._module.workload.namespace
        return {
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "labels": {**_MANAGED_BY, **(labels or {}), **self._selector},
            **({"annotations": dict(annotations)} if annotations else {}),
        }

    def _pod_metadata(self, pod: Pod) -> dict[str, Any]:
        """Return the metadata of the pods; it changes with the files, so that pods are restarted."""
        object_settings, revision = self._module.pod, self._module.workload.secrets_revision
        annotations = {
            **object_settings.annotations,
            **({_CONFIG_REVISION: _config_revision(pod.config)} if pod.config else {}),
            **({_SECRETS_REVISION: revision} if revision and pod.secrets else {}),
        }
        return {
            "labels": {**_MANAGED_BY, **object_settings.labels, **self._selector},
            **({"annotations": annotations} if annotations else {}),
        }


def _service_port(port: Port) -> dict[str, Any]:
    return {
        "name": label(port.name),
        "port": port.service_port,
        "targetPort": port.container_port,
        "protocol": port.protocol,
    }


def _config_revision(config: Mapping[str, str | bytes]) -> str:
    return digest(json.dumps(_split(config), sort_keys=True).encode())


def _split(content: Mapping[str, str | bytes]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the text entries, and the others in Base64, each sorted by key."""
    texts: dict[str, str] = {}
    binaries: dict[str, str] = {}
    for key, value in sorted(content.items()):
        if isinstance(value, str):
            texts[key] = value
        else:
            binaries[key] = _base64(value)
    return texts, binaries


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
