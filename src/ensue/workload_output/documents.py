"""The input and output of this package: workloads to render, and the documents they become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from ensue.core.diagnostics import Severity
from ensue.core.model.data import is_mapping
from ensue.workload_output.findings import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.diagnostics import Diagnostic, Span

Format: TypeAlias = Literal["kubernetes", "compose", "values"]
"""The output formats."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A manifest that a resource contributes.

    Args:
        name: its name in the driver's outputs (`claim.yaml`).
        location: where it belongs: `namespace` and `cluster` for an object of its own, `volumes` for a volume
            and `containers` for a container of the pod of every workload that depends on the resource.
        data: the manifest.
        resource: the id of the resource (`modules.web.externals.data`).
        secret_paths: the paths of its secrets, keys joined by colons; empty text for all of it.
    """

    name: str
    location: str
    data: Any
    resource: str = ""
    secret_paths: tuple[str, ...] = ()


def manifests_of(
    brought: Mapping[str, Any], *, resource: str = "", secret_paths: Iterable[str] = ()
) -> tuple[Manifest, ...]:
    """Return the manifests in a driver's outputs for a resource.

    Args:
        brought: by name, `{"location": LOCATION, "data": manifest}`.
        resource: the id of the resource.
        secret_paths: the paths of secrets in `brought`, keys joined by colons (`claim.yaml:data:spec:token`).
    """
    paths = sorted(secret_paths)
    return tuple(
        Manifest(
            name=name,
            location=text_of(value.get("location")),
            data=value.get("data"),
            resource=resource,
            secret_paths=tuple(_paths_in(f"{name}:data", paths)),
        )
        for name, value in sorted(brought.items())
        if is_mapping(value)
    )


def _paths_in(holder: str, paths: list[str]) -> Iterator[str]:
    """Yield the paths of the secrets in a part of some data, relative to that part."""
    for path in paths:
        if path.startswith(f"{holder}:"):
            yield path[len(holder) + 1 :]
        elif not path or path == holder or holder.startswith(f"{path}:"):
            yield ""


class RenderedWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """A workload to render; all values in it are known.

    Args:
        name: its name.
        module: what it runs, as a module of a deployment set after its update operations: `id`, `spec`, …;
            outputs of resources in it may be marked, see `with_data_marked`.
        secret_paths: the paths of secrets in the module, keys joined by colons.
        namespace: the Kubernetes namespace; None: the manifests name none.
        manifests: the manifests of the resources that it depends on.
        sources: the content of the files that a container's `source` names, by that name.
        secrets_revision: a text that changes when a secret does, and reveals nothing about it; through it
            Kubernetes restarts the pods. Empty: they are not restarted.
        place: where the workload is declared.
    """

    name: str
    module: Any
    secret_paths: tuple[str, ...] = ()
    namespace: str | None = None
    manifests: tuple[Manifest, ...] = ()
    sources: Mapping[str, bytes] = msgspec.field(default_factory=dict[str, bytes])
    secrets_revision: str = ""
    place: Span | None = None


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One rendered document.

    Args:
        name: a name for its file, without extension; unique in a rendering.
        data: its content, as YAML or JSON has it.
        secret_paths: the paths of its secrets, keys joined by colons; empty text for all of it. Secrets of a
            Kubernetes Secret are Base64.
    """

    name: str
    data: Any
    secret_paths: tuple[str, ...] = ()

    @property
    def is_secret(self) -> bool:
        """Whether it contains a secret, so that only its owner may read its file."""
        return bool(self.secret_paths)


class WorkloadRendering(msgspec.Struct, frozen=True, kw_only=True):
    """The result of rendering workloads.

    Args:
        documents: the documents, in the order in which they are applied; empty if there is an error.
        diagnostics: the errors of the workloads, and warnings about values that are left out.
    """

    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def has_errors(self) -> bool:
        """Whether a workload cannot be rendered."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)
